"""Pieces of a training's charts: numbers over the steps with their bands, lines, crowds."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from lessons.contract.covering import drawable
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.result import Array, Facts, Series
from lessons.contract.words import Words
from lessons.kit.chart_pieces import Trace, axes, band, curve, scatter
from lessons.kit.line_names import named
from lessons.text import number

WORDS = Words(__file__)

Lines = Mapping[str, tuple[str, str]]
"""The role and the line's name, for each number or for each arm."""

HEIGHT = 400
"""The height of a chart over the steps, in pixels."""


def of(facts: Facts, name: str) -> float:
    """One of a run's facts; NaN where it has none of this name."""
    return float(facts.get(name, math.nan))


def written_out(value: float, digits: int) -> str:
    """So many digits of a number, without a power of ten below a billion.

    >>> written_out(1573.2, 2), written_out(0.01573, 2)
    ('1,600', '0.016')
    """
    if not 1000 <= abs(value) < 1e9:
        return number(value, digits)
    return f"{float(f'{value:.{digits}g}'):,.0f}".replace("-", "−")


def with_ends(facts: Facts, name: str, digits: int = 3) -> str:
    """One of a run's numbers as a cell: mean over the seeds, lowest and highest seed."""
    mean, low, high = (
        written_out(of(facts, name + end), digits) for end in ("", "_lowest", "_highest")
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


def told(
    history: History, lines: Lines, digits: int, written: Callable[[float, int], str] = number
) -> str:
    """The mean at the end of each line, as in ``0.31 as set, 0.4 no stop``."""
    facts = history.facts
    return ", ".join(
        f"{written(of(facts, name), digits)} {called}" for name, (_, called) in lines.items()
    )


def step_chart(
    history: History,
    name: str,
    lines: Lines,
    layout: Trace,
    *,
    title: str,
    subject: str,
    caption: str,
    spoken: str,
    found: str,
    below: Sequence[Trace] = (),
    step: str = WORDS("step"),
) -> Figure:
    """A chart of means over the seeds, step by step.

    Args:
        lines: the numbers to draw; a single line needs no name.
        spoken: what the chart shows, for those who cannot see it.
        found: what it shows so far, said after ``spoken``.
    """
    alt = WORDS("step_alt", spoken=spoken, step=step, done=history.done, found=found)
    data = [*below, *_over_steps(history, lines, layout)]
    return Figure(name, title, caption, alt, data, layout, height=HEIGHT, subject=subject)


def _over_steps(history: History, lines: Lines, layout: Trace) -> list[Trace]:
    """Means over the seeds as lines with their names, 5 to 95 % of the seeds as areas.

    Before the first step, a sentence in the empty frame says how to get them.
    """
    series = series_of(history, lines)
    # A single moment is no line: its mean would not be seen.
    drawn = [*(band(one) for one in series), *(curve(one) for one in series)]
    logarithmic = layout["yaxis"].get("type") == "log"
    if not history.done:
        drawn.append(_untrained(layout, logarithmic))
    if len(series) == 1:
        return drawn
    ends = [(*lines[one.name], one.y) for one in series]
    labels = (named_over_powers if logarithmic else named)(ends, layout, HEIGHT)
    return [
        *drawn,
        *(label | {"visible": label["visible"] and history.done > 0} for label in labels),
    ]


def named_over_powers(
    lines: Iterable[tuple[str, str, Array]], layout: Trace, height: float
) -> list[Trace]:
    """Name the lines where they end, as ``named`` does, over an axis of powers of ten."""
    powers = [(role, called, np.log10(np.where(y > 0, y, np.nan))) for role, called, y in lines]
    labels = named(powers, layout, height)
    return [drawable(label) | {"y": [10.0 ** label["y"][0]]} for label in labels]


def _untrained(layout: Trace, logarithmic: bool) -> Trace:
    """What stands in the middle of a chart while it has no lines."""
    x, y = (sum(layout[axis]["range"]) / 2 for axis in ("xaxis", "yaxis"))
    return scatter("text", [x], [10.0**y if logarithmic else y]) | {
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


def reach(values: Array, least: float) -> float:
    """A round number beyond which no finite value lies: one of 1, 2, 4, 8 times ``least``…

    Few different ones, so that an axis seldom jumps while the points move.
    """
    size = float(np.nanmax(np.abs(values), initial=0.0)) if np.isfinite(values).any() else 0.0
    if size <= least:
        return least
    return least * 2.0 ** math.ceil(math.log2(min(size, 1e300) / least))
