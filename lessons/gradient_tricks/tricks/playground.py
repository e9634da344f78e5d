"""What a program of the playground calls besides torch, so that it runs in a file, too."""

import math
from typing import Any

import torch

from .as_one import one_op
from .override_map import gradient_override_map
from .plain import forward_backward, identity, py_func, stop_gradient, straight_through
from .shape import clip_gradient, clip_gradient_norm, flip_gradient, scale_gradient

__all__ = [
    "clamp",
    "clip_gradient",
    "clip_gradient_norm",
    "flip_gradient",
    "forward_backward",
    "gradient_override_map",
    "identity",
    "input",
    "log_softmax",
    "logsumexp",
    "normal",
    "onehot_argmax",
    "onehot_sample",
    "py_func",
    "scale_gradient",
    "show",
    "softmax",
    "step",
    "stop_gradient",
    "straight_through",
    "transpose",
    "uniform",
]

_SMALLEST_UNIT = 2.0**-54
_ROWS = 512
"""The playground draws so many rows of noise at a time; one draw is the first of them."""


def input(values: Any, range: tuple[float, float] = (-3.0, 3.0)) -> torch.Tensor:
    """Return a leaf with these values: a number, a list, or a list of rows.

    Args:
        range: from where to where the playground plots over it.
    """
    return torch.tensor(_floats(values)).requires_grad_()


def _floats(values: Any) -> Any:
    return [*map(_floats, values)] if isinstance(values, list | tuple) else float(values)


def uniform(
    low: float, high: float, like: torch.Tensor | None = None, seed: int = 0
) -> torch.Tensor:
    """Draw from low to high, the very numbers of the playground, as a leaf.

    Args:
        like: gives the shape; one number without it.
        seed: 0 to 2**32 - 1.
    """
    return _leaf(low + (high - low) * unit_draw(seed, () if like is None else like.shape))


def normal(
    mean: float, deviation: float, like: torch.Tensor | None = None, seed: int = 0
) -> torch.Tensor:
    """Draw from a normal distribution; as ``uniform`` else."""
    return _leaf(mean + deviation * as_normal(unit_draw(seed, () if like is None else like.shape)))


def _leaf(drawn: torch.Tensor) -> torch.Tensor:
    return drawn.to(torch.get_default_device(), torch.get_default_dtype()).requires_grad_()


def unit_draw(seed: int, shape: tuple[int, ...]) -> torch.Tensor:
    """Draw from 0 to 1 in float64 on the CPU: the same numbers for a seed on every machine."""
    generator = torch.Generator().manual_seed(2 * seed)
    rows = torch.rand(
        _ROWS, math.prod(shape), dtype=torch.float64, device="cpu", generator=generator
    )
    return rows[0].reshape(shape)


def as_normal(unit: torch.Tensor) -> torch.Tensor:
    """Turn uniform draws into normal ones: one number in, one number out, on every machine."""
    drawn: torch.Tensor = torch.special.ndtri(unit.clamp(min=_SMALLEST_UNIT))
    return drawn


@one_op("step")
def step(x: torch.Tensor) -> torch.Tensor:
    """1 where x > 0, else 0, in x's dtype."""
    return (x > 0).to(x.dtype)


@one_op("onehot_argmax")
def onehot_argmax(x: torch.Tensor) -> torch.Tensor:
    """1 at the largest entry along the last axis (the first of equals), else 0, in x's dtype."""
    place = x.argmax(-1, keepdim=True)
    return torch.zeros_like(x).scatter(-1, place, 1.0)


@one_op("onehot_sample")
def onehot_sample(p: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """1 at a class drawn from probabilities, else 0, in p's dtype and without a gradient.

    Args:
        p: along the last axis, one for each class; weights of any positive sum will do.
        u: uniform from 0 to 1: one number, or a list of as many as p has rows. For a list p, a
            list u draws once for each of its numbers. A class of probability 0 is never drawn.
    """
    # No gradient comes back through a comparison: a graph up to it would be made for nothing.
    with torch.no_grad():
        below = p.cumsum(-1)
        total = below[..., -1:]
        drawn = ((below <= u.unsqueeze(-1) * total) & (below < total)).sum(-1, keepdim=True)
        return (torch.arange(p.shape[-1], device=p.device) == drawn).to(p.dtype)


def clamp(x: torch.Tensor, low: float = -1e30, high: float = 1e30) -> torch.Tensor:
    """``torch.clamp`` with limits that may be left out."""
    return torch.clamp(x, low, high)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """``torch.softmax`` along the last axis."""
    return torch.softmax(x, -1)


def log_softmax(x: torch.Tensor) -> torch.Tensor:
    """``torch.log_softmax`` along the last axis."""
    return torch.log_softmax(x, -1)


def logsumexp(x: torch.Tensor) -> torch.Tensor:
    """``torch.logsumexp`` along the last axis."""
    return torch.logsumexp(x, -1)


def transpose(x: torch.Tensor) -> torch.Tensor:
    """``torch.transpose`` of the last two axes."""
    return torch.transpose(x, -1, -2)


def show(
    output: torch.Tensor,
    over: torch.Tensor,
    intended: torch.Tensor | None = None,
    entry: int = 1,
) -> None:
    """Print the output and the gradient of its sum; in the playground, plot them.

    Args:
        over: the input that the gradient is by.
        intended: a tensor whose gradient is the one wanted, which is printed too.
        entry: which entry of ``over`` the playground moves for its plot, from 1.
    """
    print("value:", output.tolist())
    for name, tensor in (("gradient", output), ("intended gradient", intended)):
        if tensor is not None:
            print(f"{name}:", _gradient(tensor, over))


def _gradient(output: torch.Tensor, over: torch.Tensor) -> Any:
    if not output.requires_grad:
        return None
    (found,) = torch.autograd.grad(output.sum(), over, allow_unused=True, retain_graph=True)
    return None if found is None else found.tolist()
