"""Stop_gradient around the whole block, and the gradient is clean."""

import torch

from lessons.chapters.stop_gradient.shared_noise.answers import value_and_gradient
from lessons.chapters.stop_gradient.shared_noise.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.tricks import stop_gradient


def right_place(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    y = x**2
    z = torch.sqrt(y * u)
    clean = torch.sqrt(y)
    return stop_gradient(z - clean) + clean


LESSON = Lesson(
    program=right_place,
    lab=LAB,
    predictions={"pair": value_and_gradient},
    highlight="stop_gradient(z - clean) + clean",
)
