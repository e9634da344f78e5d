"""Names at the ends of a chart's lines, in their colours, in place of a legend."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from lessons.contract.result import Array, Series
from lessons.contract.roles import ROLES
from lessons.contract.stacking import Stack, stacked
from lessons.contract.words import Words
from lessons.kit.chart_pieces import Trace, annotation, gradient_curves, scatter

WORDS = Words(__file__)

NAMES = {
    "trick_gradient": WORDS("autograd"),
    "intended_gradient": WORDS("intended"),
    "true_gradient": WORDS("true"),
}
"""The name of each gradient at the end of its line, from the bottom where all end together."""

_STROKES = {"dot": "┈┈", "solid": "━━", "dash": "╍╍"}
"""A piece of a line, by its dash."""

_LEFT = 0.15
"""The part of a phone's chart, left of its frame, that a row of names takes up as well."""

_LEAST_WIDTH, _LETTER_WIDTH = 62, 6.2
"""Pixels to the right of a chart for the names of its lines, and for each of their letters."""


def named(lines: Iterable[tuple[str, str, Array]], layout: Trace, height: float) -> list[Trace]:
    """The name of each line where it ends, in its colour; none over another.

    Args:
        lines: role, name and numbers of each; it ends with the last finite one.
        layout: of the chart; gets room for the names on its right.
        height: of the chart in pixels.
    """
    low, high = layout["yaxis"]["range"]
    bottom, top = layout["yaxis"].get("domain", (0.0, 1.0))
    lines = list(lines)
    margin = layout["margin"] = layout["margin"] | {"r": room(name for _, name, _ in lines)}
    tall = (height - margin["t"] - margin["b"]) * (top - bottom)
    x = layout["xaxis"]["range"][1]
    found = []
    # Always in the order given: the browser moves what stands at the same place in the chart.
    for role, name, y in lines:
        known = y[np.isfinite(y)]
        end = min(max(float(known[-1]), low), high) if len(known) else math.nan
        place = Stack((end - low) / (high - low) * tall, tall, low, high)
        found.append(label(role, name, x, end) | ({"stack": place} if len(known) else {}))
    return stacked(found)


def lines(
    curves: Mapping[str, Series], names: Mapping[str, str], layout: Trace, height: float
) -> list[Trace]:
    """The curves of these roles, each with its name at its end.

    Args:
        curves: by role.
        names: by role, from the bottom where curves end together.
        layout, height: as for ``named``.
    """
    ends = ((role, name, curves[role].y) for role, name in names.items())
    shown = {role: curves[role] for role in names}
    return [*gradient_curves(shown), *named(ends, layout, height)]


def names_above(names: Mapping[str, str], layout: Trace) -> None:
    """Write the roles' names in a row above a chart, each after a piece of its line.

    This is for lines that cross or lie on each other: there a name at an end would be lost.

    Args:
        names: by role, from the left.
        layout: of the chart; gets the names, and room for them.
    """
    layout["margin"] = layout["margin"] | {"t": 26}
    letters = np.array([4.0 + len(name) for name in names.values()])
    shares = (letters.cumsum() - letters / 2) / letters.sum()
    places = -_LEFT + (1 + _LEFT) * shares
    layout["annotations"] = [
        annotation(
            float(place),
            1.0,
            f"{_STROKES[ROLES[role].dash]} {name}",
            xref="paper",
            yref="paper",
            xanchor="center",
            yanchor="bottom",
            font={"color": f"role:{role}", "size": 12},
        )
        for place, (role, name) in zip(places, names.items(), strict=True)
    ]


def room(names: Iterable[str]) -> int:
    """Pixels that these names need to the right of a chart."""
    return math.ceil(max([_LEAST_WIDTH, *(_LETTER_WIDTH * (2 + len(name)) for name in names)]))


def label(
    role: str, name: str, x: float, y: float, side: str = "middle right", visible: bool = True
) -> Trace:
    """A name in its role's colour, beside a place on a chart."""
    return scatter("text", [x], [y]) | {
        "text": [f"\u00a0{name}\u00a0"],
        "textposition": side,
        "textfont": {"color": f"role:{role}", "size": 12},
        "cliponaxis": False,
        "visible": visible,
        "hoverinfo": "skip",
        "showlegend": False,
    }
