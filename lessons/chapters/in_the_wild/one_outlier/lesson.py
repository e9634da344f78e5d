"""One bad sample in a batch: a clip for all of them, or one for each."""

import torch

from lessons.chapters.in_the_wild.one_outlier.lab import LAB, mixed
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
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


def mixes(result: Result) -> str:
    """The layer after which the gradient of one sample depends on another one."""
    layers = ("linear", "layernorm", "batchnorm", "groupnorm")
    return max(layers, key=lambda one: result.number(f"mixed_{one}"))


LESSON = Lesson(
    program=one_outlier,
    lab=LAB,
    predictions={"transfer": mixes},
    facts=(mixed,),
    highlight="torch.stack([clip_gradient_norm(w, limit / len(x)) for _ in x])",
)
