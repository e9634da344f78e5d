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
_MOST_ENTRIES = 8
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


Ranges = tuple[tuple[float, float], tuple[float, float]]
"""The ranges of the value's y axis and of the gradients' y axis."""


def figures(outcome: Outcome, document: Document, ranges: Ranges | None = None) -> list[Figure]:
    """The value over the plotted input, and the gradient by role.

    Args:
        ranges: those of several outcomes whose charts are next to each other; then no line has a
            name at its end.
    """
    value, gradient = ranges or ranges_of([outcome])
    charts = _Charts(outcome, document)
    above, below = charts.value(value), charts.gradients(gradient, ranges is None)
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


class _Charts:
    """The charts of an outcome.

    Attributes:
        x: the axis's name: the input, with the entry where it has several.
        curves, points: by role; the points are those that lie on the curve.
    """

    def __init__(self, outcome: Outcome, document: Document) -> None:
        self.outcome, self.entry = outcome, document.entry
        self.input = outcome.values[outcome.over]
        self.x = _label(outcome.over, self.input, document.entry - 1)
        self.curves = {series.name: series for series in outcome.curves}
        self.points = {line.name: line for line in outcome.series}
        if not _on_curve(outcome, self.curves, self.points):
            place = [document.entry - 1]
            self.points = {
                name: Series(name, line.role, line.x[place], line.y[place])
                for name, line in self.points.items()
            }

    def gradients(self, frame: tuple[float, float], with_names: bool) -> Figure:
        outcome, curves, points = self.outcome, self.curves, self.points
        there = {role: curves[role] for role in GRADIENTS if role in curves}
        first = next(iter(there))
        subject = f"∂{outcome.output}/∂{self.x}"
        layout = axes(span(there[first]), frame, self.x, subject)
        data = gradient_curves(there)
        if there[first].low is not None:
            data = over_draws(there) + [ticks(one) for r, one in there.items() if ROLES[r].ticked]
        sent = [role for role in there if outcome.gradients[role][outcome.over] is not None]
        dots = [role for role in (NOISY[::-1] if with_names else NOISY[:1]) if role in sent]
        if with_names:
            ends = ((role, name, there[role].y) for role, name in NAMES.items() if role in there)
            data += named(ends, layout, _GRADIENT_HEIGHT)
        return Figure(
            "gradient",
            gradient_at(subject, self._at_entry(*NOISY), self.x),
            self._caption(),
            gradient_alt(subject, spoken(points, sent or [*there], self.x), self.x),
            [*data, *(self._dots(role) for role in dots)],
            layout,
            height=_GRADIENT_HEIGHT,
            selects="entry",
        )

    def value(self, frame: tuple[float, float]) -> Figure:
        output, forward = self.outcome.output, self.curves["forward"]
        there = "forward" in self.points
        alone = WORDS("value_alone", output=output, input=self.x)
        return Figure(
            "forward",
            value_at(output, self._at_entry("forward"), self.x) if there else alone,
            "",
            forward_alt(spoken(self.points, ["forward"], self.x), self.x) if there else f"{alone}.",
            [
                *([band(forward)] if forward.low is not None else []),
                curve(forward, exact=True),
                *([self._dots("forward")] if there else []),
            ],
            axes(span(forward), frame, self.x, output),
            height=_VALUE_HEIGHT,
            selects="entry",
        )

    def _at_entry(self, *roles: str) -> Iterator[float]:
        """The entry that moves, and the number of each of these roles there."""
        lines = [self.points[role] for role in roles]
        place = min(self.entry, len(lines[0].x)) - 1
        return (float(y[place]) for y in (lines[0].x, *(one.y for one in lines)))

    def _dots(self, role: str) -> Trace:
        """The points of a role, each dragged along the axis, where the input is a flat list.

        The control is named as in ``document/gestures.py``.
        """
        along: Measure = "x"
        made = points(self.points[role])
        if not self._is_flat():
            return made
        return dragged(made, "points", **{f"in.{self.outcome.over}.values": along})

    def _is_flat(self) -> bool:
        """Whether every entry of the plotted input is a point, and its list a plain one."""
        value, shown = self.input, len(self.points["trick_gradient"].x)
        plain = value.dim() == 0 or (value.dim() == 1 and value.numel() > 1)
        return bool(plain) and value.numel() == shown

    def _caption(self) -> str:
        said = []
        if self.input.numel() > 1:
            said.append(WORDS("moves", entry=self.entry, input=self.outcome.over))
            said += [WORDS("click")] * (len(self.points["trick_gradient"].x) > 1)
        if self._is_flat():
            said.append(WORDS("drag"))
        return " ".join(said)


def _heights(outcome: Outcome, roles: Sequence[str]) -> list[Array]:
    """All numbers of an outcome's curves, bands and points in some roles."""
    curves = {curve.name: curve for curve in outcome.curves if curve.role in roles}
    points = [line.y for line in outcome.series if line.role in roles and line.role != "forward"]
    return [*ends_of(curves), *points]


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
    words = [number(float(item)) for item in value.flatten()[:_MOST_ENTRIES].tolist()]
    return listed([*words, *("" for _ in range(value.numel() - len(words)))], _MOST_ENTRIES)


def _frame(heights: list[Array]) -> tuple[float, float]:
    """An axis range that fits most of the curves: a pole must not flatten the rest."""
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
