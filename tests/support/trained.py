"""Writes the trained.json of lessons, or of all: ``python -m tests.support.trained collapse``."""

import json
import sys

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Values
from lessons.contract.result import Facts
from lessons.kit.process import suit_small_tensors
from lessons.outputs.catalogue import find, lessons
from lessons.outputs.trained import FILE, case, key, tells
from lessons.training.under_way import finished

LESSONS = [lesson for lesson in lessons() if lesson.lab.training]


def told(lesson: Lesson) -> dict[str, Values]:
    """The settings of each training that the text tells of, by its name in the file."""
    cases = [case(lesson, step) for step in lesson.prose.steps if tells(lesson, step)]
    return {key(lesson, values): values for values in cases}


def kept(slug: str) -> dict[str, Facts]:
    """The facts in a lesson's file, by the name of their training there."""
    found: dict[str, Facts] = json.loads((find(slug).folder / FILE).read_text("utf-8"))
    return found


def ends(lesson: Lesson) -> dict[str, Facts]:
    """The facts at the end of each training that the text tells of, by its name in the file."""
    return {
        name: finished(lesson.lab, lesson.program, values).facts
        for name, values in told(lesson).items()
    }


def as_json(found: dict[str, Facts]) -> str:
    """The file's text: six digits of each number, as a whole number where it is one."""
    rounded = {
        name: {fact: json.loads(f"{value:.6g}") for fact, value in facts.items()}
        for name, facts in found.items()
    }
    return json.dumps(rounded, indent=1) + "\n"


if __name__ == "__main__":
    suit_small_tensors()
    only = sys.argv[1:] or [lesson.slug for lesson in LESSONS]
    for lesson in (lesson for lesson in LESSONS if lesson.slug in only):
        print(lesson.slug, file=sys.stderr, flush=True)
        (lesson.folder / FILE).write_text(as_json(ends(lesson)), "utf-8")
