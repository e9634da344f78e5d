"""The lessons' numbers as the web hands them out: text in, text out; no web framework in here."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from lessons.contract.lesson import CutError
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.ask import asked
from lessons.outputs.catalogue import UnknownLessonError, lessons
from lessons.outputs.plain_torch import plain_torch
from lessons.outputs.reading import described
from lessons.playground.codegen.program_file import code
from lessons.playground.document.as_text import from_text
from lessons.playground.language.playground_error import PlaygroundError
from lessons.text import visible

NUMBERS, FILE, PROGRAM = "numbers", "file", "program"
"""The kinds of questions."""
Answer = tuple[int, str, str]
"""An HTTP status, a text, and the name of the file to save it as, or ""."""


def answer(kind: str, name: str, query: Mapping[str, str], body: str) -> Answer:
    """Answer a question; a refusal is an answer too."""
    try:
        return _program(name, body) if kind == PROGRAM else _lesson(kind, name, query)
    except UnknownLessonError as error:
        return 404, str(error), ""
    except (InvalidParametersError, PlaygroundError, CutError, ValueError) as error:
        return 400, str(error), ""


def _lesson(kind: str, name: str, query: Mapping[str, str]) -> Answer:
    given = dict(query)
    request = asked(name, given, given.pop("cuts", ""))
    if kind == FILE:
        return 200, plain_torch(*request), f"{request.lesson.slug}.py"
    return 200, request.to_json(request.lesson.compute(request.values, request.cuts)), ""


def _program(framework: str, body: str) -> Answer:
    if framework != "torch":
        return 404, f"No framework {visible(framework)}. There is torch.", ""
    return 200, code(from_text(body)), "playground_in_torch.py"


def catalogue() -> list[dict[str, Any]]:
    """List every lesson with its parameters and their defaults."""
    named = ("slug", "chapter", "title", "summary")
    return [
        {name: getattr(one, name) for name in named} | {"parameters": one.defaults}
        for one in lessons()
    ]


@cache
def description() -> dict[str, Any]:
    """Describe the API as OpenAPI 3.1; each lesson has a path of its own, with its parameters."""
    program = _operation("A playground document as a file that runs", [])
    program["requestBody"] = {"required": True, "content": {"text/plain": {}}}
    paths = {
        "/api/lessons": {"get": _operation("Every lesson", [])},
        "/api/playground/torch": {"post": program},
    }
    for lesson in lessons():
        parameters = [_query(p.name, described(p), p.default) for p in lesson.lab.parameters]
        cuts = "Edges where the gradient stops, such as mul:0. A file only names them."
        parameters.append(_query("cuts", cuts, ""))
        path = f"/api/lessons/{lesson.slug}"
        paths[path] = {"get": _operation(lesson.title, parameters)}
        paths[f"{path}/file"] = {"get": _operation("The same as a file", parameters)}
    info = {"title": "Gradient Tricks Lab", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths}


def _operation(summary: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    answers = {
        "200": {"description": "JSON, or Python for a file. inf, -inf and nan are strings."},
        "default": {"description": 'What was refused, for people: {"error": …}.'},
    }
    return {"summary": summary, "parameters": parameters, "responses": answers}


def _query(name: str, about: str, default: str) -> dict[str, Any]:
    schema = {"type": "string", "default": default}
    return {"name": name, "in": "query", "description": about, "schema": schema}
