"""The noise lab: what chapter 1's lessons let a learner set, and how it is computed."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import torch

from lessons.chapters.stop_gradient.shared_noise.figures import CHARTS, table
from lessons.chapters.stop_gradient.shared_noise.noisy_root import (
    EXPERIMENT,
    Settings,
    by_role,
    intended,
    noise_at_points,
)
from lessons.chapters.stop_gradient.shared_noise.not_finite_notes import notes
from lessons.chapters.stop_gradient.shared_noise.stats import Spread
from lessons.contract.lab import Lab
from lessons.contract.result import Histogram, Result, Series
from lessons.contract.words import Words
from lessons.kit.experiment import Program, Roles
from lessons.kit.inputs import GRID, array, grid_around, one_for_each, place_of, series_by_role
from lessons.kit.noise import ROWS, unit_draws

WORDS = Words(__file__)

LOW, HIGH = 0.05, 0.95
"""The shares of the draws below a band's two edges."""
DRAWN = ("forward", "trick_gradient", "true_gradient")
"""The roles that another draw of the noise would change."""
PREVIEW_DRAWS = ROWS
CURVE_DRAWS = 20 * ROWS
"""Draws behind a curve at most, some ten thousand: more move the edges of its band by 0.04 % of the
axis. At the learner's own inputs all are computed."""
MOST_NUMBERS = 1_000_000
"""Draws × inputs."""


def check(settings: Settings) -> Mapping[str, str]:
    """Refusals that need more than one value."""
    errors: dict[str, str] = {}
    low, high, x, u = (settings[name] for name in ("noise_low", "noise_high", "x", "u"))
    if low > high:
        errors["noise_low"] = WORDS("noise_ends", low=low, high=high)
    errors |= one_for_each(settings, "u")
    if u is None and settings.draws * len(x) > MOST_NUMBERS:
        errors["draws"] = WORDS(
            "too_many",
            draws=settings.draws,
            inputs=len(x),
            numbers=settings.draws * len(x),
            most=MOST_NUMBERS,
            fewer=MOST_NUMBERS // len(x),
        )
    return errors


def seconds(settings: Settings) -> float:
    """About how long computing takes: for each chunk of draws, and for each number."""
    draws = _total(settings)
    drawn = draws * len(settings.x) + min(draws, CURVE_DRAWS) * GRID
    return 0.005 + 0.00025 * draws / ROWS + 6e-8 * drawn


def preview(settings: Settings) -> Settings:
    """At most one chunk of draws, for while the learner drags."""
    return settings | {"draws": min(settings.draws, PREVIEW_DRAWS)}


def compute(program: Program, settings: Settings) -> Result:
    """Forward values and gradients at the learner's x, and over many draws of the noise.

    Args:
        program: the lesson's forward pass, of x and u.
    """
    start = EXPERIMENT.run(settings)
    x, u = start.leaves["x"].detach(), noise_at_points(settings)
    points = torch.tensor(settings.x, dtype=torch.float64)
    grid = grid_around(points)
    roles = EXPERIMENT.by_role(program, start)

    columns, count = torch.cat([points, grid]), len(points)
    total, done = _total(settings), 0
    at_points = {role: np.empty((total, count)) for role in DRAWN}
    on_grid = {role: np.empty((min(total, CURVE_DRAWS), len(grid))) for role in DRAWN}
    for noise in _noise(settings, count, len(columns)):
        noise = noise.to(x)
        drawn_at = columns[: noise.shape[1]].to(x).expand(len(noise), -1)
        found = by_role(program, drawn_at, noise)
        rows = slice(done, done + len(noise))
        done += len(noise)
        for role in DRAWN:
            drawn = array(found[role])
            at_points[role][rows] = drawn[:, :count]
            if drawn.shape[1] > count:
                on_grid[role][rows] = drawn[:, count:]
    spreads = {role: Spread(draws) for role, draws in at_points.items()}
    along = {role: Spread(draws) for role, draws in on_grid.items()}

    place = place_of(settings)
    return Result(
        series=(
            Series("u", "noise", array(points), array(u)),
            *series_by_role(array(points), roles),
        ),
        statistics=tuple(_summary(role, spread, points) for role, spread in spreads.items()),
        curves=(
            *(_summary(role, spread, grid) for role, spread in along.items()),
            Series(
                "intended_gradient", "intended_gradient", array(grid), array(intended(grid.to(x)))
            ),
        ),
        histograms=_histograms(spreads, place, float(roles["intended_gradient"][place])),
        facts=_facts(u, roles, spreads, place, settings),
        notes=(*notes(points, x, start.leaves["u"], roles, spreads, along),),
        work=WORDS.counted("draws", total),
    )


