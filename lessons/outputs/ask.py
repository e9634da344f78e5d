"""A lesson asked for by name, with settings as text: what the command line and the web both do."""

from collections.abc import Mapping
from typing import NamedTuple

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Values
from lessons.contract.result import Result
from lessons.outputs.catalogue import find
from lessons.text import listed, visible
from lessons.tracer.cutting import Cut, read_cuts, write_cuts


class Asked(NamedTuple):
    """A lesson, its settings, the edges of its graph that are cut."""

    lesson: Lesson
    values: Values
    cuts: tuple[Cut, ...]

    def to_json(self, result: Result) -> str:
        """What it came to, as one JSON object, unrounded."""
        head = {"cuts": write_cuts(self.cuts)} if self.cuts else {}
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
    values, wanted = lesson.validate(given), read_cuts(cuts)
    there = lesson.edges(values) if wanted else frozenset(wanted)
    unknown = [one for one in wanted if one not in there]
    if unknown:
        names = listed([visible(write_cuts([one])) for one in unknown], most=3)
        raise ValueError(
            f"cuts: {lesson.slug} has no edge {names} to cut. The edges that can "
            f"be cut: {write_cuts(there) or 'none'}."
        )
    return Asked(lesson, values, wanted)
