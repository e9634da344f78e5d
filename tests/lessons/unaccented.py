"""Print the English words left in lessons.

Their texts are in the language of tests/support/pseudo.py. Run it with the lessons that
``copy_in_pseudo`` wrote first in the path.
"""

import re
from collections.abc import Iterator
from typing import Any

from lessons.contract.lesson import Lesson
from lessons.kit.formulas.products import PRODUCTS
from lessons.outputs.catalogue import chapters, lessons
from lessons.outputs.trained import end_of
from lessons.prose.steps import fill
from lessons.training.under_way import Run
from tests.support.pseudo import APART

WORD = re.compile(r"(?<![\w.])[A-Za-z][a-z’']*[a-z](?![\w’'])")
SHOWN = {"name", "text", "title", "hovertemplate", "ticktext"}
"""Where Plotly's traces and layouts have words."""
CODE = {
    *("relu", "clamp", "maximum", "round", "sign", "mul", "square", "identity"),
    *("Add", "Identity", "Mul", "Pow", "Square", "Sub", "Tanh"),
    *("dh", "dw", "dx", "dy", "dz"),
}
"""Names of code and of derivatives, which are the same in every language."""


def english(text: str) -> set[str]:
    """The words without an accent that are not code."""
    return set(WORD.findall(APART.sub(" ", text))) - CODE


def strings(value: Any, shown: bool = False) -> Iterator[str]:
    """The texts in a chart's trace or layout that a learner reads."""
    if isinstance(value, dict):
        hidden = {"name"} if value.get("hoverinfo") == "skip" else set()
        for name, inner in value.items():
            yield from strings(inner, name in SHOWN - hidden)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from strings(inner, shown)
    elif isinstance(value, str) and shown:
        yield value


def in_formula(latex: str) -> list[str]:
    """The texts in a formula."""
    return re.findall(r"\\text\{(.*?)\}", latex)


def lab_texts(lesson: Lesson) -> Iterator[str]:
    """What the lab says at its own settings, with its questions open and answered."""
    values = lesson.validate({})
    result = lesson.compute(values)
    hidden = frozenset(role for one in lesson.prose.questions for role in one.hides)
    figures = [
        *lesson.figures(result, values, frozenset()),
        *lesson.figures(result, values, hidden),
    ]
    tables = [lesson.table(result, values, frozenset())]
    if training := lesson.lab.training:
        history = Run(lesson.lab, lesson.program, values).history
        figures += training.figures(history, values)
        tables.append(training.table(history, values))
    for figure in figures:
        yield from (figure.title, figure.caption, figure.alt, figure.subject)
        yield from strings([figure.data, figure.layout])
    for table in tables:
        yield from (table.caption, table.subject, *(label for label, _ in table.columns))
        yield from (cell for row in table.rows for cell in row)
    yield from (note.text for note in result.notes)
    yield result.work
    for one in lesson.lab.parameters:
        yield from (one.label, one.help, getattr(one, "placeholder", ""))
        yield from (label for _, label in getattr(one, "options", ()))
    assert all(name.isascii() for name in {*result.facts, *(one.name for one in figures)})


def prose_texts(lesson: Lesson) -> Iterator[str]:
    """The steps, filled in; a fact that is text is torch's own message or code."""
    yield from lesson.prose.front.values()
    for step in lesson.prose.steps:
        end = end_of(lesson, step)
        facts = {**lesson.compute(lesson.validate(step.lab)).facts, **(end.facts if end else {})}
        facts = {name: "" if isinstance(one, str) else one for name, one in facts.items()}
        texts = [step.title, step.text, *([step.turn.text] if step.turn else [])]
        if step.question:
            texts += [text for one in step.question.options for text in (one.text, one.reply)]
            texts += [what for what, _, _ in step.question.computed]
        yield from (fill(text, facts) for text in texts)


def main() -> None:
    said = [
        (one.slug, text)
        for one in chapters()
        for text in (*one.prose.front.values(), one.prose.intro)
    ]
    rules = [(op, latex) for op, texts in PRODUCTS.items() for latex in texts]
    said += [(op, text) for op, latex in rules for text in in_formula(latex)]
    for lesson in lessons():
        said += [(lesson.slug, text) for text in (*lab_texts(lesson), *prose_texts(lesson))]
    for slug, text in said:
        if words := english(text):
            print(f"{slug}: {', '.join(sorted(words))}, in: {text[:160]}")


if __name__ == "__main__":
    main()
