"""The lessons' numbers over HTTP, as ``python -m lessons`` prints them: for notebooks, other pages.

``GET api/lessons`` · ``GET api/lessons/flip?scale=3&cuts=…`` · ``GET api/lessons/flip/file`` ·
``POST api/playground/torch`` with a document as its body · ``GET api/openapi.json``
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from lessons import UnknownLessonError, lessons
from lessons.ask import Asked, asked
from lessons.export import export
from lessons.lesson import Lesson
from lessons.parameters import Choice, InvalidParametersError, Parameter
from lessons.playground import PlaygroundError, code, from_text
from lessons.playground.limits import MAX_DOCUMENT_CHARACTERS
from pages.labs.lesson import computed
from pages.labs.playground import FRAMEWORKS
from pages.server.socket import Workshop
from pages.server.turns import Busy, LearnersTurn

# The same question has the same answer until the app changes.
_KEEP = {"Cache-Control": "public, max-age=600"}
# Anybody's page may read them: they are the same for all, and no cookie counts.
_ANYWHERE = {"Access-Control-Allow-Origin": "*"}
_PYTHON = "text/x-python; charset=utf-8"


class Refused(Exception):  # noqa: N818  (what the answer says)
    """A question that is not answered.

    Args:
        status: as HTTP has it.
        said: what came and what was expected.
    """

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status, self.said = status, said


def routes(base: str, workshop: Workshop) -> list[BaseRoute]:
    """What answers, where ``base`` is Streamlit's server.baseUrlPath."""
    root = f"/{base.strip('/')}/api".replace("//", "/")

    def route(path: str, answer: Callable[[Request], Response], method: str = "GET") -> Route:
        async def answered(request: Request) -> Response:
            request.state.body = await _body(request) if method == "POST" else ""
            try:
                response: Response = await workshop.compute(lambda: answer(request))
            except Refused as refused:
                response = JSONResponse({"error": refused.said}, refused.status)
            response.headers.update(_ANYWHERE)
            return response

        return Route(f"{root}/{path}", answered, methods=[method])

    def turn() -> LearnersTurn:
        return LearnersTurn(workshop.turns)

    def numbers(request: Request) -> Response:
        one = _asked(request)
        try:
            now = computed(one.lesson, one.values, one.cuts, turn())
        except Busy:
            raise Refused(503, "Many long computations are under way. Try again later.") from None
        if now.said:
            raise Refused(400, now.said)
        return Response(one.to_json(now.result), 200, _KEEP, "application/json")

    def file(request: Request) -> Response:
        one = _asked(request)
        with turn():
            return _file(export(*one), f"{one.lesson.slug}.py", _PYTHON)

    def program(request: Request) -> Response:
        framework = request.path_params["framework"]
        if framework not in FRAMEWORKS.values():
            known = ", ".join(FRAMEWORKS.values())
            raise Refused(404, f"No framework {framework[:40]}. There are: {known}.")
        try:
            with turn():
                text = code(from_text(request.state.body), framework, framework == "torch")
        except PlaygroundError as error:
            raise Refused(400, str(error)) from None
        return _file(text, f"playground_in_{framework}.py", _PYTHON)

    def catalogue(request: Request) -> Response:
        return JSONResponse([_entry(lesson) for lesson in lessons()], headers=_KEEP)

    def openapi(request: Request) -> Response:
        return JSONResponse(description(), headers=_KEEP)

    return [
        route("lessons", catalogue),
        route("lessons/{slug}", numbers),
        route("lessons/{slug}/file", file),
        route("playground/{framework}", program, "POST"),
        route("openapi.json", openapi),
    ]


async def _body(request: Request) -> str:
    found = b""
    async for chunk in request.stream():
        found += chunk
        if len(found) > 4 * MAX_DOCUMENT_CHARACTERS:
            break
    return found.decode("utf-8", errors="replace")


def _file(text: str, name: str, media_type: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, 200, headers, media_type)


