"""The playground's charts and table, from an Outcome: gradients by role, the value, all numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from lessons.contract.figure import Figure, Table
from lessons.contract.result import Array, Series
from lessons.contract.roles import GRADIENTS, ROLES
from lessons.gradient_tricks.text import listed, number
from lessons.kit.chart_pieces import (
    Measure,
    Trace,
    axes,
    band,
    curve,
    dragged,
    fitted,
    gradient_curves,
    points,
    span,
    spoken,
    ticks,
)
from lessons.kit.curve_figures import forward_alt, gradient_alt
from lessons.kit.line_names import NAMES, named
from lessons.kit.noise_bands import NOISY, ends_of, over_draws
from lessons.kit.titles import gradient_at, value_at
from lessons.playground.document.contents import Document
from lessons.playground.running.outcome import Gradient, Outcome
from lessons.playground.running.words import WORDS

_VALUE_HEIGHT, _GRADIENT_HEIGHT = 135, 185
"""Pixels: program, graph and both charts are in sight at 1280×800."""
_MOST_ROWS = 48
_SPELLED = 8
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


Ranges = tuple[tuple[float, float], tuple[float, float]]
"""Of the y axes: the value's, the gradients'."""


def figures(outcome: Outcome, document: Document, ranges: Ranges | None = None) -> list[Figure]:
    """The value over the plotted input, and the gradient by role.

    Args:
        ranges: those of several outcomes whose charts are next to each other; then no line has a
            name at its end.
    """
    curves = {series.name: series for series in outcome.curves}
    series = {line.name: line for line in outcome.series}
    if not _on_curve(outcome, curves, series):
        entry = document.entry - 1
        series = {
            name: Series(name, line.role, line.x[[entry]], line.y[[entry]])
            for name, line in series.items()
        }
    x = _moved(outcome, document)
    value, gradient = ranges or ranges_of([outcome])
    parts = outcome, document, curves, series, x
    above, below = _value(*parts, value), _gradients(*parts, gradient, ranges is None)
    above.layout["margin"]["r"] = below.layout["margin"]["r"]  # each x at one place in both
    return [above, below]


def ranges_of(outcomes: Sequence[Outcome]) -> Ranges:
    """Ranges for the numbers of all these outcomes."""
    value = [part for one in outcomes for part in _heights(one, ["forward"])]
    gradient = [part for one in outcomes for part in _heights(one, GRADIENTS)]
    return _frame(value), _frame(gradient)


def table(outcomes: Mapping[str, Outcome]) -> Table:
    """One row for each entry of each input, with its gradients; one for each name.

    Args:
        outcomes: by what comes before the names of their gradients; the first has the values.
    """
    (outcome, *_) = outcomes.values()
    columns: list[tuple[str, str | None]] = [(WORDS("name"), None), (WORDS("value"), "forward")]
    gradients = []
    for which, one in outcomes.items():
        roles = [role for role in GRADIENTS if role in one.gradients]
        columns += [(which + NAMES[role], role) for role in roles]
        gradients += [one.gradients[role] for role in roles]
    rows = tuple(_rows(outcome, gradients))
    return Table(WORDS("table", output=outcome.output), tuple(columns), rows)


def _rows(
    outcome: Outcome, gradients: Sequence[Mapping[str, Gradient]]
) -> Iterator[tuple[str, ...]]:
    inputs = gradients[0]
    for name in inputs:
        value = outcome.values[name]
        for place, entry in enumerate(value.flatten().tolist()[:_MOST_ROWS]):
            shown = (_entry(by_input.get(name), place) for by_input in gradients)
            yield _label(name, value, place), number(entry), *shown
        if value.numel() > _MOST_ROWS:
            more = WORDS("more_of", more=value.numel() - _MOST_ROWS, name=name)
            yield more, "…", *("…" for _ in gradients)
    for name, value in outcome.values.items():
        if name not in inputs:
            yield name, _all(value), *("" for _ in gradients)


def _gradients(
    outcome: Outcome,
    document: Document,
    curves: dict[str, Series],
    series: dict[str, Series],
    x: str,
    frame: tuple[float, float],
    with_names: bool,
) -> Figure:
    roles = [role for role in GRADIENTS if role in curves]
    subject = f"∂{outcome.output}/∂{x}"
    there = {role: curves[role] for role in roles}
    layout = axes(span(there[roles[0]]), frame, x, subject)
    ends = ((role, name, there[role].y) for role, name in NAMES.items() if role in there)
    data = gradient_curves(there)
    if there[roles[0]].low is not None:
        data = over_draws(there) + [ticks(one) for r, one in there.items() if ROLES[r].ticked]
    sent = [role for role in roles if outcome.gradients[role][outcome.over] is not None]
    dots = [role for role in (NOISY[::-1] if with_names else NOISY[:1]) if role in sent]
    if with_names:
        data += named(ends, layout, _GRADIENT_HEIGHT)
    return Figure(
        "gradient",
        gradient_at(subject, _at_entry(series, document, *NOISY), x),
        _caption(outcome, document, len(series[roles[0]].x)),
        gradient_alt(subject, spoken(series, sent or roles, x), x),
        [*data, *(_held(points(series[role]), outcome) for role in dots)],
        layout,
        height=_GRADIENT_HEIGHT,
        selects="entry",
    )


def _value(
    outcome: Outcome,
    document: Document,
    curves: dict[str, Series],
    series: dict[str, Series],
    x: str,
    frame: tuple[float, float],
) -> Figure:
    forward = curves["forward"]
    there = series.get("forward")
    alone = WORDS("value_alone", output=outcome.output, input=x)
    return Figure(
        "forward",
        value_at(outcome.output, _at_entry(series, document, "forward"), x) if there else alone,
        "",
        forward_alt(spoken(series, ["forward"], x), x) if there else f"{alone}.",
        [
            *([band(forward)] if forward.low is not None else []),
            curve(forward, exact=True),
            *([_held(points(there), outcome)] if there else []),
        ],
        axes(span(forward), frame, x, outcome.output),
        height=_VALUE_HEIGHT,
        selects="entry",
    )


def _heights(outcome: Outcome, roles: Sequence[str]) -> list[Array]:
    """All numbers of an outcome's curves, bands and points in some roles."""
    curves = {curve.name: curve for curve in outcome.curves if curve.role in roles}
    points = [line.y for line in outcome.series if line.role in roles and line.role != "forward"]
    return [*ends_of(curves), *points]


