"""Stop_gradient around the noise, and the gradient is still noisy."""

import torch

from lessons.chapters.stop_gradient.shared_noise.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.sketch import Sketch
from lessons.gradient_tricks.tricks import stop_gradient


def wrong_place(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    y = x**2
    yu = y * u
    yu_fixed = stop_gradient(yu - y) + y
    return torch.sqrt(yu_fixed)


def before_other_ops() -> dict[str, float]:
    """A stop like the program's before a logarithm and a product, and what wrong answers expect."""
    x, u, w = (torch.tensor(2.0, dtype=torch.float64, requires_grad=True) for _ in "xuw")
    h = x + stop_gradient(u * x - x)

    def slope(z: torch.Tensor, by: torch.Tensor) -> float:
        return torch.autograd.grad(z, by, retain_graph=True)[0].item()

    return {
        "log_slope": slope(torch.log(h), x),
        "log_plain": slope(torch.log(u * x), x),
        "log_noisy": 1 / (u * x).item(),
        "log_clean": 1 / x.item(),
        "log_factor": (u / x).item(),
        "partner_slope": slope(w * h, w),
        "partner_clean": x.item(),
    }


LESSON = Lesson(
    program=wrong_place,
    lab=LAB,
    sketches={"gradient": Sketch(x=(-2.4, -1.8, -1.2, -0.6, 0.6, 1.2, 1.8, 2.4), near=0.45)},
    highlight="yu_fixed = stop_gradient(yu - y) + y",
    facts=(before_other_ops,),
)
