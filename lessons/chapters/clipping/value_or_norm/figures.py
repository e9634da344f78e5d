"""The vector lab's charts and table."""

import math

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.kit.chart_pieces import Trace, axes, cells, curve, round_up
from lessons.text import number

# Each role's name here, and how its facts are called; drawn in this order, the trick on top.
NAMES = {
    "true_gradient": ("before clipping", "before"),
    "intended_gradient": ("by norm", "norm"),
    "trick_gradient": ("by value", "value"),
}

REACH = 4.25
"""How far the arrows' axes go at least: within the sliders' span nothing jumps."""

HEIGHT = 345
"""Pixels: the arrows get a square."""


def figures(result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
    """The arrows, and how direction and length depend on the gradient's own direction."""
    return [_arrows(result, hidden), _angles(result, hidden), _lengths(result, hidden)]


def table(result: Result, values: Values, hidden: frozenset[str]) -> Table:
    """Components, length and angle of the value and of each vector."""
    columns = [("measure", None), ("value w", "forward")]
    columns += [(name, role) for role, (name, _) in NAMES.items()]
    rows = [
        (
            f"component {index + 1}",
            number(float(result["forward"].y[index]), 5),
            *cells(result, NAMES, index, hidden, 5),
        )
        for index in (0, 1)
    ]
    for label, fact, unit in (("length", "length", ""), ("angle", "angle", "°")):
        measured = (
            "?" if role in hidden else number(float(result.facts[f"{fact}_{name}"]), 5) + unit
            for role, (_, name) in NAMES.items()
        )
        rows.append((label, "", *measured))
    return Table(
        "The value, and the gradient before and after clipping", tuple(columns), tuple(rows)
    )


def _arrows(result: Result, hidden: frozenset[str]) -> Figure:
    limit = float(result.facts["limit"])
    reach = max(REACH, round_up([result["true_gradient"].y], least=REACH / 2))
    layout = axes((-reach, reach), (-reach, reach), "first component", "second component")
    layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    around = np.linspace(0.0, 2 * math.pi, 121)
    square = np.array([-limit, limit, limit, -limit, -limit])
    data = [
        _outline(square, np.array([-limit, -limit, limit, limit, -limit]), "each component"),
        _outline(limit * np.cos(around), limit * np.sin(around), "length"),
        *(_arrow(result, role, role not in hidden) for role in NAMES),
    ]
    return Figure(
        "arrows",
        "The gradient, and what clipping leaves of it",
        "Solid: by value. Dashed: by norm. Dotted: before, and the value w is its tip. Square: "
        "what by value allows. Circle: what by norm allows.",
        "Three arrows from the origin. " + _said(result, hidden),
        data,
        layout,
        height=HEIGHT,
    )


def _angles(result: Result, hidden: frozenset[str]) -> Figure:
    layout = axes((0.0, 360.0), (-15.0, 375.0), "angle of the gradient, °", "after, °")
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"tickmode": "array", "tickvals": [0, 90, 180, 270, 360]}
    return Figure(
        "angle",
        "Direction after clipping",
        "A gradient of this length in every direction. On the diagonal: direction kept.",
        "Angle after clipping over the angle before. " + _said(result, hidden),
        [*_over(result, "", hidden), *_here(result, "angle", hidden)],
        layout,
        height=HEIGHT,
    )


def _lengths(result: Result, hidden: frozenset[str]) -> Figure:
    curves = [series.y for series in result.curves if series.name.endswith("_length")]
    top = round_up(curves, least=1e-300)
    layout = axes((0.0, 360.0), (-0.05 * top, top), "angle of the gradient, °", "length")
    layout["xaxis"] |= {"tickmode": "array", "tickvals": [0, 90, 180, 270, 360]}
    return Figure(
        "length",
        "Length after clipping",
        f"The limit is {number(float(result.facts['limit']), 4)}. By norm no gradient is longer.",
        "Length after clipping over the angle before. " + _said(result, hidden),
        [*_over(result, "_length", hidden), *_here(result, "length", hidden)],
        layout,
        wide=True,
        height=220,
    )


def _arrow(result: Result, role: str, visible: bool) -> Trace:
    """A line from the origin with a head at its end and its name beside it."""
    look, (name, fact) = ROLES[role], NAMES[role]
    x, y = (float(component) for component in result[role].y)
    length, degrees = (number(float(result.facts[f"{f}_{fact}"]), 4) for f in ("length", "angle"))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [0.0, x],
        "y": [0.0, y],
        "line": {
            "color": f"role:{role}",
            "dash": look.dash,
            "width": 4 if role == "trick_gradient" else 3,
        },
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, 14],
            "opacity": 1,
            "color": f"role:{role}",
            "line": {"width": 0},
        },
        "visible": visible,
        "hovertemplate": f"%{{x:.4g}}, %{{y:.4g}}<br>length {length}, {degrees}°"
        f"<extra>{name}</extra>",
    }


def _outline(x: Array, y: Array, name: str) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": "ink:axis", "width": 1},
        "hoverinfo": "skip",
    }


def _over(result: Result, what: str, hidden: frozenset[str]) -> list[Trace]:
    """The curves over all directions; the trick's lies broad below, so that all three are seen."""
    curves = {series.name: series for series in result.curves}
    drawn = []
    for role in reversed(NAMES):
        width = 5.0 if role == "trick_gradient" else 2.5
        trace = curve(curves[role + what], role not in hidden, width, exact=True)
        drawn.append(trace | {"name": NAMES[role][0]})
    return drawn


def _here(result: Result, fact: str, hidden: frozenset[str]) -> list[Trace]:
    """The learner's own gradient on the curves."""
    before = float(result.facts["angle_before"])
    drawn = []
    for role, (name, called) in NAMES.items():
        value = float(result.facts[f"{fact}_{called}"])
        if fact == "angle":  # on the same turn of the circle as the angle before
            value = before % 360 + (value - before + 180) % 360 - 180
        drawn.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [before % 360],
                "y": [value],
                "marker": {
                    "color": f"role:{role}",
                    "symbol": ROLES[role].marker,
                    "size": 10,
                    "line": {"color": "ink:paper", "width": 1.5},
                },
                "visible": role not in hidden,
                "hovertemplate": f"%{{x:.4g}}°: %{{y:.5g}}<extra>{name}</extra>",
            }
        )
    return drawn


def _said(result: Result, hidden: frozenset[str]) -> str:
    parts = [
        f"{name}: length {number(float(result.facts[f'length_{fact}']), 4)}, "
        f"angle {number(float(result.facts[f'angle_{fact}']), 4)}°"
        for role, (name, fact) in NAMES.items()
        if role not in hidden
    ]
    return "; ".join(parts) + "."
