"""Stop_gradient around the whole block, and the gradient is clean."""

import torch

from lessons.chapters.stop_gradient.shared_noise.lab import LAB
from lessons.chapters.stop_gradient.shared_noise.predictions import value_and_gradient
from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.tricks import stop_gradient


def right_place(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    y = x**2
    z = torch.sqrt(y * u)
    clean = torch.sqrt(y)
    return stop_gradient(z - clean) + clean


def at_the_edges() -> dict[str, float]:
    """The slope of |x| at 0 with the trick, and a gradient scaled by the same form."""
    x = torch.zeros((), requires_grad=True)
    z = stop_gradient(torch.sqrt(x**2 * 1.1) - x.abs()) + x.abs()
    return {
        "abs_at_zero": torch.autograd.grad(z, x)[0].item(),
        **scaled_gradient(),
    }


def scaled_gradient() -> dict[str, float]:
    """A gradient halved at its full value, then squared, and what the wrong answers expect."""
    x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    h = x * 0.5 + stop_gradient(x) * 0.5
    whole = torch.autograd.grad(x**2, x)[0].item()
    smaller = torch.autograd.grad((x * 0.5) ** 2, x)[0].item()
    return {
        "scale_slope": torch.autograd.grad(h**2, x)[0].item(),
        "scale_half": whole / 2,
        "scale_whole": whole,
        "scale_smaller": smaller,
    }


LESSON = Lesson(
    program=right_place,
    lab=LAB,
    predictions={"pair": value_and_gradient},
    highlight="stop_gradient(z - clean) + clean",
    facts=(at_the_edges,),
)
