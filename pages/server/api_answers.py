"""What the numbers' API answers, computed: text in, text out; ``api`` has the addresses.

A question is JSON: ``{"name": …, "query": [[name, text], …], "body": …}``.
"""

import json
from typing import Any, NamedTuple

from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.ask import Asked, asked
from lessons.outputs.catalogue import UnknownLessonError
from lessons.outputs.plain_torch import plain_torch
from lessons.playground import PlaygroundError, code, from_text
from lessons.text import visible
from pages.labs.lesson import computed
from pages.labs.playground import FRAMEWORKS

Turn = object


class Busy(Exception): ...


class TooLong(Exception): ...


NUMBERS, FILE, PROGRAM = "numbers", "file", "program"
"""The kinds of questions."""


class Answer(NamedTuple):
    """What goes back.

    Attributes:
        status: as HTTP has it.
        text: what was asked for, or what was refused and why.
        name: of the file to save it as; empty for none.
    """

    status: int
    text: str
    name: str = ""


def answer(kind: str, question: str, turn: Turn) -> bytes:
    """An ``Answer`` as JSON.

    Raises:
        Interrupted: it is given up.
    """
    parts = json.loads(question)
    return json.dumps(_answer(kind, parts, turn)).encode()


def _answer(kind: str, parts: dict[str, Any], turn: Turn) -> Answer:
    try:
        if kind == PROGRAM:
            return _program(parts["name"], parts["body"], turn)
        return _lesson(kind, _asked(parts["name"], parts["query"]), turn)
    except UnknownLessonError as error:
        return Answer(404, str(error))
    except (InvalidParametersError, PlaygroundError, TooLong, ValueError) as error:
        return Answer(400, str(error))
    except Busy:
        return Answer(503, "Many long computations are under way. Try again later.")


def _lesson(kind: str, request: Asked, turn: Turn) -> Answer:
    if kind == FILE:
        with turn:
            return Answer(200, plain_torch(*request), f"{request.lesson.slug}.py")
    run = computed(request.lesson, request.values, request.cuts, turn)
    return Answer(400, run.refusal) if run.refusal else Answer(200, request.to_json(run.result))


def _program(framework: str, document: str, turn: Turn) -> Answer:
    if framework not in FRAMEWORKS.values():
        known = ", ".join(FRAMEWORKS.values())
        return Answer(404, f"No framework {visible(framework)}. There are: {known}.")
    with turn:
        text = code(from_text(document), framework, framework == "torch")
    return Answer(200, text, f"playground_in_{framework}.py")


def _asked(slug: str, query: list[list[str]]) -> Asked:
    """The lesson and settings of an address; refused as the command line refuses them."""
    given: dict[str, str] = {}
    for name, text in query:
        if name in given:
            raise ValueError(f"{visible(name)} was given twice. Give it once.")
        given[name] = text
    return asked(slug, given, given.pop("cuts", ""))
