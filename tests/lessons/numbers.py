"""Keeps numbers and right answers of lessons in a file: `python -m tests.lessons.numbers flip`.

Without a name it writes those of all lessons. Run it after a change that is meant to move one;
test_every_lesson.py compares them.
"""

import json
import sys
from pathlib import Path
from typing import Any

from lessons.contract.lesson import Lesson
from lessons.contract.prose import Step
from lessons.contract.result import Result, jsonable
from lessons.outputs.catalogue import lessons
from lessons.text.words import placeholders

FILE = Path(__file__).parents[1] / "data" / "numbers.json"


def kept() -> dict[str, list[dict[str, Any]]]:
    """For each step of each lesson: the facts that its texts quote, and the right `answer`."""
    found: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text("utf-8"))
    return found


def texts(step: Step) -> tuple[str, ...]:
    """Every text of a step: its own, the answers to its question, and the reply to each answer."""
    options = step.question.options if step.question else ()
    return (step.text, *(o.text for o in options), *(o.reply for o in options))


def of_step(lesson: Lesson, step: Step, result: Result) -> dict[str, Any]:
    """A step's entry of ``kept``, computed now."""
    verdict = step.question.computed if step.question else ()
    names = {fact for _, fact, _ in verdict}.union(*map(placeholders, texts(step)))
    told = {name: jsonable(result.facts[name]) for name in sorted(names)}
    if step.question and step.question.kind != "bug":
        told["answer"] = lesson.right(step.question, result)
    return told


def of_lesson(lesson: Lesson) -> list[dict[str, Any]]:
    """A lesson's entry of ``kept``, computed now."""
    results = ((step, lesson.compute(lesson.validate(step.lab))) for step in lesson.prose.steps)
    return [of_step(lesson, *one) for one in results]


def main(only: list[str]) -> None:
    """Write the numbers of these lessons or of all, a step a line."""
    known, rows = kept(), []
    for lesson in lessons():
        chosen = not only or lesson.slug in only
        steps = of_lesson(lesson) if chosen else known[lesson.slug]
        lines = [json.dumps(step, ensure_ascii=False) for step in steps]
        rows.append(f'"{lesson.slug}": [\n' + ",\n".join(lines) + "\n]")
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
