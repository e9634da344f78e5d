"""A hidden state carried over many steps: what a stop between them keeps and what it costs."""

import torch

from lessons.chapters.in_the_wild.unroll.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.tricks import stop_gradient


def unroll(w: torch.Tensor, steps: int, every: int, x: float) -> torch.Tensor:
    h = torch.ones_like(w)
    for t in range(steps):
        if t and t % every == 0:
            h = stop_gradient(h)
        h = w * h + x
    return h


LESSON = Lesson(
    program=unroll,
    lab=LAB,
    highlight="h = stop_gradient(h)",
)
