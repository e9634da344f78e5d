"""The charts and the table of the unrolled state."""

import re

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result, Series
from lessons.contract.roles import ROLES
from lessons.kit.chart_pieces import Trace, along_x, axes, cells, curve, fitted, span, spoken
from lessons.kit.components import MOST_NAMED
from lessons.kit.findings import brief, of_gradient, titled
from lessons.kit.line_names import named
from lessons.text import number

HEIGHT = 250

CHEAP = 0.05
"""The share of the whole gradient up to which a difference is called small."""

NAMES = {"true_gradient": "all steps", "trick_gradient": "with stops"}
"""What each gradient is called here; drawn in this order."""


def figures(result: Result, values: Values) -> list[Figure]:
    """What each step back contributes, and the gradient over w."""
    return [_parts(result), _over_w(result)]


def table(result: Result, values: Values) -> Table:
    """One row a weight: the last state and its gradient with stops and without."""
    labels = {"forward": "last h", **dict(reversed(NAMES.items()))}
    rows = [
        (number(float(w)), *cells(result, labels, place, 5))
        for place, w in enumerate(result["forward"].x)
    ]
    columns = [("w", None), *((label, result[role].role) for role, label in labels.items())]
    return Table("The last state h and its gradient by w", tuple(columns), tuple(rows))


def _parts(result: Result) -> Figure:
    curves = {one.role: one for one in result.curves if one.name.startswith("parts")}
    facts = result.facts
    steps, kept, reached = (int(facts[name]) for name in ("steps", "kept", "reached"))
    cut, full = (float(facts[role]) for role in ("trick_gradient", "true_gradient"))
    low, high = fitted([one.y for one in curves.values()])
    layout = axes((0.4, steps + 0.6), (low, 1.1 * high), "steps back from the last h", "adds")
    if steps <= MOST_NAMED:
        layout["xaxis"] |= {"tickmode": "array", "tickvals": list(range(1, steps + 1))}
    drawn = [
        _last_stop(kept, steps, (low, 1.1 * high)),
        _crowns(curves["true_gradient"].x, curves["true_gradient"].y),
        _stems(curves["trick_gradient"].x, curves["trick_gradient"].y),
    ]
    ends = ((role, name, curves[role].y) for role, name in NAMES.items())
    found = f"{reached} of {steps} steps reach w: {brief(cut)} of {brief(full)}"
    each = ", ".join(number(float(one), 3) for one in curves["true_gradient"].y[:4])
    words = f"The last steps add {each}; all {steps} steps {number(full, 4)}."
    words += f" With stops {reached} of them reach w: {number(cut, 4)}."
    return Figure(
        "parts",
        found,
        f"At w = {number(float(facts['w']), 3)}. Squares: with no stop. Diamonds: with stops, on "
        "the axis where nothing gets through.",
        words,
        [*drawn, *named(ends, layout, HEIGHT)],
        layout,
        height=HEIGHT,
        subject="How much each step back adds to dh/dw",
    )


def _over_w(result: Result) -> Figure:
    curves = {one.name: one for one in result.curves}
    shown = [curves[role] for role in NAMES]
    low, high = span(shown[0])
    beside = 0.045 * (high - low)  # room for half a mark
    ends = (max(low - beside, -8e307), min(high + beside, 8e307))  # Plotly needs their distance
    layout = axes(ends, fitted([one.y for one in shown]), "weight w", "dh/dw")
    true, trick = (curves[role] for role in NAMES)
    title = titled("dh/dw", of_gradient(trick, true, None, "w"), "the gradient")
    if re.search(" (reaches|differs) ", title):
        title = _cheap(trick, true) or title
    drawn = [curve(curves[role], exact=True) for role in NAMES]
    drawn += [along_w(result, role) for role in NAMES]
    lines = ((role, name, curves[role].y) for role, name in NAMES.items())
    return Figure(
        "gradient",
        title,
        "Where the two lines lie on each other, the stops lose nothing. Drag a point along w.",
        "The gradient at each w. " + spoken(result, ["forward", *NAMES]),
        [*drawn, *named(lines, layout, HEIGHT)],
        layout,
        height=HEIGHT,
        selects="point",
        subject="dh/dw, the gradient",
    )


def _cheap(trick: Series, true: Series) -> str:
    """Up to which size of w the stops cost little; nothing where they cost more near 0."""
    sizes = np.abs(true.x)
    dear = ~(np.abs(trick.y - true.y) <= CHEAP * np.abs(true.y))  # NaN counts as dear
    least = f"The stops cost under {100 * CHEAP:.0f} %"
    if not dear.any():
        return f"{least} at each w shown"
    cheap = sizes[sizes < sizes[dear].min()]
    return f"{least} up to |w| = {brief(float(cheap.max()))}" if cheap.any() else ""


def along_w(result: Result, role: str) -> Trace:
    """The learner's weights on a curve, each dragged along w."""
    trace = along_x(result[role])
    sets = {"part": "points", "sets": {"w": "x"}}
    said = f"w = %{{x}}<br>%{{y:.6g}}<extra>{NAMES[role]}</extra>"
    return trace | {"meta": sets, "hovertemplate": said}


def _stems(x: Array, y: Array) -> Trace:
    """From 0 to each contribution, a diamond at its end; those of exactly 0 lie on the axis."""
    gap = np.full_like(x, np.nan)
    size = _size(len(x))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": NAMES["trick_gradient"],
        "x": np.stack([x, x, gap], 1).ravel(),
        "y": np.stack([np.zeros_like(y), y, gap], 1).ravel(),
        "line": {"color": "role:trick_gradient", "width": 3, "simplify": False},
        "marker": {
            "color": "role:trick_gradient",
            "symbol": ROLES["trick_gradient"].marker,
            "size": [0, size, 0] * len(x),
            "opacity": 1,
            "line": {"color": "ink:paper", "width": 1},
        },
        "hovertemplate": f"%{{x}} back: %{{y:.5g}}<extra>{NAMES['trick_gradient']}</extra>",
    }


def _crowns(x: Array, y: Array) -> Trace:
    """What each step adds with no stop, an open square around the diamonds."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": NAMES["true_gradient"],
        "x": x,
        "y": y,
        "marker": {
            "color": "role:true_gradient",
            "symbol": "square-open",
            "size": 1.5 * _size(len(x)),
            "line": {"color": "role:true_gradient", "width": 2},
        },
        "hovertemplate": f"%{{x}} back: %{{y:.5g}}<extra>{NAMES['true_gradient']}</extra>",
    }


def _size(count: int) -> float:
    return 9.0 if count <= 20 else 6.0


def _last_stop(kept: int, steps: int, ends: tuple[float, float]) -> Trace:
    """Where the stop nearest to the last state lies; nothing where there is none."""
    there = kept < steps
    return {
        "type": "scatter",
        "mode": "lines+text",
        "name": "last stop",
        "x": [kept + 0.5, kept + 0.5],
        "y": list(ends),
        "text": ["", "\u00a0last stop"],
        "textposition": "bottom right",
        "textfont": {"color": "ink:muted", "size": 12},
        "line": {"color": "ink:axis", "width": 1.5, "dash": "dash"},
        "visible": there,
        "hoverinfo": "skip",
    }
