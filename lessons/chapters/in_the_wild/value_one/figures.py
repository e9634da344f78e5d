"""The charts of sampled tokens: gradients, values with the slope autograd gives, second order."""

from collections.abc import Iterator

import numpy as np

from lessons.contract.figure import SHORT, TALL, Figure, Table
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result, Series
from lessons.contract.stacking import apart
from lessons.kit.chart_pieces import (
    Trace,
    along_x,
    axes,
    cells,
    curve,
    fitted,
    gradient_curves,
    span,
)
from lessons.kit.components import in_words, sticks
from lessons.kit.findings import brief, extent
from lessons.kit.line_names import label, named, room
from lessons.text import number

LABELS = {
    "trick_gradient": "autograd",
    "intended_gradient": "of −logp · A",
    "true_gradient": "of the value",
}
"""What each gradient is called here."""

SECOND = {
    "trick_gradient": "autograd",
    "intended_gradient": "expected loss",
    "true_gradient": "of the value",
}
"""What each second derivative is of."""

MOST_LINES = 6
"""Tokens whose value is drawn over their logit; the points of all are drawn."""

_TANGENT = 0.09
"""Half the width of a slope's stroke, as a share of the axis."""


def figures(result: Result, values: Values) -> list[Figure]:
    """Value and slope over the logit, the gradients, the second derivative on average."""
    return [_values(result), _gradients(result), _second(result)]


def table(result: Result, values: Values) -> Table:
    """One row a token."""
    columns: list[tuple[str, str | None]] = [
        (name, None) for name in ("token", "logit x", "probability", "advantage")
    ]
    columns += [("adds to the loss", "forward"), *((name, role) for role, name in LABELS.items())]
    rows = []
    for place, x in enumerate(result["forward"].x):
        p = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
        given = (number(float(one), 5) for one in (x, p, result.planes["advantages"][place]))
        rows.append((str(place + 1), *given, *cells(result, ["forward", *LABELS], place, 6)))
    return Table(
        "Each token: what it adds to the loss, and the gradient of its logit",
        tuple(columns),
        tuple(rows),
    )


def _values(result: Result) -> Figure:
    lines = [one for one in result.curves if one.name.startswith("value_")]
    ends = span(lines[0])
    strokes = _strokes(result, ends)
    heights = fitted([*(line.y for line in lines), result["forward"].y, strokes["y"]], 1e-3)
    layout = axes(ends, heights, "logit x", "adds to the loss")
    still = all(_level(line.y) for line in lines)
    added = ", ".join(number(float(y), 4) for y in result["forward"].y[:8])
    return Figure(
        "values",
        _of_values(result, still),
        "Lines: what a token adds to the loss, over its logit; at their ends its advantage and, "
        "in brackets, its number. Strokes: the slope that autograd gives at your logits. Drag a "
        "point along x.",
        f"What each token adds to the loss, over its logit. At your logits: {added}.",
        [
            *(curve(line, exact=True) for line in lines),
            *_named_lines(result, lines, ends[1], layout),
            strokes,
            along_x(result["forward"]),
        ],
        layout,
        height=TALL,
        selects="point",
        subject="What each token adds to the loss",
    )


def _of_values(result: Result, still: bool) -> str:
    """Whether the values stay where they are, and what autograd gives nevertheless."""
    if not still:
        return "The values move with the logits"
    slopes = np.abs(result["trick_gradient"].y)
    if not np.isfinite(slopes).all():
        return "No value moves with its logit"
    if not slopes.any():
        return "Flat values, and no slope"
    return f"Flat values, slopes of up to {brief(float(slopes.max()))}"