def _at_entry(series: dict[str, Series], document: Document, *roles: str) -> Iterator[float]:
    """The entry that moves, and the number of each of these roles there."""
    points = [series[role] for role in roles]
    place = min(document.entry, len(points[0].x)) - 1
    return (float(y[place]) for y in (points[0].x, *(one.y for one in points)))


def _held(trace: Trace, outcome: Outcome) -> Trace:
    """The points of an input, each dragged along the axis, where its values are a flat list.

    The control is named as in ``document/gestures.py``.
    """
    along: Measure = "x"
    if not _is_flat(outcome, len(trace["x"])):
        return trace
    return dragged(trace, "points", **{f"in.{outcome.over}.values": along})


def _is_flat(outcome: Outcome, shown: int) -> bool:
    """Whether every entry of the plotted input is a point, and its list a plain one."""
    value = outcome.values[outcome.over]
    plain = value.dim() == 0 or (value.dim() == 1 and value.numel() > 1)
    return bool(plain) and value.numel() == shown


def _on_curve(outcome: Outcome, curves: dict[str, Series], series: dict[str, Series]) -> bool:
    """Whether every entry's point belongs to the curve that one of them runs along.

    It does where the program treats each entry alone and alike. Under noise the points are one
    draw of a band and cannot tell; then the shapes have to.
    """
    x, output = outcome.values[outcome.over], outcome.values[outcome.output]
    if x.numel() == 1:
        return True
    if output.shape != x.shape:
        return False
    if curves["forward"].low is not None:
        return True
    return all(_meets(curves[name], line) for name, line in series.items())


def _meets(drawn: Series, line: Series) -> bool:
    """Whether the points lie on the drawn line, as near as its own steps can tell."""
    inside = (line.x >= drawn.x[0]) & (line.x <= drawn.x[-1]) & np.isfinite(line.y)
    right = np.clip(np.searchsorted(drawn.x, line.x), 1, len(drawn.x) - 1)
    ends = np.stack([drawn.y[np.clip(right + by, 0, len(drawn.x) - 1)] for by in (-2, -1, 0, 1)])
    low, high = ends.min(0), ends.max(0)
    room = 1e-6 * (1 + np.abs(line.y))
    with np.errstate(invalid="ignore"):  # not there, and not inside either
        fits = (line.y >= low - room) & (line.y <= high + room)
    return bool(np.all(fits | ~inside | ~np.isfinite(low) | ~np.isfinite(high)))


def _caption(outcome: Outcome, document: Document, shown: int) -> str:
    said = []
    if outcome.values[outcome.over].numel() > 1:
        said.append(WORDS("moves", entry=document.entry, input=outcome.over))
        said += [WORDS("click")] * (shown > 1)
    if _is_flat(outcome, shown):
        said.append(WORDS("drag"))
    return " ".join(said)


def _moved(outcome: Outcome, document: Document) -> str:
    """The axis's name: the input, with the entry where it has several."""
    value = outcome.values[outcome.over]
    return _label(outcome.over, value, document.entry - 1)


def _label(name: str, value: torch.Tensor, place: int) -> str:
    if value.dim() == 0:
        return name
    places = [place] if value.dim() == 1 else divmod(place, value.shape[1])
    return name + ",".join(str(index + 1).translate(_SUBSCRIPTS) for index in places)


def _entry(gradient: torch.Tensor | None, place: int) -> str:
    return "None" if gradient is None else number(float(gradient.flatten()[place]))


def _all(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "; ".join(_all(item) for item in value)
    if not isinstance(value, torch.Tensor):
        return number(float(value))
    words = [number(float(item)) for item in value.flatten()[:_SPELLED].tolist()]
    return listed([*words, *("" for _ in range(value.numel() - len(words)))], _SPELLED)


def _frame(heights: list[Array]) -> tuple[float, float]:
    """What most of the curves fits into: a pole must not flatten all the rest."""
    every = np.concatenate([np.ravel(height) for height in heights])
    sizes = np.abs(every)
    sizes = sizes[np.isfinite(sizes)]
    typical = float(np.quantile(sizes, 0.9)) if len(sizes) else 0.0
    largest = float(sizes.max(initial=0.0))
    top = largest if largest <= 8 * typical or typical == 0 else 4 * typical
    return fitted([np.clip(every, -top, top)])


def key(outcome: Outcome) -> list[str]:
    """The roles that these charts show, in the order of lessons.contract.roles."""
    there = {curve.role for curve in outcome.curves}
    return [name for name in ROLES if name in there]
