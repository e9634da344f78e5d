"""The bench's charts: value and gradient of A and B on the same axes."""

import math
from dataclasses import replace

import numpy as np

from lessons.bench.comparison import Comparison, Side
from lessons.bench.setting import SIDES
from lessons.bench.words import WORDS, label
from lessons.contract.figure import TALL, Figure
from lessons.contract.result import Array
from lessons.contract.roles import ROLES
from lessons.kit.arrows import heads
from lessons.kit.chart_pieces import (
    Measure,
    Trace,
    axes,
    dragged,
    fitted,
    marked,
    round_up,
    scatter,
    thin,
)
from lessons.kit.line_names import NAMES
from lessons.kit.titles import brief
from lessons.playground.running import outcome_charts

_PLANE = 2
"""The count of numbers whose gradient is an arrow."""
_ROLES = {"forward": "forward", "gradient": "trick_gradient"}


def figures(comparison: Comparison) -> list[Figure]:
    """Value and gradient over the first input, of A and then of B."""
    sides = comparison.a, comparison.b
    ranges = outcome_charts.ranges_of([side.outcome for side in sides])
    return [
        _beside(figure, name, side)
        for name, side in zip(SIDES, sides, strict=True)
        for figure in outcome_charts.figures(side.outcome, side.document, ranges)
    ]


def _beside(figure: Figure, name: str, side: Side) -> Figure:
    """A playground's chart as one of four: without axis titles, its number as the title."""
    role = _ROLES[figure.name]
    at_point = side.gradient if role == "trick_gradient" else side.at_point(role)
    over = side.outcome.over
    x = float(side.checked.inputs[over].flatten()[side.document.entry - 1])
    spread = side.spread(role)
    said = WORDS("at", input=over, at=brief(x))
    if len(side.outcome.draws[role]) > 1:
        count = len(side.outcome.draws[role])
        if math.isinf(spread):
            said += WORDS("not_finite", n=count)
        elif spread:
            said += WORDS("spread", spread=brief(spread), n=count)
        else:
            said += WORDS("same_in_every_draw")
    low, high = figure.layout["yaxis"]["range"]
    along: Measure = "x"
    cursor = thin([x, x], [low, high], WORDS("cursor"), "dot")
    told = WORDS("none") if at_point is None else brief(at_point)
    layout = {**figure.layout, "margin": {"l": 46, "r": 8, "t": 6, "b": 22}}
    layout["xaxis"] = {**layout["xaxis"], "title": {"text": ""}}
    layout["yaxis"] = {**layout["yaxis"], "title": {"text": ""}, "nticks": 5}
    return replace(
        figure,
        name=f"{name}.{figure.name}",
        title=label(f"title_{figure.name}", number=told),
        caption=said,
        alt=f"{name.upper()}. {figure.alt}",
        data=[dragged(cursor, "line", **{f"in.{over}.entry": along}), *figure.data],
        layout=layout,
        selects="point",
    )


def draws(comparison: Comparison) -> Figure | None:
    """The gradient of every draw at the point, A above B; None without noise."""
    sides = {"B": comparison.b, "A": comparison.a}
    rows = [side.outcome.draws["trick_gradient"] for side in sides.values()]
    if len(rows[0]) == 1:
        return None
    shift = 0.25 * np.cos(2.4 * np.arange(len(rows[0])))  # apart, and the same in every picture
    layout = axes(fitted(rows), (-0.6, 1.6), WORDS("draws_axis"), "")
    marked(layout["yaxis"], [0, 1], [*sides])
    return Figure(
        "draws",
        WORDS("draws_title", n=len(rows[0])),
        "",
        WORDS("draws_alt", a=_ends(comparison.a), b=_ends(comparison.b)),
        [
            scatter("markers", row, place + shift, name)
            | {
                "marker": {"color": "role:trick_gradient/0.6", "size": 7},
                "hovertemplate": "%{x:.4g}",
            }
            for place, (name, row) in enumerate(zip(sides, rows, strict=True))
        ],
        layout,
    )


def arrows(comparison: Comparison) -> Figure | None:
    """The gradient with respect to two numbers, as arrows; None for another count of numbers."""
    over = comparison.a.outcome.over
    if comparison.a.checked.inputs[over].numel() != _PLANE:
        return None
    sides = (
        ("B", comparison.b, "trick_gradient"),
        ("A", comparison.a, "trick_gradient"),
        (NAMES["true_gradient"], comparison.a, "true_gradient"),
    )
    found = [(name, role, _vector(side, role)) for name, side, role in sides]
    size = round_up([vector for _, _, vector in found], 1e-3)
    layout = axes((-size, size), (-size, size), f"∂/∂{over}₁", f"∂/∂{over}₂")
    layout["yaxis"] |= {"scaleanchor": "x"}
    told = {name: ", ".join(map(brief, vector)) for name, _, vector in found}
    return Figure(
        "arrows",
        WORDS("arrows_title", input=over),
        "",
        "; ".join(f"{name}: {numbers}" for name, numbers in told.items()),
        [_arrow(name, role, vector) for name, role, vector in found],
        layout,
        height=TALL,
    )


def _vector(side: Side, role: str) -> Array:
    """The numbers of a gradient, zeros if there is none."""
    gradient = side.outcome.gradients[role][side.outcome.over]
    return np.zeros(_PLANE) if gradient is None else gradient.flatten().numpy()


def _arrow(name: str, role: str, vector: Array) -> Trace:
    x, y = map(float, vector)
    dash = "dash" if name == "B" else ROLES[role].dash
    return scatter("lines+markers+text", [0.0, x], [0.0, y], name) | {
        "line": {"color": f"role:{role}", "dash": dash, "width": 3},
        "marker": heads(role, [0, 14 if vector.any() else 0]),
        "text": ["", name],
        "textposition": "top center",
        "hovertemplate": f"{name} (%{{x:.4g}}, %{{y:.4g}})",
    }


def _ends(side: Side) -> str:
    """Say the range of a side's gradient over the draws."""
    if side.gradient is None:
        return WORDS("none")
    numbers = side.outcome.draws["trick_gradient"]
    return WORDS("ends", low=brief(float(numbers.min())), high=brief(float(numbers.max())))
