"""What the numbers' API answers, computed in a worker; ``api`` has the addresses.

A question is JSON: ``{"name": …, "query": [[name, text], …], "body": …}``. An answer is JSON:
``[status, text, name of the file to save it as or ""]``.
"""

import json
from typing import Any

from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.ask import asked
from lessons.outputs.catalogue import UnknownLessonError
from lessons.outputs.plain_torch import plain_torch
from lessons.playground import PlaygroundError, code, from_text
from lessons.text import visible
from pages.labs.lesson import computed
from pages.labs.playground import FRAMEWORKS

NUMBERS, FILE, PROGRAM = "numbers", "file", "program"
"""The kinds of questions."""


def answer(kind: str, question: str) -> bytes:
    """Answer a question; what is refused is an answer too."""
    parts = json.loads(question)
    try:
        reply = _program(parts) if kind == PROGRAM else _lesson(kind, parts)
    except UnknownLessonError as error:
        reply = 404, str(error), ""
    except (InvalidParametersError, PlaygroundError, ValueError) as error:
        reply = 400, str(error), ""
    return json.dumps(reply).encode()


def _lesson(kind: str, parts: dict[str, Any]) -> tuple[int, str, str]:
    given = dict(parts["query"])
    request = asked(parts["name"], given, given.pop("cuts", ""))
    if kind == FILE:
        return 200, plain_torch(*request), f"{request.lesson.slug}.py"
    run = computed(request.lesson, request.values, request.cuts)
    return (400, run.refusal, "") if run.refusal else (200, request.to_json(run.result), "")


def _program(parts: dict[str, Any]) -> tuple[int, str, str]:
    framework = parts["name"]
    if framework not in FRAMEWORKS.values():
        known = ", ".join(FRAMEWORKS.values())
        return 404, f"No framework {visible(framework)}. There are: {known}.", ""
    text = code(from_text(parts["body"]), framework, framework == "torch")
    return 200, text, f"playground_in_{framework}.py"
