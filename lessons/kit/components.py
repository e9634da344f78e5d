"""A gradient of a few components as a chart and a table: each role a lane of sticks beside it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lessons.contract.figure import SHORT, Figure, Table
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, axes, cells, fitted, in_words, marked, scatter
from lessons.kit.line_names import named, room

WORDS = Words(__file__)

Labels = Mapping[str, str]
"""The name of each role's series; drawn in this order, side by side."""

NAN = number(math.nan)
MOST_NAMED = 12
"""More components than this are numbered by the axis itself."""
_PHONE, _LETTER = 350.0, 5.0
"""Pixels of the narrowest chart, and of a letter below its axis."""


def sticks(
    result: Result, labels: Labels, names: Sequence[str], y: str, height: float, nan: str = NAN
) -> tuple[list[Trace], Trace]:
    """Data and layout of a chart with one stick a component and role.

    Args:
        result: with a series of each role's name, x the component's number, 1 for the first.
        nan: the word in place of a stick whose number is NaN.
    """
    y_all = np.concatenate([result[role].y for role in labels])
    low, high = fitted([y_all])
    top = max(-low, high)
    high = high if np.isfinite(y_all).all() else max(high, 0.3 * top)
    # The mark at a stick's end is whole on the shorter side too.
    least = 0.08 * (high - low)
    below, above = (least if (side * y_all > 0).any() else 0.0 for side in (-1, 1))
    span = (min(1.15 * low, low - below), max(1.15 * high, high + above))
    layout = axes((0.4, len(names) + 0.6), span, "", y)
    if len(names) <= MOST_NAMED:
        beside = layout["margin"]["l"] + room(labels.values())
        each = (_PHONE - beside) / (len(names) + 0.2)
        every = math.ceil(_LETTER * max(map(len, names)) / each)  # none over the next
        marked(layout["xaxis"], list(range(1, len(names) + 1, every)), list(names[::every]))
    lanes = np.linspace(-0.24, 0.24, len(labels)) if len(labels) > 1 else np.zeros(1)
    data = []
    for lane, (role, label) in zip(lanes, labels.items(), strict=True):
        x, values = result[role].x + lane, result[role].y
        data.append(stems(role, label, x, values))
        heights = np.where(np.isnan(values), 0.0, np.where(values < 0, *span) / 1.15)
        data.append(lost_in_words(role, label, x, values, heights, nan))
    if len(labels) > 1:
        ends = ((role, label, result[role].y) for role, label in labels.items())
        data += named(ends, layout, height)
    return data, layout


def component_figure(
    words: Words,
    name: str,
    result: Result,
    labels: Labels,
    names: Sequence[str],
    *,
    y: str = WORDS("gradient"),
    height: int = SHORT,
    nan: str = NAN,
    **values: Any,
) -> Figure:
    """A chart with one stick a component and role.

    Args:
        words: has the chart's texts, which can name ``numbers``: all of them in words.
        nan: what a NaN stands for, such as None.
        values: what the texts name besides.
    """
    data, layout = sticks(result, labels, names, y, height, nan)
    numbers = in_words(result, labels, names).replace(NAN, nan)
    return words.chart(name, data, layout, height, numbers=numbers, **values)


def component_table(
    result: Result,
    labels: Labels,
    names: Sequence[str],
    caption: str,
    called: str = WORDS("component"),
    digits: int = 5,
) -> Table:
    """One row a component, one column a role; ``called`` is what a component is here."""
    columns = [(called, None), *((label, role) for role, label in labels.items())]
    rows = [(name, *cells(result, labels, place, digits)) for place, name in enumerate(names)]
    return Table(caption, tuple(columns), tuple(rows))


def stems(role: str, label: str, x: Array, y: Array, size: float = 10) -> Trace:
    """Draw a line from 0 to each finite value, with a mark at the value."""
    gap = np.full_like(x, np.nan)
    finite = np.where(np.isfinite(y), y, np.nan)
    return scatter(
        "lines+markers",
        np.stack([x, x, gap], 1).ravel(),
        np.stack([np.where(np.isfinite(y), 0.0, np.nan), finite, gap], 1).ravel(),
        label,
    ) | {
        "line": {"color": f"role:{role}", "width": 3, "simplify": False},
        "marker": {
            "color": f"role:{role}",
            "symbol": ROLES[role].marker,
            "size": [0, size, 0] * len(x),
            "opacity": 1,  # marks of several sizes are see-through otherwise
            "line": {"color": "ink:paper", "width": 1},
        },
        "hovertemplate": f"%{{y:.6g}}<extra>{label}</extra>",
    }


def lost_in_words(
    role: str, label: str, x: Array, y: Array, heights: Array, nan: str = NAN
) -> Trace:
    """NaN and infinities among some values as words, at these heights."""
    lost = ~np.isfinite(y)
    return scatter("text", x[lost], heights[lost], label) | {
        "text": [number(float(value)).replace(NAN, nan) for value in y[lost]],
        "textposition": "top center",
        # Two longer words side by side have room on a phone.
        "textfont": {"color": f"role:{role}", "size": 13 if nan == NAN else 11},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
