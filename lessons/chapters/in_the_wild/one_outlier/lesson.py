"""One bad sample in a batch: a clip for all of them, or one for each."""

import torch

from lessons.chapters.in_the_wild.one_outlier.lab import LAB, mixed
from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.tricks import clip_gradient_norm


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


LESSON = Lesson(
    program=one_outlier,
    lab=LAB,
    facts=(mixed,),
    highlight="torch.stack([clip_gradient_norm(w, limit / len(x)) for _ in x])",
)
