"""Curves: the output and its gradients while one entry of one input moves over a range.

Every point of a curve, and every draw of the noise, is one run of the same program; all of them
run at once as a batch (`torch.func.vmap`), so a sum, a softmax or a clipped norm stays within its
own run. A point that is not finite is left out of a mean or percentile, and counted.
"""

import itertools
from dataclasses import dataclass

import torch

from lessons.playground.budget import Budget
from lessons.playground.check import Checked, draws
from lessons.playground.execute import forward, gradients
from lessons.playground.limits import CURVE_POINTS, MAX_DRAWS, MAX_SWEEP_ELEMENTS
from lessons.result import Array, Series


@dataclass(frozen=True)
class Curves:
    """What came of it.

    Args:
        series: one for each role; with a band where there is noise.
        draws: how many draws are behind each point, 1 without noise.
    """

    series: tuple[Series, ...]
    draws: int


def sweep(checked: Checked, largest: int, budget: Budget) -> Curves:
    """Compute the curves.

    Args:
        checked: what to run.
        largest: how many numbers the largest tensor of one run holds.
        budget: the time left.

    Raises:
        PlaygroundError: the time is over.
    """
    plot, over = checked.document.plot, checked.over
    x = torch.linspace(plot.low, plot.high, CURVE_POINTS, dtype=torch.float64)
    drawn = [one for one in checked.document.inputs if one.noise is not None]
    room = max(1, MAX_SWEEP_ELEMENTS // (CURVE_POINTS * max(largest, 1)))
    count = min(MAX_DRAWS, room) if drawn else 1

    start = checked.inputs[over.name]
    moved = start.flatten().repeat(CURVE_POINTS, 1)
    moved[:, plot.entry - 1] = x
    batch = {over.name: moved.reshape(CURVE_POINTS, *start.shape).repeat(
        count, *[1] * start.dim())}  # fmt: skip
    for one in drawn:
        rows = torch.stack(list(itertools.islice(draws(checked.document, one), count)))
        batch[one.name] = rows.repeat_interleave(CURVE_POINTS, 0)

    found = {"forward": _values(checked, batch, budget)}
    found["trick_gradient"] = _gradient(checked, batch, budget, plain=False)
    found["true_gradient"] = _gradient(checked, batch, budget, plain=True)
    if checked.document.intended:
        found["intended_gradient"] = _gradient(checked, batch, budget, True, intended=True)
    series = tuple(
        _series(name, x, value.reshape(count, CURVE_POINTS)) for name, value in found.items()
    )
    return Curves(series, count)


def shown(output: torch.Tensor, entry: int, like: torch.Size) -> torch.Tensor:
    """The one number of an output that is plotted: the moved entry's own, else the sum."""
    return output.flatten()[entry - 1] if output.shape == like else output.sum()


def _values(checked: Checked, batch: dict[str, torch.Tensor], budget: Budget) -> torch.Tensor:
    entry, like = checked.document.plot.entry, checked.inputs[checked.over.name].shape

    def one(leaves: dict[str, torch.Tensor]) -> torch.Tensor:
        return shown(forward(checked, leaves, False, budget).output, entry, like)

    return _batched(checked, batch, one).detach()


def _gradient(
    checked: Checked,
    batch: dict[str, torch.Tensor],
    budget: Budget,
    plain: bool,
    intended: bool = False,
) -> torch.Tensor:
    moving = batch[checked.over.name].to(checked.dtype).requires_grad_()

    def one(leaves: dict[str, torch.Tensor]) -> torch.Tensor:
        made = forward(checked, leaves, plain, budget)
        return (made.values[checked.document.intended] if intended else made.output).sum()

    output = _batched(checked, {**batch, checked.over.name: moving}, one)
    (gradient,) = gradients(output, [moving])
    if gradient is None:
        return torch.zeros(len(moving), dtype=torch.float64)
    return gradient.reshape(len(moving), -1)[:, checked.document.plot.entry - 1]


def _batched(checked: Checked, batch: dict[str, torch.Tensor], one: object) -> torch.Tensor:
    leaves = {
        name: batch[name].to(checked.dtype) if name in batch else value.to(checked.dtype)
        for name, value in checked.inputs.items()
    }
    axes = {name: 0 if name in batch else None for name in leaves}
    result: torch.Tensor = torch.func.vmap(one, in_dims=(axes,))(leaves)  # type: ignore[arg-type]
    return result


def _series(role: str, x: torch.Tensor, values: torch.Tensor) -> Series:
    values = values.to(torch.float64)
    places: Array = x.numpy()
    if len(values) == 1:
        return Series(role, role, places, values[0].numpy())
    kept = torch.where(values.isfinite(), values, torch.nan)
    low, high = torch.nanquantile(kept, torch.tensor([0.05, 0.95], dtype=torch.float64), dim=0)
    return Series(role, role, places, kept.nanmean(0).numpy(), low.numpy(), high.numpy())
