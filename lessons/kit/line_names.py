"""Names at the ends of a chart's lines, in their colours, in place of a legend."""

import math
from collections.abc import Iterable

import numpy as np

from lessons.contract.result import Array
from lessons.kit.chart_pieces import Trace

NAMES = {"trick_gradient": "autograd", "intended_gradient": "intended", "true_gradient": "true"}
"""What each gradient is called at the end of its line, from the bottom where all end together."""

_LEAST, _LETTER = 62, 6.2
"""Pixels to the right of a chart for the names of its lines, and for each of their letters."""
_LINE = 16.0
"""Pixels from one name to the next below it."""
_TOGETHER = 4.0
"""Pixels between the ends of two lines that one sees as one."""


def named(
    lines: Iterable[tuple[str, str, Array]], hidden: frozenset[str], layout: Trace, height: float
) -> list[Trace]:
    """The name of each line where it ends, in its colour; none over another.

    Args:
        lines: role, name and numbers of each; it ends with the last finite one.
        hidden: the roles still covered.
        layout: of the chart; gets room for the names on its right.
        height: of the chart in pixels.
    """
    low, high = layout["yaxis"]["range"]
    bottom, top = layout["yaxis"].get("domain", (0.0, 1.0))
    lines = list(lines)
    margin = layout["margin"] = layout["margin"] | {"r": room(name for _, name, _ in lines)}
    tall = (height - margin["t"] - margin["b"]) * (top - bottom)
    ends = {}
    for role, _, y in lines:
        known = y[np.isfinite(y)]
        if role not in hidden and len(known):
            ends[role] = (min(max(float(known[-1]), low), high) - low) / (high - low) * tall
    order = _upwards(ends)
    at = dict(zip(order, apart([ends[role] for role in order], tall), strict=True))
    x = layout["xaxis"]["range"][1]
    # Always in the order given: the browser moves what stands at the same place in the chart.
    return [
        label(role, name, x, low + at.get(role, math.nan) / tall * (high - low), role not in hidden)
        for role, name, _ in lines
    ]


def room(names: Iterable[str]) -> int:
    """Pixels that these names need to the right of a chart."""
    return math.ceil(max([_LEAST, *(_LETTER * (2 + len(name)) for name in names)]))


def label(
    role: str, name: str, x: float, y: float, visible: bool = True, side: str = "middle right"
) -> Trace:
    """A name in its role's colour, beside a place on a chart."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x],
        "y": [y],
        "text": [f"\u00a0{name}\u00a0"],
        "textposition": side,
        "textfont": {"color": f"role:{role}", "size": 12},
        "cliponaxis": False,
        "visible": visible,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _upwards(ends: dict[str, float]) -> list[str]:
    """The roles from the lowest end to the highest.

    Those of lines that end together keep their order, so that no name jumps while one drags.
    """
    together: list[list[str]] = []
    for role in sorted(ends, key=lambda role: ends[role]):
        if together and ends[role] - ends[together[-1][-1]] < _TOGETHER:
            together[-1].append(role)
        else:
            together.append([role])
    given = list(ends)
    return [role for group in together for role in sorted(group, key=given.index)]


def apart(places: list[float], tall: float) -> list[float]:
    """Ascending places, in pixels, moved as little as needed to stand a line apart, from 0 to
    ``tall``.
    """
    groups: list[list[float]] = []  # names that touch stand around the middle of their places
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _ends(groups[-2], tall)[1] + _LINE > _ends(groups[-1], tall)[0]:
            last = groups.pop()
            groups[-1] += last
    starts = [(_ends(group, tall)[0], len(group)) for group in groups]
    # Whole pixels: what moves by less stands still, and costs the browser nothing.
    return [round(start) + _LINE * index for start, count in starts for index in range(count)]


def _ends(group: list[float], tall: float) -> tuple[float, float]:
    """Where the lowest and the highest name of a group stand."""
    high = _LINE * (len(group) - 1)
    low = sum(group) / len(group) - high / 2
    low = max(min(low, tall - _LINE / 2 - high), _LINE / 2)
    return low, low + high
