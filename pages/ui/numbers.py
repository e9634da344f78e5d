"""Numbers in a lesson's text that follow a training, without drawing the page anew.

Each stands in a mark of its own. With every picture of the training goes what the marks say at
that moment, and the trainer in the browser puts it there: a run of the whole page for each would
take longer than the pictures are apart. The text is no live region: nothing is read aloud.
"""

import html
from collections.abc import Collection

from lessons.lesson import Lesson
from lessons.prose import Mark, Step, fill
from lessons.result import Result


def mark(lesson: Lesson) -> Mark | None:
    """How a number of this lesson's text is marked; None where none can change by itself."""
    return _span if lesson.lab.training is not None else None


def told(step: Step, answered: Collection[str], result: Result) -> dict[str, str]:
    """What each mark in a step's text says of a result, and in replies if they are to be seen."""
    found: dict[str, str] = {}

    def note(name: str, shown: str) -> str:
        found[name] = shown
        return shown

    texts = [step.text]
    if step.question and step.question.name in answered:
        texts += [option.reply for option in step.question.options]
    for text in texts:
        fill(text, result.facts, note)
    return found


def _span(name: str, shown: str) -> str:
    return f'<span class="gt-number" data-number="{html.escape(name)}">{shown}</span>'
