"""`Runs`: what the rules of one lesson need, each setting, graph and training computed once."""

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import Any, TypeVar

from lessons.contract.cuts import read_cuts, write_cuts
from lessons.contract.figure import Figure
from lessons.contract.history import History
from lessons.contract.lesson import Lesson
from lessons.contract.result import Facts, Result
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder import Recording
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.text import listed
from lessons.gradient_tricks.text.words import ProseError, in_language
from lessons.kit.formulas.drawing import picture
from lessons.prose.steps import Question, Step
from lessons.training.under_way import Run

T = TypeVar("T")

Problems = Iterator[tuple[Step | str | None, str]]
"""What a rule finds: a step, a file in the lesson's folder, or None for the text as a whole; and
what is wrong there, what was expected, what to do."""


class Runs:
    """One lesson, and what was computed of it.

    Args:
        lesson: the lesson to check.
        thorough: try all cases of the rules that usually try some, and train again what
            trained.json keeps.
    """

    def __init__(self, lesson: Lesson, thorough: bool = False) -> None:
        self.lesson, self.thorough = lesson, thorough
        self.trained: dict[str, Facts] = {}
        """The facts after trainings, by their settings; from trained.json, or made here."""
        self._known: dict[tuple[Any, ...], Any] = {}

    def _once(
        self, compute: Callable[..., T], values: Settings, cuts: Collection[Cut], *more: Any
    ) -> T:
        key = compute.__name__, repr(values), tuple(sorted(cuts)), *more
        if key not in self._known:
            self._known[key] = compute(values, key[2], *more)
        found: T = self._known[key]
        return found

    def result(self, values: Settings, cuts: Collection[Cut] = ()) -> Result:
        """Compute the lesson.

        Raises:
            CutError: the program can't run with these cuts.
        """
        return self._once(self.lesson.compute, values, cuts)

    def figures(self, values: Settings, cuts: Collection[Cut] = ()) -> list[Figure]:
        """Draw the lab's charts, without those of a training."""
        return self._once(self._figures, values, cuts)

    def _figures(self, values: Settings, cuts: Collection[Cut]) -> list[Figure]:
        return self.lesson.lab.figures(self.result(values, cuts), values)

    def graph(self, values: Settings, cuts: Collection[Cut] = ()) -> dict[str, Any]:
        """Draw the lesson's graph, with the steps of its backward pass."""
        return self._once(self._graph, values, cuts)

    def _graph(self, values: Settings, cuts: Collection[Cut]) -> dict[str, Any]:
        recording, start = self._once(self.lesson.record, values, cuts), self.lesson.lab.start
        assert recording and start  # noqa: PT018
        return picture(recording, start(values).index)

    def edges(self, values: Settings) -> frozenset[Cut]:
        """Return the edges that can be cut; none without a graph."""
        recording: Recording | None = self._once(self.lesson.record, values, ())
        edges = recording.edges if recording else ()
        return frozenset((edge.consumer.name, edge.operand) for edge in edges if edge.cuttable)

    def cuts(self, text: str, values: Settings) -> tuple[Cut, ...]:
        """Read the cuts in a step or a task.

        Raises:
            ProseError: the graph has no such edge.
        """
        asked = read_cuts(text)
        if unknown := set(asked) - self.edges(values):
            among = listed(write_cuts(self.edges(values)).split(","), most=99)
            raise ProseError(
                f"`{write_cuts(unknown)}` is no edge that can be cut here. Try {among}."
            )
        return asked

    def history(self, values: Settings, cuts: Collection[Cut], steps: int) -> History:
        """Train this many steps, and look at the end."""
        return self._once(self._history, values, cuts, steps)

    def _history(self, values: Settings, cuts: Collection[Cut], steps: int) -> History:
        run = Run(self.lesson.lab, self.lesson.cut_open(cuts), values)
        if steps:
            run.advance(float("inf"), values, steps)
        return run.history

    def facts(self, values: Settings, cuts: Collection[Cut], steps: int) -> Facts:
        """Compute the facts after so many steps of a training, as trained.json may know them."""
        found = self.result(values, cuts).facts
        if not steps:
            return found
        settings = {**self.lesson.changed(values), "run": str(steps), "cuts": write_cuts(cuts)}
        name = " ".join(f"{name}={text.replace(' ', '')}" for name, text in settings.items())
        if name not in self.trained:
            self.trained[name] = self.history(values, cuts, steps).facts
        return {**found, **self.trained[name]}

    @cached_property
    def steps(self) -> list[tuple[Step, Settings, Result]]:
        """Each step with its settings and its result."""
        steps = ((step, self.lesson.validate(step.lab)) for step in self.lesson.prose.steps)
        return [(step, values, self.result(values)) for step, values in steps]

    @cached_property
    def questions(self) -> list[tuple[Step, Question, Result]]:
        """Each step that asks something, with its question and its result."""
        return [(step, step.question, result) for step, _, result in self.steps if step.question]

    @cached_property
    def right(self) -> dict[str, str]:
        """The right answer to each question, by its name."""
        return {one.name: self.lesson.right(one, result) for _, one, result in self.questions}

    @cached_property
    def text(self) -> str:
        """The lesson's Markdown."""
        return in_language(self.lesson.folder).read_text("utf-8")
