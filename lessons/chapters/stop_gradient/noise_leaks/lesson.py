"""No trick: the noise leaks into the gradient."""

import torch

from lessons.chapters.stop_gradient.shared_noise.lab import LAB
from lessons.chapters.stop_gradient.shared_noise.predictions import line_or_band
from lessons.contract.lesson import Lesson


def noise_leaks(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    y = x**2
    yu = y * u
    return torch.sqrt(yu)


def dropout() -> dict[str, float]:
    """Compute the gradient of a kept and of a dropped unit, and what wrong answers expect."""
    p = 0.75

    def slope(m: float) -> float:
        x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(m * x / (1 - p), x)[0].item()

    mean = (1 - p) * slope(1.0) + p * slope(0.0)
    return {
        "dropout_slope": slope(1.0),
        "dropout_factor": 1 / (1 - p),
        "dropout_mean": mean,
        "dropout_share": 1 - p,
        "dropout_zero": slope(0.0),
    }


LESSON = Lesson(program=noise_leaks, lab=LAB, predictions={"leak": line_or_band}, facts=(dropout,))