def _named_lines(result: Result, lines: list[Series], x: float, layout: Trace) -> Iterator[Trace]:
    """The advantage that each line belongs to and its tokens, at its end; none over another."""
    tokens: dict[float, list[str]] = {}
    for place, advantage in enumerate(result.planes["advantages"].tolist()[:MOST_LINES], start=1):
        tokens.setdefault(advantage, []).append(str(place))
    names = [f"A = {number(one, 3)} ({', '.join(whose)})" for one, whose in tokens.items()]
    layout["margin"] = layout["margin"] | {"r": room(names)}
    low, high = layout["yaxis"]["range"]
    tall = TALL - layout["margin"]["t"] - layout["margin"]["b"]
    ends = {
        place: (min(max(float(line.y[-1]), low), high) - low) / (high - low) * tall
        for place, line in enumerate(lines)
        if np.isfinite(line.y[-1])
    }
    order = sorted(ends, key=lambda place: ends[place])
    heights = dict(zip(order, apart([ends[place] for place in order], tall), strict=True))
    for place, line in enumerate(lines):
        name = names[int(line.name.removeprefix("value_")) - 1]
        y = low + heights.get(place, np.nan) / tall * (high - low)
        yield label("forward", name, x, y)


def _strokes(result: Result, ends: tuple[float, float]) -> Trace:
    """A short stroke through each point, with the slope that autograd gives there."""
    half = _TANGENT * (ends[1] - ends[0])
    x, y, slope = result["forward"].x, result["forward"].y, result["trick_gradient"].y
    gap = np.full_like(x, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):  # a note says what is not finite
        rises = np.stack([y - slope * half, y + slope * half, gap], 1)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": LABELS["trick_gradient"],
        "x": np.stack([x - half, x + half, gap], 1).ravel(),
        "y": rises.ravel(),
        "line": {"color": "role:trick_gradient", "width": 4, "simplify": False},
        "hoverinfo": "skip",
    }


def _gradients(result: Result) -> Figure:
    names = [f"token {place + 1}" for place in range(len(result["forward"].x))]
    over = {role: result[role] for role in LABELS}
    place = np.arange(1.0, len(names) + 1)
    numbered = tuple(Series(r, r, place, one.y) for r, one in over.items())
    shown = Result(series=numbered)
    data, layout = sticks(shown, LABELS, names, "gradient", SHORT)
    total, size = float(result.facts["loss"]), float(np.abs(result["forward"].y).sum())
    loss = brief(total, size if np.isfinite(size) else 0.0)
    length = brief(float(result.facts["trick_gradient_length"]))
    return Figure(
        "gradient",
        f"Loss {loss}, gradient of length {length}",
        "For each token, left to right: as autograd gives it, of −logp · A, and the derivative "
        "of the value itself.",
        f"The loss is {loss}. The gradient of each logit. " + in_words(shown, LABELS, names),
        data,
        layout,
        subject="The gradient of the loss",
    )


def _second(result: Result) -> Figure:
    curves = {one.role: one for one in result.curves if one.name.startswith("second_")}
    known = {role: curves[role] for role in SECOND}
    layout = axes(
        span(known["trick_gradient"]),
        fitted([one.y for one in known.values()]),
        "logit x",
        "second derivative",
    )
    middle = len(known["trick_gradient"].x) // 3
    words = ", ".join(
        f"{SECOND[role]} {number(float(one.y[middle]), 3)}" for role, one in known.items()
    )
    at = number(float(known["trick_gradient"].x[middle]), 3)
    ends = ((role, SECOND[role], known[role].y) for role in SECOND)
    return Figure(
        "second",
        _of_second(known),
        "A token with the advantage 1 against one with 0, averaged over both: each weighted by its "
        "probability.",
        f"The second derivative over the first token’s lead. At x = {at}: {words}.",
        [*gradient_curves(known), *named(ends, layout, SHORT)],
        layout,
        subject="The second derivative, on average",
    )


def _of_second(known: dict[str, Series]) -> str:
    trick, true = known["trick_gradient"].y, known["intended_gradient"].y
    off, size = float(np.abs(trick - true).max()), float(np.abs(true).max())
    if off <= 1e-6 * size:
        return "Second derivative right on average"
    return f"Second derivative off by up to {brief(off, size)}"


def _level(y: Array) -> bool:
    """Whether a curve stays the same all along, up to rounding."""
    y = y[np.isfinite(y)]
    return len(y) == 0 or extent(y) <= 1e-6 * float(np.abs(y).max())