def _total(settings: Settings) -> int:
    return len(settings.u) if settings.u is not None else settings.draws


def _noise(settings: Settings, points: int, columns: int) -> Iterator[torch.Tensor]:
    """Noise in chunks of rows, one row a draw; points and curves draw from streams of their own.

    Once the curves have had their draws, the columns are those of the points alone. Noise given by
    hand is used as it is: each of its numbers is one draw, for every x alike.
    """
    if settings.u is not None:
        yield torch.tensor(settings.u, dtype=torch.float64)[:, None].expand(-1, columns)
        return
    low, span = settings.noise_low, settings.noise_high - settings.noise_low
    on_grid = unit_draws(settings.seed, 1, columns - points)
    remaining, for_curves = settings.draws, min(settings.draws, CURVE_DRAWS)
    for unit in unit_draws(settings.seed, 0, points):
        if for_curves > 0:
            unit = torch.cat([unit, next(on_grid)], 1)
        yield low + span * unit[:remaining]
        remaining, for_curves = remaining - ROWS, for_curves - ROWS
        if remaining <= 0:
            return


def _summary(role: str, spread: Spread, x: torch.Tensor) -> Series:
    percentiles = (spread.percentile(share) for share in (LOW, HIGH))
    return Series(role, role, array(x), spread.mean, *percentiles)


def _histograms(spreads: dict[str, Spread], place: int, intended: float) -> tuple[Histogram, ...]:
    """The gradient's distribution at one input, with the trick and without, on the same bins."""
    shown = {role: spreads[role] for role in ("trick_gradient", "true_gradient")}
    ends = [end for spread in shown.values() for end in spread.extent(place)] + [intended]
    finite = [end for end in ends if np.isfinite(end)]
    if not finite:
        return ()
    low, high = min(finite), max(finite)
    room = 0.05 * (high - low) or 0.05 * max(abs(high), 1.0)
    # Outward to round numbers, so that the axis stands still while the learner drags.
    step = 10.0 ** math.floor(math.log10(high - low + 2 * room)) / 2
    low, high = math.floor((low - room) / step) * step, math.ceil((high + room) / step) * step
    edges = np.linspace(low, high, 41)
    return tuple(
        Histogram(
            role,
            role,
            edges,
            spread.histogram(place, edges),
            float(spread.mean[place]),
            float(spread.deviation[place]),
        )
        for role, spread in shown.items()
    )


def _facts(
    u: torch.Tensor, roles: Roles, spreads: dict[str, Spread], place: int, settings: Settings
) -> dict[str, float]:
    """The facts for the prose and the predictions, at the input the learner chose."""
    facts: dict[str, float] = {
        "u": float(u[place]),
        "draws": _total(settings),
        "inputs": len(u),
        "root_slope": float(1 / (2 * roles["forward"][place])),
        "square_slope": 2 * settings.x[place],
        "reciprocal": float(1 / roles["true_gradient"][place]),
        "product": float(roles["trick_gradient"][place]) * float(roles["true_gradient"][place]),
    }
    for role, spread in spreads.items():
        facts |= {
            f"{role}_mean": float(spread.mean[place]),
            f"{role}_deviation": float(spread.deviation[place]),
            f"{role}_p05": float(spread.percentile(LOW)[place]),
            f"{role}_p95": float(spread.percentile(HIGH)[place]),
        }
    return facts


def drawn(settings: Settings) -> dict[str, list[float]]:
    """The noise of this draw at each of the learner's x, as in_torch.py has it."""
    return {"u": noise_at_points(settings).tolist()}


LAB = Lab(
    WORDS,
    Settings,
    compute,
    table,
    CHARTS,
    check=check,
    preview=preview,
    preview_note=WORDS("fewer_draws"),
    seconds=seconds,
    start=EXPERIMENT.run,
    sampled_values=drawn,
)
