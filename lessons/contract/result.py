"""What a lesson's compute returns: series by role, facts for the prose, notes, plain numpy."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lessons.contract.roles import ROLES
from lessons.prose.goal import Facts as Facts

Array = npt.NDArray[np.float64]


class LazyFacts(Facts):
    """What the prose can quote, by name; some facts are computed when one of them is read.

    Args:
        known: the facts that are there.
        parts: compute the other facts; a part is computed when a name is in no earlier one.
    """

    def __init__(self, known: Facts, *parts: Callable[[], Facts]) -> None:
        self._parts: list[Callable[[], Facts]] = [lambda: known, *map(cache, parts)]

    def __getitem__(self, name: str) -> float | int | str:
        for part in self._parts:
            if name in part():
                return part()[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(part() for part in self._parts)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True)
class Series:
    """Numbers over x in one role.

    Args:
        name: unique in its result.
        role: a key of ``lessons.contract.roles.ROLES``.
        x, y: float64, shape [n], in the order the learner gave; y may hold NaN and infinities.
        low, high: float64, shape [n]: the 5th and 95th percentile of y over the draws, if any.
    """

    name: str
    role: str
    x: Array
    y: Array
    low: Array | None = None
    high: Array | None = None

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"series {self.name}: no role {self.role!r}; there are {list(ROLES)}")
        for array in (self.y, self.low, self.high):
            if array is not None and array.shape != self.x.shape:
                raise ValueError(f"series {self.name}: {array.shape} against x {self.x.shape}")


@dataclass(frozen=True)
class Note:
    """Something a learner must know about these numbers: a NaN and its cause, an estimate."""

    level: Literal["info", "warning"]
    text: str


def warned(text: str | None) -> tuple[Note, ...]:
    """A warning of this text; nothing where there is none."""
    return (Note("warning", text),) if text else ()


@dataclass(frozen=True)
class Histogram:
    """Counts of a value in bins, with its mean and standard deviation.

    Args:
        edges: shape [bins + 1].
        counts: shape [bins], whole numbers.
    """

    name: str
    role: str
    edges: Array
    counts: Array
    mean: float
    spread: float


@dataclass(frozen=True)
class Result:
    """Everything a lesson shows for one set of parameters.

    Args:
        series: at exactly the learner's x, one draw.
        curves: over the whole plot, mean and band of the draws.
        statistics: at the learner's x, mean and band of the draws.
        histograms: over the draws, at the point the learner chose.
        facts: scalars and text for the prose and the predictions. Settings are facts anyway, and at
            the point that the text is about its number and those of ``series``.
        more_facts: compute further facts, in parts; a part is computed if one of its facts is read.
        notes: what must be known about the numbers.
        planes: arrays of several dimensions for charts alone, by name; not in the JSON.
        work: how much was computed, in words.
        device: where torch computed.
    """

    series: tuple[Series, ...]
    curves: tuple[Series, ...] = ()
    statistics: tuple[Series, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    facts: Facts = field(default_factory=dict)
    more_facts: Sequence[Callable[[], Facts]] = ()
    notes: tuple[Note, ...] = ()
    planes: Mapping[str, Array] = field(default_factory=dict)
    work: str = ""
    device: str = "cpu"

    def __getitem__(self, name: str) -> Series:
        """The series at the learner's x with this name."""
        for series in self.series:
            if series.name == name:
                return series
        raise KeyError(f"no series {name!r}; there are {[series.name for series in self.series]}")

    def number(self, name: str) -> float:
        """The fact of this name, which is a number."""
        return float(self.facts[name])

    def numbers(self, *names: str) -> list[float]:
        """The facts of these names, which are numbers."""
        return [self.number(name) for name in names]

    def to_json(self, **head: Any) -> str:
        """One JSON object, unrounded; NaN and infinities are the strings nan, inf, -inf."""
        body = {
            **head,
            "device": self.device,
            "series": {s.name: _plain(s) for s in self.series},
            "statistics": {s.name: _plain(s, "mean") for s in self.statistics},
            "curves": {s.name: _plain(s, "mean") for s in self.curves},
            "facts": {name: jsonable(value) for name, value in self.facts.items()},
            "notes": [note.text for note in self.notes],
        }
        return json.dumps(body, allow_nan=False, ensure_ascii=False)


def jsonable(value: Any) -> Any:
    """Convert numbers for JSON: non-finite ones become text."""
    if isinstance(value, np.ndarray):
        return [jsonable(item) for item in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _plain(series: Series, y: str = "y") -> dict[str, Any]:
    fields: dict[str, Any] = {"role": series.role, "x": series.x, y: series.y}
    if series.low is not None:
        fields |= {"p05": series.low, "p95": series.high}
    return {name: jsonable(value) for name, value in fields.items()}
