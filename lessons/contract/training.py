"""What a lesson with a training declares: a learner, what is seen of it, and how that is drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from lessons.contract.figure import Figure, Table
from lessons.contract.history import History, Snapshot
from lessons.contract.parameters import Values


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

    Args:
        begin: makes a learner.
        live: the parameters that may change during a run. Any other begins a new run.
        trained: of those the ones that the steps are made with; the others are for looking. When
            one of these changes, a run that is over begins anew, so that no picture is of other
            settings than those shown, and comes back with them; one under way says after which
            step it changed.
        figures, table: from what was seen so far.
        steps: the parameter that says how many steps there are.
        seeds: the parameter that says how many networks are trained.
        cuts: whether an edge that is cut in the lab's graph is cut in what is trained as well; a
            new cut then begins a new run.
    """

    begin: Begin
    live: frozenset[str]
    trained: frozenset[str]
    figures: Callable[[History, Values], list[Figure]]
    table: Callable[[History, Values], Table]
    steps: str = "steps"
    seeds: str = "seeds"
    cuts: bool = False
