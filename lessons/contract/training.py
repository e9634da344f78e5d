"""What a lesson with a training declares: a learner, what is seen of it, and how that is drawn."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lessons.contract.figure import Figure, Table
from lessons.contract.history import History, Snapshot
from lessons.contract.parameters import Values
from lessons.contract.result import Facts


class Learner(Protocol):
    """Networks in training, one a seed."""

    def step(self, done: int, values: Values) -> None:
        """One update of every network; ``done`` updates were made before it."""

    def look(self, done: int, values: Values, drawn: bool = True) -> Snapshot:
        """How things stand after ``done`` updates; leaves what is trained as it is.

        ``drawn=False`` wants the numbers alone.
        """


Begin = Callable[[Callable[..., Any], Values], Learner]
"""A learner at step 0 for a lesson's program; the same values give the same numbers."""


@dataclass(frozen=True)
class Training:
    """What a lesson says of its training; ``Run`` does the rest.

    The setting ``steps`` says how many steps there are, ``seeds`` how many networks are trained.

    Args:
        begin: makes a learner.
        figures, table: from what was seen so far.
        cuts: whether an edge that is cut in the lab's graph is cut in what is trained as well; a
            new cut then begins a new run.
    """

    begin: Begin
    figures: Callable[[History, Values], list[Figure]]
    table: Callable[[History, Values], Table]
    cuts: bool = False

    def facts_at_first(self, program: Callable[..., Any], values: Values) -> Facts:
        """A run's facts before its first step.

        They are kept for the settings that its learner reads: no other slider computes them again.
        """
        history = History(int(values["steps"]))
        history.add(0, self._at_first(program, values))
        return history.facts

    def _at_first(self, program: Callable[..., Any], values: Values) -> Snapshot:
        for training, of, read, snapshot in tuple(_AT_FIRST):  # another session may add to it
            if training is self and of is program and read.items() <= values.items():
                return snapshot
        noted = _Noted(values)
        snapshot = self.begin(program, noted).look(0, noted, drawn=False)
        _AT_FIRST.append((self, program, noted.read, snapshot))
        return snapshot


_AT_FIRST: deque[tuple[Training, Callable[..., Any], dict[str, Any], Snapshot]] = deque(maxlen=128)


class _Noted(Mapping[str, Any]):
    """Settings that note which of them are read."""

    def __init__(self, values: Values) -> None:
        self.read: dict[str, Any] = {}
        self._values = values

    def __getitem__(self, name: str) -> Any:
        self.read[name] = self._values[name]
        return self.read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
