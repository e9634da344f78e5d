"""A quantiser with a learned step size: values, and gradients of the step size from each weight."""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import torch

from lessons.kit.gradients import gradient

Program = Callable[..., torch.Tensor]
"""From weights x and the step size s, both of shape [n]: the quantised weights, shape [n]."""

COUNTS = (16, 64, 256, 1024)
"""How many weights share one step size where the size of its gradient is measured."""

DRAWS = 32
"""Random layers over which that is averaged."""


def levels(bits: int) -> tuple[int, int]:
    """The lowest and the highest code.

    >>> levels(3)
    (-4, 3)
    """
    highest = 2 ** (bits - 1) - 1
    return -highest - 1, highest


def gradient_factor(count: int, bits: int) -> float:
    """What LSQ multiplies the step size's gradient by: 1/√(N · highest code)."""
    return 1 / math.sqrt(count * levels(bits)[1])


def formula(x: torch.Tensor, s: torch.Tensor, bits: int, scale: str) -> torch.Tensor:
    """LSQ's gradient of each quantised weight by the step size, as the paper writes it.

    Esser et al., "Learned Step Size Quantization" (ICLR 2020), equation 3: round(v) − v within the
    limits, the limit itself at and beyond them, with v = x / s.

    Args:
        x, s: shape [n].
        bits: of a code.
        scale: ``lsq`` multiplies it by the paper's factor.
    """
    lowest, highest = levels(bits)
    v = x / s
    within = (v > lowest) & (v < highest)
    slope = torch.where(within, v.round() - v, v.clamp(lowest, highest))
    return slope * gradient_factor(x.numel(), bits) if scale == "lsq" else slope


def by_role(
    program: Program, x: torch.Tensor, s: float, settings: Mapping[str, Any]
) -> dict[str, torch.Tensor]:
    """The quantised weights, and what each sends back to the step size; shape [n].

    Args:
        program: the lesson's.
        x: the weights, shape [n], floating point.
        s: the step size, the same for all.
        settings: bits, rounding and scale.

    Returns:
        forward; trick_gradient: by autograd; true_gradient: by autograd where rounding is left as
        it is; intended_gradient: LSQ's formula. Their sums are gradients of the sum of the weights.
    """
    leaf = torch.full_like(x, s).requires_grad_()
    y = program(x, leaf, **settings)
    plain = program(x, leaf, **{**settings, "rounding": "plain", "scale": "none"})
    return {
        "forward": y.detach(),
        "trick_gradient": gradient(y, leaf),
        "true_gradient": gradient(plain, leaf),
        "intended_gradient": formula(x, leaf.detach(), settings["bits"], settings["scale"]),
    }


def total(program: Program, x: torch.Tensor, s: float, settings: Mapping[str, Any]) -> float:
    """The sum of the quantised weights at another step size."""
    with torch.no_grad():
        return float(program(x, torch.full_like(x, s), **settings).double().sum())


def teeth(program: Program, x: float, bits: int, end: float) -> tuple[torch.Tensor, torch.Tensor]:
    """One quantised weight over the step size, from 0 to ``end``, NaN at each jump.

    Between two jumps the code stands still, so both ends of each stretch are enough.

    Returns:
        Step sizes and values, float64, shape [m].
    """
    lowest, highest = levels(bits)
    codes = torch.arange(1, highest + 1 if x >= 0 else -lowest + 1, dtype=torch.float64)
    jumps = (abs(x) / (codes - 0.5)).flip(0)
    jumps = jumps[(jumps > 1e-6 * end) & (jumps < end)]
    starts = torch.cat([torch.tensor([1e-6 * end], dtype=torch.float64), jumps * (1 + 1e-9)])
    ends = torch.cat([jumps * (1 - 1e-9), torch.tensor([end], dtype=torch.float64)])
    s = torch.stack([starts, ends], 1)
    with torch.no_grad():
        flat = s.reshape(-1)
        y = program(torch.full_like(flat, x), flat, bits=bits, rounding="plain", scale="none")
    gap = torch.full((len(s), 1), math.nan, dtype=torch.float64)
    return torch.cat([s, s[:, 1:]], 1).reshape(-1), torch.cat([y.view(-1, 2), gap], 1).reshape(-1)


@lru_cache(maxsize=16)
def relative_steps(program: Program, bits: int) -> dict[str, tuple[float, ...]]:
    """How far one step of descent moves the step size, relative to how far it moves the weights.

    The paper's ratio R: |∂L/∂s| / s over ‖∂L/∂x‖ / ‖x‖, as a root mean square over random layers,
    for each of ``COUNTS`` weights. Weights and upstream gradients are standard normal, and s is
    where the paper starts it, 2 · mean |x| / √highest code.

    Returns:
        ``none`` and ``lsq``: without the paper's factor and with it. NaN where no gradient comes.
    """
    generator = torch.Generator().manual_seed(0)
    found: dict[str, list[float]] = {"none": [], "lsq": []}
    for count in COUNTS:
        x, upstream = torch.randn(
            2, DRAWS, count, dtype=torch.float64, generator=generator
        ).unbind()
        s = 2 * x.abs().mean(1, keepdim=True) / math.sqrt(levels(bits)[1])
        for scale, ratios in found.items():
            ratios.append(_ratio(program, x, s.expand_as(x), upstream, bits, scale))
    return {scale: tuple(ratios) for scale, ratios in found.items()}


def _ratio(
    program: Program,
    x: torch.Tensor,
    s: torch.Tensor,
    upstream: torch.Tensor,
    bits: int,
    scale: str,
) -> float:
    """Of layers of one size, all at once: x, s and upstream have shape [layers, weights]."""
    leaves = [one.clone().requires_grad_() for one in (x, s)]

    def layer(weights: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        return program(weights, step, bits=bits, rounding="straight", scale=scale)

    y = torch.vmap(layer)(*leaves)
    if not y.requires_grad:
        return math.nan
    loss = (y * upstream).sum()
    to_x, to_s = torch.autograd.grad(loss, leaves, materialize_grads=True)
    length = to_x.norm(dim=1) / x.norm(dim=1)
    ratios = to_s.sum(1).abs() / s[:, 0] / length
    return float(ratios.square().mean().sqrt()) if bool(length.all()) else math.nan
