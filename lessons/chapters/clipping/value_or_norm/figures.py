"""The vector lab's charts and table."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Result, Series
from lessons.contract.roles import ROLES
from lessons.kit.arrows import arrow, outline
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    cells,
    dragged,
    fitted,
    gradient_curves,
    limits,
    mark,
)
from lessons.kit.findings import brief
from lessons.kit.line_names import label, named, second_name
from lessons.text import number

# Each role's name here, and how its facts are called; drawn in this order, the trick on top.
NAMES = {
    "true_gradient": ("before", "before"),
    "intended_gradient": ("by norm", "norm"),
    "trick_gradient": ("by value", "value"),
}

HEIGHT, LOW = 345, 220
"""Pixels: the arrows get a square."""


def figures(result: Result, values: Values) -> list[Figure]:
    """The arrows, and how direction and length depend on the gradient's own direction."""
    return [_arrows(result), _angles(result), _lengths(result)]


def table(result: Result, values: Values) -> Table:
    """Components, length and angle of the value and of each vector."""
    columns = [("measure", None), ("value w", "forward")]
    columns += [(name, role) for role, (name, _) in NAMES.items()]
    rows = [
        (
            f"component {index + 1}",
            number(float(result["forward"].y[index]), 5),
            *cells(result, NAMES, index, 5),
        )
        for index in (0, 1)
    ]
    for measure, fact, unit in (("length", "length", ""), ("angle", "angle", "°")):
        measured = (
            number(float(result.facts[f"{fact}_{name}"]), 5) + unit
            for role, (_, name) in NAMES.items()
        )
        rows.append((measure, "", *measured))
    return Table(
        "The value, and the gradient before and after clipping", tuple(columns), tuple(rows)
    )


def _arrows(result: Result) -> Figure:
    limit = float(result.facts["limit"])
    x, y = _frame(result)
    layout = axes(x, y, "first component", "second component")
    layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    around = np.linspace(0.0, 2 * math.pi, 121)
    square = np.array([-limit, limit, limit, -limit, -limit])
    sides = outline(square, np.array([-limit, -limit, limit, limit, -limit]), "each component")
    circle = outline(limit * np.cos(around), limit * np.sin(around), "length")
    arrows = {role: arrow(result, role, NAMES[role]) for role in NAMES}
    arrows["true_gradient"] = dragged(arrows["true_gradient"], "tip", g1="x", g2="y")
    data = [
        dragged(sides, "line", limit="largest"),
        dragged(circle, "line", limit="length"),
        *arrows.values(),
        *_tips(result),
        *_turned(result),
    ]
    return Figure(
        "arrows",
        _turns(result) or ARROWS,
        "Square: what is allowed by value. Circle: by norm. Drag either, or the tip “before”.",
        "Three arrows from the origin. " + _in_words(result),
        data,
        layout,
        height=HEIGHT,
        subject=ARROWS,
    )


ARROWS = "The gradient, and what clipping leaves of it"


