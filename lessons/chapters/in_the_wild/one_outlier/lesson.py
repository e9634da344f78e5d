"""One bad sample in a batch: a clip for all of them, or one for each."""

import torch

from lessons.chapters.in_the_wild.one_outlier.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.kit.arrows import turn
from lessons.tricks import clip_gradient_norm


def one_outlier(
    w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, clip: str, limit: float
) -> torch.Tensor:
    if clip == "batch":
        w = clip_gradient_norm(w, limit)
    if clip == "sample":  # a copy for each sample, with its own clip
        copies = torch.stack([clip_gradient_norm(w, limit / len(x)) for _ in x])
    else:
        copies = w.expand_as(x)
    error = (copies * x).sum(1, keepdim=True) - y
    return (error**2).mean() / 2


def which_way(result: Result) -> str:
    """clean, between or outlier: where the gradient points once it is clipped."""
    beliefs = {"clean": "angle_clean", "between": "angle_between", "outlier": "angle_plain"}

    def apart(fact: str) -> float:
        return abs(turn(float(result.facts[fact]), float(result.facts["angle_used"])))

    return min(beliefs, key=lambda key: apart(beliefs[key]))


def mixes(result: Result) -> str:
    """The layer after which the gradient of one sample depends on another one."""
    layers = ("linear", "layernorm", "batchnorm", "groupnorm")
    return max(layers, key=lambda one: float(result.facts[f"mixed_{one}"]))


LESSON = Lesson(
    program=one_outlier,
    lab=LAB,
    predictions={"way": which_way, "transfer": mixes},
    highlight="torch.stack([clip_gradient_norm(w, limit / len(x)) for _ in x])",
)
