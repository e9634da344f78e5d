"""Pieces of a training's charts: numbers over the steps with their bands, lines, crowds."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lessons.contract.covering import drawable
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.history import History, mean_and_band
from lessons.contract.result import Array, Facts, Series
from lessons.contract.words import Words
from lessons.kit.chart_pieces import Trace, axes, band, curve, scatter
from lessons.kit.line_names import named
from lessons.kit.titles import brief

WORDS = Words(__file__)

Lines = Mapping[str, tuple[str, str]]
"""The role and the line's name, for each number or for each arm."""


def fact_or_nan(facts: Facts, name: str) -> float:
    """One of a run's facts; NaN where it has none of this name."""
    return float(facts.get(name, math.nan))


def with_ends(facts: Facts, name: str, digits: int = 3) -> str:
    """One of a run's numbers as a cell: mean over the seeds, lowest and highest seed."""
    mean, low, high = (
        brief(fact_or_nan(facts, name + end), digits=digits) for end in ("", "_lowest", "_highest")
    )
    return WORDS("with_ends", mean=mean, low=low, high=high)


def arms_table(
    history: History,
    measures: Mapping[str, str],
    arms: Lines,
    digits: int = 3,
    *,
    what: str = "",
    called: str = WORDS("measure"),
) -> Table:
    """A table with a row for each measure and a column for each arm.

    A cell has the mean over the seeds, and the lowest and the highest seed.

    Args:
        history: with a number for each arm and measure, ``trick_loss`` say.
        measures: the name of each measure's row.
        what: the start of the caption; it says after which step if nothing is given.
    """
    rows = tuple(
        (name, *(with_ends(history.facts, f"{arm}_{measure}", digits) for arm in arms))
        for measure, name in measures.items()
    )
    columns = ((called, None), *((name, role) for role, name in arms.values()))
    what = what or WORDS("after_step", done=history.done)
    return Table(WORDS("arms_table", what=what), columns, rows)


def lines_of(arms: Lines, what: str) -> Lines:
    """One measure of each arm, as lines over the steps."""
    return {f"{arm}_{what}": look for arm, look in arms.items()}


def series_of(history: History, lines: Lines) -> list[Series]:
    """Each line with its band."""
    return [history.series(name, role) for name, (role, _) in lines.items()]


def final_means(history: History, lines: Lines, digits: int) -> str:
    """The mean at the end of each line, as in ``0.31 as set, 0.4 no stop``."""
    facts = history.facts
    return ", ".join(
        f"{brief(fact_or_nan(facts, name), digits=digits)} {called}"
        for name, (_, called) in lines.items()
    )


def step_chart(
    words: Words,
    name: str,
    history: History,
    lines: Lines,
    layout: Trace,
    *,
    below: Sequence[Trace] = (),
    **values: Any,
) -> Figure:
    """A chart of means over the seeds, step by step.

    Args:
        words: has the chart's texts, which can name ``done`` and, as ``found``, the final means.
        lines: the numbers to draw.
        values: what the texts name besides.
    """
    values = {"done": history.done, "found": final_means(history, lines, 2)} | values
    drawn = banded(series_of(history, lines), [called for _, called in lines.values()], layout)
    if not history.done:  # a sentence in the empty frame says how to get the lines
        drawn = [*(trace | {"visible": False} for trace in drawn), _untrained(layout)]
    return words.chart(name, [*below, *drawn], layout, HIGHEST, **values)


def banded(series: Sequence[Series], names: Iterable[str], layout: Trace) -> list[Trace]:
    """Areas, lines, and the names at the lines' ends; the layout gets room for these."""
    ends = [(one.role, called, one.y) for one, called in zip(series, names, strict=True)]
    if _logarithmic(layout):
        ends = [(role, name, np.log10(np.where(y > 0, y, np.nan))) for role, name, y in ends]
    labels = named(ends, layout, HIGHEST)
    if _logarithmic(layout):
        labels = [drawable(label) | {"y": [10.0 ** label["y"][0]]} for label in labels]
    return [*map(band, series), *map(curve, series), *labels]


def over_seeds(x: Array, seeds: Iterable[Array], role: str) -> Series:
    """The mean and the 5 to 95 % of the seeds at each x; only finite numbers count."""
    y, low, high = np.array([mean_and_band(one) for one in seeds]).T
    return Series(role, role, x, y, low, high)


def _logarithmic(layout: Trace) -> bool:
    return bool(layout["yaxis"].get("type") == "log")


def _untrained(layout: Trace) -> Trace:
    """Write into the middle of a chart without lines that nothing is trained yet."""
    x, y = (sum(layout[axis]["range"]) / 2 for axis in ("xaxis", "yaxis"))
    return scatter("text", [x], [10.0**y if _logarithmic(layout) else y]) | {
        "text": [WORDS("not_trained")],
        "textfont": {"color": "ink:muted", "size": 15},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def step_axes(
    history: History, y: tuple[float, float], y_title: str, step: str = WORDS("step")
) -> Trace:
    """All steps from left to right, so that the lines grow into a frame that stands still."""
    return axes((0.0, float(history.total)), y, step, y_title)


def logarithmic(layout: Trace, every: int = 1) -> Trace:
    """The layout with a mark at every so many powers of ten upwards; its range is in powers."""
    ticks = {"type": "log", "dtick": every, "tickformat": "~g"}
    return layout | {"yaxis": layout["yaxis"] | ticks}


def powers_axes(history: History, lines: Lines, y_title: str, lowest: int) -> Trace:
    """As ``step_axes``, with whole powers of ten around the lines; none below ``lowest``."""
    bands = series_of(history, lines)
    least, most = powers_of_ten(end for one in bands for end in (one.low, one.high))
    high = max(math.ceil(most), lowest + 1)
    low = min(max(math.floor(least), lowest), high - 1)
    layout = step_axes(history, (low, high), y_title)
    layout = logarithmic(layout, max(1, math.ceil((high - low) / 6)))
    if high - low > 6:
        layout["yaxis"] |= {"tickformat": ".0e"}
    return layout


def powers_of_ten(parts: Iterable[Array | None]) -> tuple[float, float]:
    """The lowest and the highest power among the numbers above 0; −1 and 0 where none is."""
    seen = np.concatenate([part for part in parts if part is not None])
    known = seen[np.isfinite(seen) & (seen > 0)]
    low, high = np.log10([known.min(), known.max()]) if len(known) else (-1.0, 0.0)
    return float(low), float(high)


def line(name: str, x: Array, y: Array, colour: str, dash: str, width: float = 2.5) -> Trace:
    """A boundary, NaN between its parts."""
    return scatter("lines", x, y, name) | {
        "line": {"color": colour, "dash": dash, "width": width, "simplify": False},
        "hovertemplate": name + "<extra></extra>",
        "showlegend": False,
    }


def crowd(name: str, x: Array, y: Array, colour: str, symbol: str, size: float = 5) -> Trace:
    """Many small points of one kind."""
    return scatter("markers", x, y, name) | {
        "marker": {"color": colour, "symbol": symbol, "size": size, "line": {"width": 0.8}},
        "hovertemplate": name + "<extra></extra>",
        "showlegend": False,
    }
