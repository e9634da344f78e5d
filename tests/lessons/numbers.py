"""Keeps each lesson's numbers and right answers in a file: `python -m tests.lessons.numbers`.

Run it after a change that is meant to move one of them; test_every_lesson.py compares them.
"""

import json
from pathlib import Path
from typing import Any

from lessons.contract.lesson import Lesson
from lessons.contract.prose import Step
from lessons.contract.result import Result, jsonable
from lessons.outputs.catalogue import lessons
from lessons.text.words import placeholders

FILE = Path(__file__).parents[1] / "data" / "numbers.json"


def kept() -> dict[str, list[dict[str, Any]]]:
    """For each step of each lesson: the facts that its text quotes, and the right `answer`."""
    found: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text("utf-8"))
    return found


def texts(step: Step) -> tuple[str, ...]:
    """Every text of a step: its own, the answers to its question, and the reply to each answer."""
    options = step.question.options if step.question else ()
    return (step.text, *(o.text for o in options), *(o.reply for o in options))


def of_step(lesson: Lesson, step: Step, result: Result) -> dict[str, Any]:
    """A step's entry of ``kept``, computed now."""
    names = sorted(frozenset().union(*map(placeholders, texts(step))))
    told = {name: jsonable(result.facts[name]) for name in names}
    if step.question and step.question.kind != "bug":
        told["answer"] = lesson.right(step.question, result)
    return told


def main() -> None:
    """Write the numbers of all lessons, a step a line."""
    rows = []
    for lesson in lessons():
        results = ((step, lesson.compute(lesson.validate(step.lab))) for step in lesson.prose.steps)
        steps = [json.dumps(of_step(lesson, *one), ensure_ascii=False) for one in results]
        rows.append(f'"{lesson.slug}": [\n' + ",\n".join(steps) + "\n]")
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
