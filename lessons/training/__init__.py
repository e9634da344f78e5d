"""Training that a learner watches: what such a lesson declares, and how it runs.

How a training lesson is written (``lessons/reversal/moons`` is one to copy):

1. A ``Learner``: the networks of all seeds at once, as stacked weights (``stacked.py``), because
   one seed proves nothing. ``step`` makes one update with the settings of that moment; ``look``
   says how things stand, and must not change what is trained. It draws every random number from
   generators of its own, one a seed, on the CPU. Its file needs torch alone: the exported file
   carries it. Its updates are ``stacked.Adam``'s: torch.optim loads torch's compiler, and every
   page is slower from then on.
2. A ``Training`` on the lesson's ``Lab``: how a learner begins, which parameter says how many
   steps there are, which parameters may change while it runs, and the charts and table of a
   ``History``. ``drawing.py`` has the pieces of such charts, ``contours.py`` boundary lines.
3. The lab's ``compute`` is what is there before the first step: gradients by role at some
   component of the untrained network. Its facts hold everything of ``History.facts`` at step 0
   (``facts_at_first`` in run.py), so that the text can be filled before anything has run; from
   then on the run's facts replace them, and the text's numbers go along with the pictures. Those
   in maths, in code and in answers to choose cannot: write no number of a run there. ``script``
   trains in the exported file: ``ending`` in script.py.

What a question hides is covered here too (covering.py): so draw what belongs to a role in its
colour, and name the role in the table's column. A question that only a run can answer says
``holds=training``: then nothing runs before the answer.

Who drives it: ``Run`` (run.py) makes the steps for a page, a slice of time at a call; between two
slices nothing is computed and no thread waits.
``snapshots`` (run.py) is the same as a plain generator, for tests and the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from lessons.parameters import Values
from lessons.result import Array

if TYPE_CHECKING:
    from lessons.lesson import Figure, Table
    from lessons.training.history import History


@dataclass(frozen=True)
class Snapshot:
    """How a training stands after some step: plain numbers, nothing of torch.

    Args:
        numbers: what is drawn over the steps and told as a mean over seeds; by name, float64,
            shape [seeds].
        picture: what the charts of this moment need, of the seed that is shown; by name. Empty
            where nobody is to see it.
    """

    numbers: Mapping[str, Array]
    picture: Mapping[str, Array] = field(default_factory=dict)


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
        live: the parameters that are read anew at every step. Any other begins a new run.
        figures, table: from what was seen so far.
        steps: the parameter that says how many steps there are.
        seeds: the parameter that says how many networks are trained.
        leads: whether these charts stand before those of the lab itself.
        cuts: whether an edge that is cut in the lab's graph is cut in what is trained as well; a
            new cut then begins a new run.
    """

    begin: Begin
    live: frozenset[str]
    figures: Callable[[History, Values], list[Figure]]
    table: Callable[[History, Values], Table]
    steps: str = "steps"
    seeds: str = "seeds"
    leads: bool = True
    cuts: bool = False
