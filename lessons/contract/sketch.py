"""A prediction drawn by hand: a value at each of some x, and the belief whose curve it resembles.

It is drawn on the lab's own chart: its axis, its scale, the curves that are not covered. The
browser sends one character for each handle: the level where it stands, counted from the bottom of
the chart. The same text is what is remembered of the answer.
"""

import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lessons.contract.figure import Figure
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

LEVELS = 60
"""Levels above the lowest on which a handle can stand."""

_DIGITS = (string.digits + string.ascii_uppercase + string.ascii_lowercase)[: LEVELS + 1]


@dataclass(frozen=True)
class Graded:
    """A sketch beside what torch computed.

    Args:
        x, sketch, computed: float64, shape [handles]; computed as far as the chart reaches.
        key: the answer whose curve the sketch resembles most; empty where it resembles none.
        hits: how many handles lie near the computed curve.
    """

    x: Array
    sketch: Array
    computed: Array
    key: str
    hits: int

    @property
    def widest(self) -> int:
        """The handle that is furthest from the computed curve."""
        return int(np.abs(self.sketch - self.computed).argmax())

    @property
    def gap(self) -> str:
        """The distance of the furthest handle, in words; empty if all lie on the curve."""
        apart = abs(self.sketch[self.widest] - self.computed[self.widest])
        where = number(self.x[self.widest])
        gap = number(apart, 2 if apart < 100 else 3)
        return WORDS("sketch_gap", gap=gap, x=where) if apart > 1e-9 else ""

    def __str__(self) -> str:
        """Say how well the sketch fits the curve."""
        near = {"hits": self.hits, "handles": len(self.x)}
        if self.gap:
            return WORDS("sketch_near_but", **near, gap=self.gap)
        return WORDS("sketch_near", **near)


