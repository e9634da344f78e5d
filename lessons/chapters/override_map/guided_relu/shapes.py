"""Pictures of triangles, circles and crosses in noise, drawn as they are needed. Torch only."""

import math

import torch

SIDE = 21
"""Pixels along a side of a picture: so many that the network's convolutions see each of them."""

KINDS = ("triangle", "circle", "cross")
"""The classes, in the order of their labels."""

_EDGE = 1.5 / SIDE  # how soft an edge is, in units of half a side
_MARKS = (torch.arange(SIDE) + 0.5) * (2 / SIDE) - 1  # pixel centres, −1 to 1


def labels(count: int) -> torch.Tensor:
    """The classes of so many pictures, in turn: as many of each as of the others, or one more."""
    return torch.arange(count) % len(KINDS)


def pictures(count: int, noise: float, generator: torch.Generator) -> torch.Tensor:
    """So many pictures, float32, shape [count, SIDE, SIDE], of the classes ``labels`` says.

    A shape is 1 on a ground of 0, of any size from half to two thirds of the picture, turned at
    will, shifted by up to a fifth of a side. All is drawn on the CPU in float32, whatever computes
    with it later, so that every device and number format sees the same pictures.

    Args:
        count: how many.
        noise: the standard deviation of each pixel's own noise, which is evenly spread.
        generator: where the draws come from.
    """
    turn, size, right, down = torch.rand(4, count, 1, 1, generator=generator)
    turn, size = 2 * math.pi * turn, 0.5 + 0.17 * size
    x = _MARKS[None, None, :] - 0.4 * (right - 0.5)
    y = _MARKS[None, :, None] - 0.4 * (down - 0.5)
    x, y = turn.cos() * x + turn.sin() * y, turn.cos() * y - turn.sin() * x
    kind = labels(count)
    inside = torch.empty(count, SIDE, SIDE)
    for label, distance in enumerate((_triangle, _circle, _cross)):
        these = kind == label
        inside[these] = distance(x[these], y[these], size[these])
    shape = torch.sigmoid(-4 / _EDGE * inside)
    return shape.add_(_evenly(shape.shape, noise, generator))


def _evenly(shape: torch.Size, spread: float, generator: torch.Generator) -> torch.Tensor:
    """Numbers evenly spread about 0 with this standard deviation."""
    reach = spread * math.sqrt(3)
    return torch.empty(shape).uniform_(-reach, reach, generator=generator)


# How far a point lies outside a shape, negative inside: distances to lines, good near the edges.


def _triangle(x: torch.Tensor, y: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    lean = math.sqrt(3) / 2 * x.abs() + 0.5 * y
    return torch.maximum(lean, -y) - 0.62 * size


def _circle(x: torch.Tensor, y: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    return torch.hypot(x, y) - size


def _cross(x: torch.Tensor, y: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    x, y = x.abs(), y.abs()
    upright = torch.maximum(x - 0.33 * size, y - 1.15 * size)
    level = torch.maximum(y - 0.33 * size, x - 1.15 * size)
    return torch.minimum(upright, level)