def _frame(result: Result) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the arrow points, and a little of the other side."""
    g = result["true_gradient"].y
    reach = 1.1 * min(float(np.abs(g).max()), 1e300) or 1.0
    power = 10.0 ** math.floor(math.log10(reach))
    side = next(
        f * power for f in (1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10) if f * power >= reach
    )
    ends = [(-0.35 * side, side) if one >= 0 else (-side, 0.35 * side) for one in g]
    return ends[0], ends[1]


def _tips(result: Result) -> list[Trace]:
    """A name beside each tip; an arrow that lies on another says so."""
    g = result["true_gradient"].y
    size = float(np.abs(g).max())
    # By value the arrow turns to the diagonal: its name stands on that side, by norm on the other.
    flat = abs(g[0]) >= abs(g[1])
    across = np.array([-g[1], g[0]]) / (float(np.hypot(*g / (size or 1.0))) or 1.0)
    across *= 0.08 * math.copysign(1.0, g[0] * g[1]) * (1 if flat else -1)
    drawn = []
    order = ("true_gradient", "intended_gradient", "trick_gradient")  # last what a question hides
    for role, (name, _) in NAMES.items():
        tip = result[role].y
        there = bool(np.isfinite(tip).all())
        before = order[: order.index(role)]
        same = [other for other in before if np.abs(result[other].y - tip).max() <= 1e-6 * size]
        side = -across if role == "intended_gradient" else across
        towards = (
            "center" if abs(side[0]) < 0.4 * abs(side[1]) else "left" if side[0] < 0 else "right"
        )
        if flat and same:  # a second name ends at its tip, and in the frame
            towards = "left" if tip[0] > 0 else "right"
        x, y = (float(one) for one in tip + side)
        words, place = f"= {name}" if same else name, f"middle {towards}"
        if role == "trick_gradient" and "true_gradient" in same:  # both stand on one side
            words, place = second_name(words, place)
        drawn.append(label(role, words, x, y, place, there))
    return drawn


def _turned(result: Result) -> list[Trace]:
    """An arc from the direction before to that by value, with its degrees."""
    before, after = (float(result.facts[f"angle_{name}"]) for name in ("before", "value"))
    by = (after - before + 180.0) % 360.0 - 180.0
    known = math.isfinite(by)
    angles = np.radians(before + np.linspace(0.0, by if known else 0.0, 25))
    lengths = (float(np.hypot(*result[f"{role}_gradient"].y)) for role in ("true", "trick"))
    radius = sum(lengths) / 2 if known else 0.0
    arc = outline(radius * np.cos(angles), radius * np.sin(angles), "turned")
    arc |= {"line": {"color": "role:trick_gradient", "width": 2}}
    beyond = math.radians(before + by + math.copysign(12.0, by)) if known else 0.0
    x, y = radius * math.cos(beyond), radius * math.sin(beyond)
    said = f"turned {number(abs(by), 3)}°"
    turned = known and abs(by) > 1e-6
    return [arc, label("trick_gradient", said, x, y, "middle center", turned)]


def _turns(result: Result) -> str:
    """How far each clip turns the arrow; nothing where one of them has no direction."""
    value, norm = (float(result.facts[f"turn_{name}"]) for name in ("value", "norm"))
    if not (math.isfinite(value) and math.isfinite(norm)):
        return ""
    return f"By value turned by {number(value, 3)}°, by norm by {brief(norm, 1.0)}°"


def _angles(result: Result) -> Figure:
    curves = {series.name: series for series in result.curves}
    before = curves["true_gradient"].y
    turned = {
        role: replace(curves[role], y=(curves[role].y - before + 180.0) % 360.0 - 180.0)
        for role in ("trick_gradient", "intended_gradient")
    }
    most = float(np.nanmax(np.abs(turned["trick_gradient"].y), initial=0.0))
    layout = axes((0.0, 360.0), (-50.0, 50.0), "angle of the gradient, °", "turned by, °")
    layout["xaxis"] |= {"tickmode": "array", "tickvals": [0, 90, 180, 270, 360]}
    layout["yaxis"] |= {"tickmode": "array", "tickvals": [-45, 0, 45]}
    found = f"By value turned by up to {number(most, 3)}°" if most else ""
    if not np.isfinite(turned["trick_gradient"].y).any():
        found = "A gradient of 0 has no direction"
    return Figure(
        "angle",
        found or TURNS,
        "A gradient of this length in all directions. At 0 the direction is kept.",
        "How far the direction turns, over the angle before. " + _in_words(result),
        [
            *_over(turned, layout, HEIGHT),
            *_own_gradient(result, "angle"),
        ],
        layout,
        height=HEIGHT,
        subject=TURNS,
    )


TURNS = "How far clipping turns it"


def _lengths(result: Result) -> Figure:
    curves = {
        role: next(one for one in result.curves if one.name == f"{role}_length") for role in NAMES
    }
    top = fitted([one.y for one in curves.values()])
    limit = float(result.facts["limit"])
    layout = axes((0.0, 360.0), top, "angle of the gradient, °", "length")
    layout["xaxis"] |= {"tickmode": "array", "tickvals": [0, 90, 180, 270, 360]}
    longest = {role: float(np.nanmax(one.y)) for role, one in curves.items()}
    value, norm = (number(longest[role], 3) for role in ("trick_gradient", "intended_gradient"))
    return Figure(
        "length",
        f"Length by value up to {value}, by norm {norm}",
        f"Dashed: the limit, {number(limit, 4)}. Drag it. By norm no gradient is longer.",
        "Length after clipping over the angle before. " + _in_words(result),
        [
            limits(limit, (0.0, 360.0), "limit", sides=(1,)),
            *_over(curves, layout, LOW),
            *_own_gradient(result, "length"),
        ],
        layout,
        height=LOW,
        subject="Length after clipping",
    )


def _over(curves: Mapping[str, Series], layout: Trace, height: float) -> list[Trace]:
    """The curves over all directions, each with its name."""
    ends = ((role, NAMES[role][0], line.y) for role, line in curves.items())
    return [*gradient_curves(curves), *named(ends, layout, height)]


def _own_gradient(result: Result, fact: str) -> list[Trace]:
    """The learner's own gradient on the curves."""
    before = float(result.facts["angle_before"])
    drawn = []
    for role, (name, called) in NAMES.items():
        value = float(result.facts[f"{fact}_{called}"])
        if fact == "angle" and called == "before":
            continue
        if fact == "angle":
            value = (value - before + 180) % 360 - 180
        drawn.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [before % 360],
                "y": [value],
                "marker": mark(ROLES[role]),
                "hovertemplate": f"%{{x:.4g}}°: %{{y:.5g}}<extra>{name}</extra>",
            }
        )
    return drawn


def _in_words(result: Result) -> str:
    parts = [
        f"{name}: length {number(float(result.facts[f'length_{fact}']), 4)}, "
        f"angle {number(float(result.facts[f'angle_{fact}']), 4)}°"
        for role, (name, fact) in NAMES.items()
    ]
    return "; ".join(parts) + "."
