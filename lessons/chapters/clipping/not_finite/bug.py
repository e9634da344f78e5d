"""torch.where with an untaken branch that overflows: the value is right, its gradient NaN."""

import math

import torch

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import clip_gradient


def smooth_step(a: torch.Tensor) -> torch.Tensor:
    return torch.where(a <= 0, torch.exp(a), 1 + a)


def clipped(a: torch.Tensor) -> torch.Tensor:
    a = clip_gradient(a, -1.0, 1.0)
    return torch.where(a <= 0, torch.exp(a), 1 + a)


def masked(a: torch.Tensor) -> torch.Tensor:
    low = (a <= 0).to(a.dtype)
    return low * torch.exp(a) + (1 - low) * (1 + a)


def guarded(a: torch.Tensor) -> torch.Tensor:
    low = torch.where(a <= 0, a, 0.0)
    return torch.where(a <= 0, torch.exp(low), 1 + a)


def check(code: Code) -> None:
    """Check value and slope on both sides of 0, and far from it too."""
    a = torch.tensor([-1.0, 100.0], requires_grad=True)
    y = code(a)
    (slope,) = torch.autograd.grad(y.sum(), a)
    for what, got, expected in (
        ("value", y.tolist(), [math.exp(-1), 101.0]),
        ("gradient", slope.tolist(), [math.exp(-1), 1.0]),
    ):
        near = all(math.isclose(c, e, rel_tol=1e-5) for c, e in zip(got, expected, strict=True))
        shown = ([round(one, 4) for one in row] for row in (got, expected))
        assert near, f"at −1 and 100 the {what} is {next(shown)}, expected {next(shown)}"


BUG = Bug(
    source="pytorch/pytorch#68425",
    broken=smooth_step,
    fixes={
        "clipped": clipped,
        "masked": masked,
        "replaced": changed(smooth_step, {"torch.exp(a)": "torch.exp(a).nan_to_num(posinf=0.0)"}),
        "guarded": guarded,
    },
    check=check,
    title="`torch.where` produces nan in backward pass for differentiable forward pass",
    opened="2021-11-16",
)
