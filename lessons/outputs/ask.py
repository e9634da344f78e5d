"""A lesson asked for by name, with settings as text: what the command line and the web both do."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lessons.contract.cuts import write_cuts
from lessons.contract.history import History
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result, jsonable
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.outputs.catalogue import find


class Asked(NamedTuple):
    """A lesson, its settings, the edges of its graph that are cut."""

    lesson: Lesson
    values: Settings
    cuts: tuple[Cut, ...]

    def to_json(self, result: Result, history: History | None = None) -> str:
        """The result as one JSON object, with unrounded numbers."""
        head: dict[str, Any] = {"cuts": write_cuts(self.cuts)} if self.cuts else {}
        if self.lesson.lab.training:
            facts = history.facts if history else {"step": 0}
            head["trained"] = {name: jsonable(value) for name, value in facts.items()}
        parameters = self.lesson.text(self.values)
        return result.to_json(lesson=self.lesson.slug, parameters=parameters, **head)


def asked(slug: str, given: Mapping[str, str], cuts: str = "") -> Asked:
    """Find the lesson, and read its settings.

    Raises:
        UnknownLessonError: there is no such lesson.
        InvalidParametersError: what is refused of the settings.
        ValueError: cuts that cannot be read, or that name no edge.
    """
    lesson = find(slug)
    values = lesson.validate(given)
    edges, refusal = lesson.cuts_in(cuts, values)
    if refusal:
        raise ValueError(f"cuts: {refusal}")
    return Asked(lesson, values, edges)
