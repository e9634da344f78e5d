"""What a lesson with a training declares: a learner, what is seen of it, and how that is drawn."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from lessons.contract.figure import Figure, Table
from lessons.contract.history import History, Snapshot
from lessons.contract.result import Facts
from lessons.contract.settings import Settings

S = TypeVar("S", bound=Settings)
S_contra = TypeVar("S_contra", bound=Settings, contravariant=True)


class Learner(Protocol[S_contra]):
    """Networks in training, one a seed."""

    def step(self, done: int, settings: S_contra) -> None:
        """Update every network once, after ``done`` updates."""

    def look(self, done: int, settings: S_contra, drawn: bool = True) -> Snapshot:
        """Measure the networks after ``done`` updates, without changing them.

        ``drawn=False`` wants the numbers alone.
        """


@dataclass(frozen=True)
class Training(Generic[S]):
    """What a lesson says of its training; ``Run`` does the rest.

    The setting ``steps`` says how many steps there are, ``seeds`` how many networks are trained.

    Args:
        begin: makes a learner at step 0 for a lesson's program; the same settings give the same
            numbers.
        charts, table: from what was seen so far.
        cuts: whether an edge that is cut in the lab's graph is cut in what is trained as well; a
            new cut then begins a new run.
    """

    begin: Callable[[Callable[..., Any], S], Learner[S]]
    charts: Sequence[Callable[[History, S], Figure]]
    table: Callable[[History, S], Table]
    cuts: bool = False

    def figures(self, history: History, settings: S) -> list[Figure]:
        """Draw the charts."""
        return [chart(history, settings) for chart in self.charts]

    def facts_at_first(
        self, program: Callable[..., Any], settings: S, known: Collection[str] = ()
    ) -> Facts:
        """Compute a run's facts before its first step, without those that are known.

        They are kept for the settings that its learner reads: no other slider computes them again.
        """
        history = History(settings["steps"])
        history.add(0, self._at_first(program, settings))
        return {name: one for name, one in history.facts.items() if name not in known}

    def _at_first(self, program: Callable[..., Any], settings: S) -> Snapshot:
        for training, of, read, snapshot in tuple(_AT_FIRST):  # another session may add to it
            if training is self and of is program and read.items() <= settings.items():
                return snapshot
        noted, read = settings.recording_reads()
        snapshot = self.begin(program, noted).look(0, noted, drawn=False)
        _AT_FIRST.append((self, program, read, snapshot))
        return snapshot


_AT_FIRST: deque[tuple[Training[Any], Callable[..., Any], dict[str, Any], Snapshot]] = deque(
    maxlen=128
)
