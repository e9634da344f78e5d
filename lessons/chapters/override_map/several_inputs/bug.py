"""A rule for an op of two inputs takes the mean over what was broadcast, where a sum belongs."""

import torch

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import gradient_override_map
from lessons.gradient_tricks.tricks.rule import Op


def floor_mod(time: torch.Tensor, period: torch.Tensor) -> torch.Tensor:
    def mod_grad(op: Op, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        x, y = op.inputs
        return upstream, (-(x // y) * upstream).mean()

    with gradient_override_map({"FloorMod": mod_grad}):
        return torch.remainder(time, period)


def none(time: torch.Tensor, period: torch.Tensor) -> torch.Tensor:
    def mod_grad(op: Op, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        return upstream, None

    with gradient_override_map({"FloorMod": mod_grad}):
        return torch.remainder(time, period)


def check(code: Code) -> None:
    """Compare the gradient of one period, shared by many times, with central differences."""
    time, h = torch.tensor([0.5, 3.5, 7.5, 9.5], dtype=torch.float64), 1e-6
    period = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    up, down = (torch.remainder(time, period.detach() + d).sum().item() for d in (h, -h))
    expected = (up - down) / (2 * h)
    (gradient,) = torch.autograd.grad(code(time, period).sum(), period, allow_unused=True)
    got = 0.0 if gradient is None else gradient.item()
    assert abs(got - expected) < 1e-4, (
        f"gradient of the period: got {got:.4g}, expected {expected:.4g}"
    )


BUG = Bug(
    source="philipperemy/tensorflow-phased-lstm#9",
    title="wrong gradient for mod?",
    opened="2018-01-22",
    broken=floor_mod,
    fixes={
        "total": changed(floor_mod, {".mean()": ".sum()"}),
        "each": changed(floor_mod, {"(-(x // y) * upstream).mean()": "-(x // y) * upstream"}),
        "none": none,
    },
    check=check,
)
