"""No trick at all, and the noise is in the gradient."""

import torch

from lessons.chapters.stop_gradient.shared_noise.answers import line_or_band
from lessons.chapters.stop_gradient.shared_noise.lab import LAB
from lessons.contract.lesson import Lesson


def noise_leaks(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    y = x**2
    yu = y * u
    return torch.sqrt(yu)


LESSON = Lesson(program=noise_leaks, lab=LAB, predictions={"leak": line_or_band})
