"""Print the English words left in what the playground says, as tests/lessons/unaccented.py does."""

import re
from collections.abc import Iterator

from lessons.gradient_tricks.tricks import op_types
from lessons.kit.formulas.drawing import picture
from lessons.playground.document.as_text import from_text, to_text
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.document.presets import presets
from lessons.playground.language.functions import FORMS, FUNCTIONS
from lessons.playground.language.pasted import pasted
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import run
from lessons.playground.running.outcome_charts import figures, table
from lessons.playground.running.recorded import place, recorded
from tests.lessons.unaccented import english, in_formula, strings
from tests.playground.programs import HOSTILE, HOSTILE_RULES
from tests.playground.test_newcomers import REWORDED, SAYS
from tests.playground.test_pasted import FUNCTION, READ

CODE = {
    *(*FUNCTIONS, *FORMS, *op_types()),
    *(name for one in FUNCTIONS.values() for name in one.order),
    *("input", "intended", "show", "with", "entry", "like", "seed", "gradient_override_map"),
    *("const", "normal", "op", "uniform", "lambda", "torch"),
}
INPUTS = (Input("x", (1.0, 2.0, 3.0)), Input("u", (1.0, 2.0)))
NOTED = ("sqrt(x**2)", "1 / x", "log(x)", "x**-1", "(x - 1)**0.5", "exp(999 * x)", "step(x)")
"""Expressions with a note on each at x = 0 or 1."""
UNREADABLE = (
    *("x = input(a)", "with a:", "x = input(1)\n  y = x", "y = x\nx = input(1)", "show(1)"),
    *("show(y, x)\ny = x", "input x = 1\nplot 1\nprogram", "u = uniform(1)"),
)


def texts() -> Iterator[tuple[str, str]]:
    """Each text, and the code that it may quote."""
    for one in presets():
        yield from of_run(one.document)
    rule = (Override("relu", "grad"),)
    for expression in NOTED:
        yield from of_run(Document((Input("x", (0.0, 1.0)),), f"y = {expression}", overrides=rule))
    for program in (*HOSTILE, *(row[0] for row in SAYS)):
        yield refusal(program, ()), program
    for rule in HOSTILE_RULES:
        yield refusal("y = x * x", (Override("mul", rule),)), rule
    for text in UNREADABLE:
        try:
            from_text(text)
        except PlaygroundError as error:
            yield str(error), text
    for text in (*REWORDED, *(row[0] for row in READ.values()), FUNCTION):
        if found := pasted(text, ["x", "u"]):
            yield from ((note, text + found.program) for note in found.notes)


def of_run(document: Document) -> Iterator[tuple[str, str]]:
    """What charts, table, graph, notes and generated code say of a document."""
    outcome = run(document)
    numbers = table({"": outcome})
    said = [outcome.work, numbers.caption]
    said += [label for label, _ in numbers.columns] + [note.text for note in outcome.notes]
    for one in figures(outcome, document):
        said += [one.title, one.caption, one.alt, one.subject, *strings([one.data, one.layout])]
    checked = check(document)
    drawn = picture(recorded(checked), place(checked))
    parts = [part for step in drawn["steps"] for part in step["parts"]]
    said += [text for part in parts for text in in_formula(part["latex"])]
    yield from ((text, to_text(document)) for text in said)


def refusal(program: str, overrides: tuple[Override, ...]) -> str:
    """Why a program is refused; torch's own words are left out."""
    try:
        run(Document(INPUTS, program, overrides=overrides), curves=False)
    except PlaygroundError as error:
        return "" if error.__cause__ else str(error)
    return ""


def main() -> None:
    for text, quoted in texts():
        if words := english(text) - CODE - set(re.findall("[A-Za-z]+", quoted)):
            print(f"{', '.join(sorted(words))}, in: {text[:160]}")


if __name__ == "__main__":
    main()