def _asked(request: Request) -> Asked:
    """The lesson and settings of an address; refused as the command line refuses them."""
    given: dict[str, str] = {}
    for name, text in request.query_params.multi_items():
        if name in given:
            raise Refused(400, f"{name[:40]} was given twice")
        given[name] = text
    try:
        return asked(request.path_params["slug"], given, given.pop("cuts", ""))
    except UnknownLessonError as error:
        raise Refused(404, str(error)) from None
    except (InvalidParametersError, ValueError) as error:
        raise Refused(400, str(error)) from None


def _entry(lesson: Lesson) -> dict[str, Any]:
    return {
        "slug": lesson.slug,
        "chapter": lesson.chapter,
        "title": lesson.title,
        "summary": lesson.summary,
        "parameters": {p.name: p.default for p in lesson.lab.parameters},
    }


@cache
def description() -> Mapping[str, Any]:
    """All of it as OpenAPI 3.1; each lesson has a path of its own, with its parameters."""
    refused = {"description": "What was refused, for people", "content": _json(_ERROR)}
    paths: dict[str, Any] = {
        "/api/lessons": {"get": _get("Every lesson", {"type": "array", "items": _LESSON}, [])},
        "/api/playground/{framework}": {
            "post": {
                "summary": "A playground document as a file that runs",
                "parameters": [_parameter("framework", "path", {"enum": [*FRAMEWORKS.values()]})],
                "requestBody": {"required": True, "content": {"text/plain": {}}},
                "responses": {
                    "200": {"description": "Python", "content": {"text/x-python": {}}},
                    "400": refused,
                    "404": refused,
                },
            }
        },
    }
    for lesson in lessons():
        words = [_of(parameter) for parameter in lesson.lab.parameters]
        edges = {"type": "string", "default": "", "examples": ["mul:0"]}
        words.append(_parameter("cuts", "query", edges, "Edges where the gradient stops."))
        get = _get(lesson.title, _RESULT, words)
        get["responses"]["400"] = refused
        paths[f"/api/lessons/{lesson.slug}"] = {"get": get}
        file = {"200": {"description": "Python", "content": {"text/x-python": {}}}, "400": refused}
        paths[f"/api/lessons/{lesson.slug}/file"] = {
            "get": {"summary": "The same as a file", "parameters": words, "responses": file}
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Gradient Tricks Lab", "version": "1", "license": {"name": "Apache-2.0"}},
        "paths": paths,
    }


_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_LESSON = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in ("slug", "chapter", "title", "summary")},
        "parameters": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
# Numbers that are not finite are the strings nan, inf and -inf.
_NUMBERS = {"type": "array", "items": {"type": ["number", "string"]}}
_SERIES = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "properties": {
            "role": {"type": "string"},
            **dict.fromkeys(("x", "y", "mean", "p05", "p95"), _NUMBERS),
        },
    },
}
_RESULT = {
    "type": "object",
    "properties": {
        "lesson": {"type": "string"},
        "parameters": {"type": "object", "additionalProperties": {"type": "string"}},
        "cuts": {"type": "string"},
        "device": {"type": "string"},
        **dict.fromkeys(("series", "statistics", "curves"), _SERIES),
        "facts": {"type": "object"},
        "notes": {"type": "array", "items": {"type": "string"}},
    },
}


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _get(summary: str, schema: Mapping[str, Any], parameters: list[Any]) -> dict[str, Any]:
    answers: dict[str, Any] = {"200": {"description": "The numbers", "content": _json(schema)}}
    return {"summary": summary, "parameters": parameters, "responses": answers}


def _of(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "default": parameter.default}
    if isinstance(parameter, Choice):
        schema["enum"] = [name for name, _ in parameter.options]
    said = f"{parameter.label}. {parameter.help}".strip()
    return _parameter(parameter.name, "query", schema, said)


def _parameter(name: str, where: str, schema: Mapping[str, Any], said: str = "") -> dict[str, Any]:
    made = {"name": name, "in": where, "required": where == "path", "schema": schema}
    return made | ({"description": said} if said else {})
