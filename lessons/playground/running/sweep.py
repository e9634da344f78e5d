"""Curves: the output and its gradients while one entry of one input moves over a range.

Every point of a curve, and every draw of the noise, is one run of the same program; as many as
have room (budget.py) run at once as a batch (`torch.func.vmap`), so a sum, a softmax or a clipped
norm stays within its own run. A point that is not finite is left out of a mean or percentile, and
counted. Where a curve may jump it is run again between its points, and broken where the jump is.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from lessons.contract.result import Array, Series
from lessons.playground.document.check import Checked, draws
from lessons.playground.language.limits import MAX_DRAWS
from lessons.playground.running.budget import Budget, Plan
from lessons.playground.running.execute import forward, gradients


def sweep(
    checked: Checked,
    room: Plan,
    budget: Budget,
    plain: Sequence[Series] = (),
    drawn: dict[str, Array] | None = None,
) -> tuple[Series, ...]:
    """Compute a curve for each role, with a band where there is noise.

    Args:
        plain: the curves of the same program without its tricks, if they are known.
        drawn: filled, if given, with the numbers of ``MAX_DRAWS`` draws at the learner's own
            entry, or of the one run if there is no noise: by role.

    Raises:
        PlaygroundError: the time is over.
    """
    document, count = checked.document, room.draws if drawn is None else MAX_DRAWS
    noise = {one.name: draws(document, one.noise, count) for one in document.inputs if one.noise}
    x = grid(checked.over.low, checked.over.high, room.points)
    series = _swept(checked, x, noise, room, budget, not plain, drawn)
    between = _between(x.numpy(), _steep(series))
    if len(between):
        finer = _swept(checked, torch.from_numpy(between), noise, room, budget, not plain)
        series = [_broken(curve, more) for curve, more in zip(series, finer, strict=True)]
    return (*series, *plain)


def grid(low: float, high: float, count: int) -> torch.Tensor:
    """The places of a curve, float64; one that is 0 but for rounding is 0, where much happens.

    >>> float(grid(-0.3, 0.9, 121).abs().min())
    0.0
    """
    step = (high - low) / (count - 1)
    x = low + step * torch.arange(count, dtype=torch.float64)
    x[-1] = high
    return torch.where(x.abs() < 1e-9 * step, 0.0, x)


def _swept(
    checked: Checked,
    x: torch.Tensor,
    noise: Mapping[str, torch.Tensor],
    room: Plan,
    budget: Budget,
    plain: bool,
    drawn: dict[str, Array] | None = None,
) -> list[Series]:
    """The series over these places; so many runs at a time, whose graph goes before the next."""
    total = room.draws * len(x)
    places, draws = x.repeat(room.draws), torch.arange(room.draws).repeat_interleave(len(x))
    if drawn is not None:
        own = checked.inputs[checked.over.name].flatten()[checked.document.entry - 1]
        count = MAX_DRAWS if noise else 1
        draws = torch.cat([draws, torch.arange(count)])
        places = torch.cat([places, own.expand(count)])
    found: dict[str, list[torch.Tensor]] = {}
    for first in range(0, len(places), room.at_once):
        which = slice(first, first + room.at_once)
        batch = _batch(checked, places[which], draws[which], noise)
        for role, value in _runs(checked, batch, budget, plain).items():
            found.setdefault(role, []).append(value)
    numbers = {role: torch.cat(parts) for role, parts in found.items()}
    if drawn is not None:
        drawn |= {role: one[total:].numpy() for role, one in numbers.items()}
    curves = torch.stack([one[:total] for one in numbers.values()])
    return curves_of([*numbers], x, curves.reshape(len(numbers), room.draws, len(x)))


def _batch(
    checked: Checked, places: torch.Tensor, draws: torch.Tensor, noise: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The inputs that are not the same in all runs: for each run, a place and a draw."""
    over = checked.over
    start = checked.inputs[over.name]
    moved = start.flatten().repeat(len(places), 1)
    moved[:, checked.document.entry - 1] = places
    drawn = {name: rows.index_select(0, draws) for name, rows in noise.items()}
    return {over.name: moved.reshape(len(places), *start.shape), **drawn}


def _runs(
    checked: Checked, batch: dict[str, torch.Tensor], budget: Budget, plain: bool
) -> dict[str, torch.Tensor]:
    """Value and gradient of each run by role, on the CPU; with ``plain`` those without tricks.

    All runs together have one sum: each run's inputs are in no other term of it. Of the value and
    of the gradient these are the plotted parts.
    """
    over, entry = checked.over.name, checked.document.entry - 1
    to = checked.device, checked.dtype
    same = {name: one.to(*to) for name, one in checked.inputs.items()}
    batch = {name: one.to(*to) for name, one in batch.items()}
    moving = batch[over].requires_grad_()
    passes = [{"trick_gradient": checked.output}]
    if plain:
        passes.append({"true_gradient": checked.output})
        if checked.document.intended:
            passes[1]["intended_gradient"] = checked.document.intended

    def single_run(without_tricks: int, *leaves: torch.Tensor) -> tuple[torch.Tensor, ...]:
        inputs = same | dict(zip(batch, leaves, strict=True))
        values = forward(checked, inputs, bool(without_tricks), budget).values
        return tuple(values[name] for name in passes[without_tricks].values())

    found: dict[str, torch.Tensor] = {}
    for place, wanted in enumerate(passes):
        runs = torch.func.vmap(partial(single_run, place))(*batch.values())
        for role, whole in zip(wanted, runs, strict=True):
            (gradient,) = gradients(whole, [moving], keep=len(wanted) > 1)
            if not found:  # of another shape, its sum is plotted
                rows = whole.detach().reshape(len(moving), -1)
                found["forward"] = rows[:, entry] if whole.shape == moving.shape else rows.sum(1)
            found[role] = torch.full((len(moving),), torch.nan)  # NaN is not drawn
            if gradient is not None:
                found[role] = gradient.reshape(len(moving), -1)[:, entry]
    return {role: one.to("cpu", torch.float64) for role, one in found.items()}


