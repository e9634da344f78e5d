"""A batch with one bad label, and the gradients of its loss and of each sample's own."""

import math
from functools import lru_cache

import torch

from lessons.contract.settings import choice, slider, whole
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedIn
from lessons.kit.noise import unit_draws

SLOPES = (-2.0, -1.0)
"""The weights that fit every ordinary label; training starts at 0."""

FAR = 1e6
"""An error of the label so large that a clip certainly acts on it."""


class Settings(ComputedIn):
    clip = choice("none", "batch", "sample")
    size = slider(100, 0, 200, 1, accepts=(0, FAR))
    angle = slider(120, -180, 180, 1, accepts=(-360, 360))
    limit = slider(1, 0, 5, 0.05, accepts=(0, 1e6))
    batch = whole(8, 2, 32, log=True)
    seed = whole(3, advanced=True)


@lru_cache(maxsize=16)
def ordinary(seed: int, many: int) -> tuple[tuple[float, float], ...]:
    """This many inputs in a square from -1 to 1, rounded to one decimal to keep them short."""
    rows = next(unit_draws(seed, 0, 2))[:many]
    return tuple((round(2 * a - 1, 1) + 0.0, round(2 * b - 1, 1) + 0.0) for a, b in rows.tolist())


def batch(
    x: tuple[tuple[float, float], ...], size: float, angle: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs, shape [n, 2], and labels, shape [n, 1], float64; the first label is wrong.

    Args:
        x: the ordinary inputs.
        size: how far the first label is off. At w = 0 its gradient has about this length.
        angle: of the first input, in degrees, which has the length 1.
    """
    turn = math.radians(angle)
    inputs = torch.tensor([(math.cos(turn), math.sin(turn)), *x], dtype=torch.float64)
    labels = inputs @ torch.tensor(SLOPES, dtype=torch.float64)[:, None]
    labels[0] -= size
    return inputs, labels


def plain_loss(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, **_: object) -> torch.Tensor:
    """The same forward pass with no clip."""
    return (((w * x).sum(1, keepdim=True) - y) ** 2).mean() / 2


def each(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The gradient of each sample's own loss at w = 0, shape [n, 2]: w has a copy for each.

    Not by ``torch.func``, whose first call in a process takes seconds.
    """
    copies = torch.zeros_like(x, requires_grad=True)
    losses = ((copies * x).sum(1, keepdim=True) - y) ** 2 / 2
    return gradient(losses, copies)


def shortened(rows: torch.Tensor, limit: float) -> torch.Tensor:
    """Clip each row by its norm; rows have the shape [n, 2]."""
    lengths = rows.norm(dim=1, keepdim=True)
    return torch.where(lengths <= limit, rows, rows * (limit / lengths))


def without_first(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, **_: object) -> torch.Tensor:
    """The gradient of the batch without its first sample, with no clip."""
    w.requires_grad_()
    return gradient(plain_loss(w, x[1:], y[1:]), w)
