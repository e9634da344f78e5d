"""A tensor changed after two ops have saved it: noticed by torch, or not."""

from collections.abc import Mapping
from functools import cache

import torch

from lessons.chapters.gone_missing.in_place.lab import LAB
from lessons.contract.lesson import Lesson


def in_place(x: torch.Tensor, added: float, change: str, reads: str) -> torch.Tensor:
    y = torch.exp(x)
    z = y * (y if reads == "square" else 3)
    if change == "new":
        y = y + added
    elif change == "clone":
        y = y.clone()
        y.add_(added)
    elif change == "in_place":
        with torch.no_grad():
            y.add_(added)
    elif change == "detach":
        y.detach().add_(added)
    elif change == "data":
        y.data.add_(added)
    return z


@cache
def a_step_too_early() -> Mapping[str, float]:
    """The gradient of a cube whose weight was moved by .data, and what one may expect of it."""
    w = torch.tensor(4.0, dtype=torch.float64, requires_grad=True)
    old = w.item()
    loss = w**3
    w.data -= 1
    (gradient,) = torch.autograd.grad(loss, w)
    return {
        "early_came": float(gradient),
        "early_w": old,
        "early_value": loss.item(),
        "early_new": 3 * w.item() ** 2,
        "early_old": 3 * old**2,
        "early_mixed": 3 * old * w.item(),
        "early_nothing": 0.0,
    }


LESSON = Lesson(
    program=in_place,
    lab=LAB,
    highlight="y.data.add_(added)",
    elsewhere=a_step_too_early,
)
