"""Chapter 1, lesson 2: no trick at all, and the noise is in the gradient."""

import torch

from lessons.lesson import Lesson
from lessons.stop_gradient.noise_answers import line_or_band
from lessons.stop_gradient.noise_lab import LAB


def noise_leaks(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    y = x**2
    yu = y * u
    return torch.sqrt(yu)


LESSON = Lesson(program=noise_leaks, lab=LAB, predictions={"leak": line_or_band})
