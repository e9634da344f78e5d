"""A lesson's program as it ran: the result, how long it took, and the graph."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from time import perf_counter
from typing import Any

from lessons.contract.lesson import CutError, Lesson
from lessons.contract.result import Facts, LazyFacts, Result
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder import Recording
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.recorder.recording.plain_tensor import component
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)


@dataclass(frozen=True)
class Computed:
    """A lesson's result for some settings and cuts.

    Args:
        lesson, values: what ran, with which settings.
        cuts: the edges that were cut; none if the program can't run with all that were asked for.
        result, seconds: the program's result, and how long it took.
        refusal: why the program can't run with these cuts.
    """

    lesson: Lesson
    values: Settings
    cuts: tuple[Cut, ...]
    result: Result
    seconds: float
    refusal: str = ""

    @cached_property
    def recording(self) -> Recording | None:
        """Record the graph on first access; None where the lesson has none."""
        return self.lesson.record(self.values, self.cuts)

    @cached_property
    def facts(self) -> Facts:
        """The result's facts and, as ``x_grad``, the gradient of x that the graph shows."""
        return LazyFacts(self.result.facts, self._gradients)

    def _gradients(self) -> Facts:
        start = self.lesson.lab.start
        index = start(self.values).index if start else ()
        return {f"{leaf}_grad": one for leaf, one in leaf_gradients(self.recording, index).items()}


def leaf_gradients(recording: Recording | None, index: Sequence[int]) -> dict[str, float]:
    """Return the gradients of a recording's leaves, at the component that its drawing shows."""
    leaves = [node for node in recording or () if node.leaf and node.gradient is not None]
    return {node.name: component(node.gradient, index) for node in leaves}


def computed(lesson: Lesson, values: Settings, cuts: Collection[Cut] = ()) -> Computed:
    """Run the lesson, or return what the cache keeps for the same request."""
    return _computed(lesson, tuple(values.items()), repr(values), tuple(sorted(cuts)))


@lru_cache(maxsize=48)
def _computed(
    lesson: Lesson,
    settings: tuple[tuple[str, Any], ...],
    written: str,  # 0 equals -0.0 and is another input, also in the cache
    cuts: tuple[Cut, ...],
) -> Computed:
    values, start, refusal = lesson.lab.settings(dict(settings)), perf_counter(), ""
    try:
        result = lesson.compute(values, cuts)
    except CutError as error:
        result, cuts = lesson.compute(values), ()
        refusal = WORDS("cuts_dropped", why=error)
    return Computed(lesson, values, cuts, result, perf_counter() - start, refusal)
