"""A prediction drawn by hand: a value at each of some x, and the belief whose curve it resembles.

The browser sends one character for each handle: the level where it stands, counted from the bottom
of the chart. The same text is what is remembered of the answer.
"""

import math
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.text import number

LEVELS = 60
"""Levels above the lowest on which a handle can stand."""

_DIGITS = (string.digits + string.ascii_uppercase + string.ascii_lowercase)[: LEVELS + 1]

Facts = Mapping[str, float | int | str]


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

    def __str__(self) -> str:
        """How well it fits, in a sentence."""
        return f"{self.hits} of {len(self.x)} handles lie near the curve that torch computes."


@dataclass(frozen=True)
class Sketch:
    """A curve to draw before it is shown.

    Args:
        beliefs: the curve that each answer of the question expects, by the answer's key, at x of
            shape [handles] and with the facts of the result.
        x: where the handles stand.
        low, high: the ends of the chart; 0 is one of its levels.
        near: how far from a curve a handle may stand and still count as on it.
        label: what is drawn, as the chart's axis names it.
        role: which of the result's curves is asked for.
    """

    beliefs: Callable[[Array, Facts], Mapping[str, Array]]
    x: tuple[float, ...]
    low: float
    high: float
    near: float
    label: str
    role: str = "trick_gradient"

    def __post_init__(self) -> None:
        if not self.low <= 0 <= self.high or not math.isclose(self.level(0.0) % 1, 0):
            raise ValueError(f"0 is no level of a chart from {self.low} to {self.high}")
        if self.role not in ROLES:
            raise ValueError(f"no role {self.role!r}; there are {list(ROLES)}")

    def level(self, y: float) -> float:
        """Where a value stands, in levels from the bottom."""
        return round((y - self.low) / (self.high - self.low) * LEVELS, 9)

    def read(self, text: object) -> Array:
        """The sketch as values; the text may be anybody's.

        Raises:
            ValueError: it is no sketch with these handles.
        """
        expected = f"one character for each of {len(self.x)} handles"
        if not isinstance(text, str) or len(text) != len(self.x):
            raise ValueError(f"That is no sketch of this curve: {expected} was expected.")
        if not set(text) <= set(_DIGITS):
            raise ValueError(f"That is no sketch of this curve: {expected}, 0 to {_DIGITS[-1]}.")
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
        curve = next((one for one in result.curves if one.name == self.role), None)
        if curve is None:
            raise ValueError(f"the result has no curve {self.role!r}")
        there = np.isfinite(curve.y)
        if not there.any() or not self._within(curve.x[there]):
            raise ValueError(f"the curve {self.role!r} does not reach all of x = {self.x}")
        return self._in_sight(np.interp(self.x, curve.x[there], curve.y[there]))

    def expected(self, result: Result) -> dict[str, Array]:
        """Each answer's curve at the handles, as far as the chart reaches."""
        curves = self.beliefs(np.array(self.x), result.facts)
        return {key: self._in_sight(curve) for key, curve in curves.items()}

    def grade(self, text: object, result: Result) -> Graded:
        """Compare a sketch with the computed curve and with what each belief expects.

        It resembles a belief if more than half of its handles lie near that one's curve; of
        several, the one with the least distance on average.

        Raises:
            ValueError: the text is no sketch with these handles.
        """
        sketch = self.read(text)
        apart = {key: np.abs(sketch - curve) for key, curve in self.expected(result).items()}
        alike = {key: d.mean() for key, d in apart.items() if self._hits(d) * 2 > len(self.x)}
        computed = self.computed(result)
        key = min(alike, key=alike.__getitem__, default="")
        return Graded(np.array(self.x), sketch, computed, key, self._hits(sketch - computed))

    def spoken(self, graded: Graded) -> str:
        """Sketch and computed curve in words and numbers, for those who cannot see the chart."""
        rows = zip(graded.x.tolist(), graded.sketch.tolist(), graded.computed.tolist(), strict=True)
        said = (
            f"x = {number(x)}: you {number(mine, 3)}, {ROLES[self.role].label} {number(theirs, 3)}"
            for x, mine, theirs in rows
        )
        return f"Your sketch of {self.label} over x. {'; '.join(said)}."

    def _in_sight(self, y: Array) -> Array:
        return np.clip(np.asarray(y, dtype=np.float64), self.low, self.high)

    def _hits(self, apart: Array) -> int:
        return int((np.abs(apart) <= self.near + 1e-9).sum())

    def _within(self, x: Array) -> bool:
        return bool(x.min() <= min(self.x) and max(self.x) <= x.max())