@dataclass(frozen=True)
class Sketch:
    """A curve to draw before it is shown.

    Args:
        x: where the handles stand.
        near: how far from a curve a handle may stand and still count as on it.
        role: which of the result's curves is asked for.
        chart: the lab's chart that shows it.
        low, high, label, lines: that chart's ends, the name of its axis, and its curves that are
            not covered, each with role, dash and its unbroken stretches; ``on`` knows them.
        beliefs: the curve that each answer of the question expects at the handles, by the answer's
            key. The lesson computes them: the answer's fact at each x.
    """

    x: tuple[float, ...]
    near: float
    role: str = "trick_gradient"
    chart: str = "curves"
    low: float = -1.0
    high: float = 1.0
    label: str = ""
    lines: tuple[Mapping[str, Any], ...] = ()
    beliefs: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.low <= 0 <= self.high or not math.isclose(self.level(0.0) % 1, 0):
            raise ValueError(f"0 is no level of a chart from {self.low} to {self.high}")
        if self.role not in ROLES:
            raise ValueError(f"no role {self.role!r}; there are {list(ROLES)}")

    def on(self, figures: Sequence[Figure], beliefs: Mapping[str, Array]) -> "Sketch":
        """A copy with axis and lines of its chart in `figures`; the ends move: 0 is a level."""
        chart = next(one for one in figures if one.name == self.chart)
        axis = chart.layout["yaxis"]
        low, high = axis["range"]
        level = (high - low) / LEVELS
        below = round(-low / level)
        # What stands below on an axis of its own has another scale.
        lines = [
            one
            for one in chart.data
            if one.get("name") and one.get("yaxis", "y") == "y" and _is_curve(one)
        ]
        there = replace(
            self,
            low=-below * level,
            high=(LEVELS - below) * level,
            label=axis["title"]["text"],
            beliefs=beliefs,
        )
        shown = (there._background(one) for one in lines if one.get("visible", True))
        return replace(there, lines=tuple(shown))

    def _background(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """A curve of the lab's chart, where there are handles; its gaps stay gaps."""
        x, y = np.asarray(line["x"], np.float64), np.asarray(line["y"], np.float64)
        seen = (x >= min(self.x)) & (x <= max(self.x)) & np.isfinite(y)
        breaks = np.flatnonzero(np.diff(seen.astype(np.int8))) + 1
        stretches = [
            {"x": x[part].tolist(), "y": self._in_sight(y[part]).tolist()}
            for part in np.split(np.arange(len(x)), breaks)
            if len(part) and seen[part[0]]
        ]
        role = ROLES[_colour(line).removeprefix("role:")]
        dash = "ticks" if line.get("mode") == "markers" else role.dash
        return {"role": role.name, "dash": dash, "stretches": stretches}

    def level(self, y: float) -> float:
        """Convert a value to levels from the bottom."""
        return round((y - self.low) / (self.high - self.low) * LEVELS, 9)

    def read(self, text: object) -> Array:
        """The sketch as values; the text may be anybody's.

        Raises:
            ValueError: it is no sketch with these handles.
        """
        handles = len(self.x)
        if not isinstance(text, str) or len(text) != handles:
            raise ValueError(WORDS("sketch_length", handles=handles))
        if not set(text) <= set(_DIGITS):
            raise ValueError(WORDS("sketch_characters", handles=handles, last=_DIGITS[-1]))
        levels = np.array([_DIGITS.index(character) for character in text], dtype=np.float64)
        return self.low + levels / LEVELS * (self.high - self.low)

    def write(self, y: Array) -> str:
        """The text of a sketch with handles at these values, at the nearest level each."""
        return "".join(_DIGITS[round(self.level(value))] for value in self._in_sight(y).tolist())

    def computed(self, result: Result) -> Array:
        """The curve asked for at the handles, as far as the chart reaches: float64, [handles].

        Raises:
            ValueError: the result has no curve in this role, or none that reaches all handles.
        """
        curve = next((drawn for drawn in result.curves if drawn.name == self.role), None)
        if curve is None:
            raise ValueError(f"the result has no curve {self.role!r}")
        there = np.isfinite(curve.y)
        if not there.any() or not self._within(curve.x[there]):
            raise ValueError(f"the curve {self.role!r} does not reach all of x = {self.x}")
        return self._in_sight(np.interp(self.x, curve.x[there], curve.y[there]))

    def whole(self, result: Result) -> tuple[list[float], list[float]]:
        """The curve asked for at every x between the handles: what is drawn over a sketch."""
        curve = next(drawn for drawn in result.curves if drawn.name == self.role)
        x = np.unique([*self.x, *curve.x[(curve.x > min(self.x)) & (curve.x < max(self.x))]])
        there = np.isfinite(curve.y)
        y = np.interp(x, curve.x[there], curve.y[there])
        return x.tolist(), self._in_sight(y).tolist()

    @property
    def expected(self) -> dict[str, Array]:
        """Each answer's curve at the handles, as far as the chart reaches."""
        return {key: self._in_sight(curve) for key, curve in self.beliefs.items()}

    def grade(self, text: object, result: Result) -> Graded:
        """Compare a sketch with the computed curve and with what each belief expects.

        It resembles a belief if more than half of its handles lie near that one's curve; of
        several, the one with the least distance on average.

        Raises:
            ValueError: the text is no sketch with these handles.
        """
        sketch = self.read(text)
        apart = {key: np.abs(sketch - curve) for key, curve in self.expected.items()}
        alike = {key: d.mean() for key, d in apart.items() if self._hits(d) * 2 > len(self.x)}
        computed = self.computed(result)
        key = min(alike, key=alike.__getitem__, default="")
        return Graded(np.array(self.x), sketch, computed, key, self._hits(sketch - computed))

    def spoken(self, graded: Graded) -> str:
        """Sketch and computed curve in words and numbers, for those who cannot see the chart."""
        rows = zip(graded.x.tolist(), graded.sketch.tolist(), graded.computed.tolist(), strict=True)
        handles = (
            WORDS(
                "sketch_handle",
                x=number(x),
                mine=number(mine, 3),
                role=ROLES[self.role].label,
                computed=number(theirs, 3),
            )
            for x, mine, theirs in rows
        )
        return WORDS("sketch_spoken", label=self.label, handles="; ".join(handles))

    def _in_sight(self, y: Array) -> Array:
        return np.clip(np.asarray(y, dtype=np.float64), self.low, self.high)

    def _hits(self, apart: Array) -> int:
        return int((np.abs(apart) <= self.near + 1e-9).sum())

    def _within(self, x: Array) -> bool:
        return bool(x.min() <= min(self.x) and max(self.x) <= x.max())


def _is_curve(trace: Mapping[str, Any]) -> bool:
    """Whether a chart's trace is a role's curve over x, as a line or as ticks along it."""
    ticks = str(trace.get("marker", {}).get("symbol")).startswith("line-")
    return _colour(trace).startswith("role:") and (ticks or trace.get("mode") == "lines")


def _colour(trace: Mapping[str, Any]) -> str:
    return str(trace.get("marker" if trace.get("mode") == "markers" else "line", {}).get("color"))
