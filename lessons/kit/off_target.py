"""Gradients over many draws: the result as an area, the target as ticks, and below how far off."""

from collections.abc import Mapping

from lessons.contract.result import Array, Series
from lessons.contract.words import Words
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    axis_title,
    band,
    curve,
    edges,
    fitted,
    round_up,
    span,
    ticks,
)
from lessons.kit.line_names import NAMES, named

WORDS = Words(__file__)

HEIGHT = 370
"""Pixels of both together."""

NOISY = ("trick_gradient", "true_gradient")
"""The gradients that differ from draw to draw."""


def with_strip(
    curves: Mapping[str, Series],
    x: str,
    y: str,
    frame: tuple[float, float],
) -> tuple[list[Trace], Trace]:
    """Data and layout; points at the learner's x come on top of them.

    Args:
        curves: by role; the target among them.
    """
    target = curves["intended_gradient"]
    there = [name for name in NOISY if name in curves]
    off = {name: _off(curves[name], target) for name in there}
    away = round_up(ends_of(off), 0.1 * max(-frame[0], frame[1]))
    layout = axes(span(target), frame, x, y)
    layout["yaxis"] |= {"domain": [0.36, 1.0]}
    layout["yaxis2"] = layout["yaxis"] | {
        "domain": [0.0, 0.24],
        "range": [-1.25 * away, 1.25 * away],  # a line of the grid on each side of 0
        "nticks": 5,
        "title": axis_title(WORDS("off_by")),
    }
    layout["xaxis"] |= {"anchor": "y2"}
    names = ((role, name, curves[role].y) for role, name in NAMES.items() if role in curves)
    data = [
        *over_draws(curves),
        ticks(target),
        *named(names, layout, HEIGHT),
        *(trace | {"yaxis": "y2"} for trace in over_draws(off)),
    ]
    return data, layout


def over_draws(curves: Mapping[str, Series]) -> list[Trace]:
    """The result as an area with its mean; where the true gradient's area ends, dotted on it."""
    found = []
    if "trick_gradient" in curves:
        found += [band(curves["trick_gradient"]), curve(curves["trick_gradient"])]
    if "true_gradient" in curves:
        found.append(edges(curves["true_gradient"]))
    return found


def framed(curves: Mapping[str, Series]) -> tuple[float, float]:
    """A frame for all of them with their bands."""
    return fitted(ends_of(curves), least=1.0)


def ends_of(curves: Mapping[str, Series]) -> list[Array]:
    """All numbers of some curves and of their bands."""
    parts = (part for one in curves.values() for part in (one.y, one.low, one.high))
    return [part for part in parts if part is not None]


def _off(series: Series, target: Series) -> Series:
    """The distances of mean and band from the target."""
    parts = (None if one is None else one - target.y for one in (series.low, series.high))
    return Series(series.name, series.role, series.x, series.y - target.y, *parts)
