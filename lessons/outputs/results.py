"""What a learner answered, for a teacher: as plain data, JSON and CSV."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lessons.contract.lesson import Lesson
from lessons.outputs.review import Predicted

TYPE, VERSION = "gradient-tricks/results", 1
"""A framing page knows our messages by these; a removed or changed field raises the version."""
_FORMULA = re.compile(r"[=+\-@\t\r\n]")
"""First characters that a spreadsheet takes for a formula."""


@dataclass(frozen=True)
class Answered:
    """One question of a lesson.

    Args:
        lesson: its slug.
        question: the title of the step that asks it.
        answer: the last one, in words.
        right: whether it is right.
        right_at_first: whether the first answer was.
    """

    lesson: str
    question: str
    answer: str | None = None
    right: bool | None = None
    right_at_first: bool | None = None


def answered(
    lesson: Lesson,
    predicted: Sequence[Predicted],
    right_at_first: Mapping[str, bool],
) -> list[Answered]:
    """Return a lesson's questions in turn.

    Args:
        predicted: the last answers, as ``review`` has looked at them.
        right_at_first: by the question's name, for those that were answered.
    """
    rows = []
    for question, one in zip(lesson.prose.questions, predicted, strict=True):
        row = Answered(lesson.slug, _words(one.title))
        if question.name in right_at_first:
            at_first = right_at_first[question.name]
            row = replace(row, answer=_words(one.said), right=one.right, right_at_first=at_first)
        rows.append(row)
    return rows


def as_data(rows: Iterable[Answered], done: bool) -> dict[str, Any]:
    """Return the content of the JSON file and of the message to a framing page.

    Args:
        done: whether the last step was reached with every question answered.
    """
    answers = [asdict(row) for row in rows]
    counts = {
        "questions": len(answers),
        "answered": sum(one["answer"] is not None for one in answers),
        "right": sum(one["right"] is True for one in answers),
        "right_at_first": sum(one["right_at_first"] is True for one in answers),
    }
    return {"type": TYPE, "version": VERSION, "done": done, **counts, "answers": answers}


def as_files(data: Mapping[str, Any]) -> dict[str, str]:
    """Return ``as_data`` as a file by its ending: JSON, and CSV with a row for each question."""
    text = io.StringIO("\ufeff")  # Excel takes it for UTF-8 then
    text.seek(1)
    writer = csv.DictWriter(text, Answered.__dataclass_fields__)
    writer.writeheader()
    for row in data["answers"]:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return {"csv": text.getvalue(), "json": json.dumps(data, ensure_ascii=False, indent=1) + "\n"}


def _words(text: str) -> str:
    """Return a text of ours without the marks of code; formulas stay as LaTeX."""
    return text.replace("`", "")


def _cell(value: str | bool | None) -> str:
    """Return the value as a cell: with an apostrophe in front of what begins like a formula."""
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return f"'{value}" if _FORMULA.match(value) else value