def curves_of(roles: Sequence[str], x: torch.Tensor, values: torch.Tensor) -> list[Series]:
    """The curves of these roles, from their numbers, float64, shape [roles, draws, places]."""
    places: Array = x.numpy()
    parts: Sequence[torch.Tensor] = [values[:, 0]]
    if values.shape[1] > 1:
        # Numpy looks at them several times as fast.
        finite = torch.from_numpy(np.isfinite(values.numpy()))
        mean = values.mean(1)
        if not finite.all():
            values = torch.where(finite, values, torch.nan)
            mean = values.nanmean(1)
        # It sorts five times as fast, too, but puts −0 and 0 in any order.
        numbers: Array = values.numpy()
        any_negative_zero = (np.signbit(numbers) & (numbers == 0)).any()
        ordered = (
            values.sort(1).values if any_negative_zero else torch.from_numpy(np.sort(numbers, 1))
        )
        last = (finite.sum(1, keepdim=True) - 1).clamp(min=0).to(torch.float64)
        parts = mean, _percentile(ordered, 0.05 * last), _percentile(ordered, 0.95 * last)
    rows = zip(*(part.numpy() for part in parts), strict=True)
    return [Series(role, role, places, *row) for role, row in zip(roles, rows, strict=True)]


def _percentile(ordered: torch.Tensor, rank: torch.Tensor) -> torch.Tensor:
    """The number at a rank between two of the draws, as torch.nanquantile gives it."""
    below, above = (ordered.gather(1, one.long()) for one in (rank, rank.ceil()))
    return torch.lerp(below, above, rank - rank.floor())[:, 0]


def _steep(series: list[Series]) -> NDArray[np.int64]:
    """The steps between two points, by number, in which some curve moves as it does nowhere near.

    A jump may end on a point, as that of sign does on 0: then it is two steps side by side.
    """
    y = np.stack([curve.y for curve in series])
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.abs(np.diff(y))
    steps = moved.shape[1]
    wide = moved[:, np.clip(np.arange(-2, steps + 2), 0, steps - 1)]
    near, next_but_one = (
        np.maximum(wide[:, 2 - by :][:, :steps], wide[:, 2 + by :][:, :steps]) for by in (1, 2)
    )
    near[:, [0, -1]] = moved[:, [1, -2]]
    next_but_one[:, [0, 1, -2, -1]] = moved[:, [2, 3, -4, -3]]
    largest = np.abs(np.where(np.isfinite(y), y, 0.0)).max(1, keepdims=True)
    with np.errstate(over="ignore"):
        steep = (moved > 1e-6 * largest) & ((moved > 4 * near) | (moved > 4 * next_but_one))
    return np.flatnonzero(steep.any(0))


def _between(x: Array, steps: NDArray[np.int64]) -> Array:
    """Places within these steps, as many for each as half a run of the same size has room for."""
    if not len(steps):
        return np.empty(0)
    inner = min(max((len(x) - 1) // (2 * len(steps)), 1), 10)
    parts = np.arange(1, inner + 1) / (inner + 1)
    left, right = x[steps, None], x[steps + 1, None]
    return np.ravel(left + (right - left) * parts)


def _broken(curve: Series, finer: Series) -> Series:
    """The curve with a gap wherever nearly all of a step's way is made at one place within it.

    Of the finer run only the points on both sides of a gap are kept.
    """
    order = np.argsort(np.concatenate([curve.x, finer.x]), kind="stable")

    def merged(coarse: Array, fine: Array) -> Array:
        return np.concatenate([coarse, fine])[order]

    x, y = merged(curve.x, finer.x), merged(curve.y, finer.y)
    middle = (x[1:] + x[:-1]) / 2
    step = np.clip(np.searchsorted(curve.x, middle) - 1, 0, len(curve.x) - 2)
    with np.errstate(over="ignore", invalid="ignore"):
        way, part = np.abs(np.diff(curve.y))[step], np.abs(np.diff(y))
    split = np.bincount(step, minlength=len(curve.x))[step] > 1
    gaps = np.flatnonzero(split & (way > 0) & (part >= 0.8 * way))
    kept = np.union1d(np.flatnonzero(order < len(curve.x)), np.union1d(gaps, gaps + 1))
    inserted = np.searchsorted(kept, gaps) + 1

    def gapped(numbers: Array, gap: float | Array = np.nan) -> Array:
        return np.insert(numbers[kept], inserted, gap)

    if curve.low is None or curve.high is None or finer.low is None or finer.high is None:
        return Series(curve.name, curve.role, gapped(x, middle[gaps]), gapped(y))
    low, high = merged(curve.low, finer.low), merged(curve.high, finer.high)
    return Series(
        curve.name, curve.role, gapped(x, middle[gaps]), gapped(y), gapped(low), gapped(high)
    )
