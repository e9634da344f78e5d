"""The lessons' numbers over HTTP, as ``python -m lessons`` prints them: for notebooks, other pages.

``GET api/lessons`` · ``GET api/lessons/flip?scale=3&cuts=…`` · ``GET api/lessons/flip/file`` ·
``POST api/playground/torch`` with a document as its body · ``GET api/openapi.json``
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Parameter
from lessons.outputs.catalogue import lessons
from lessons.outputs.reading import described
from lessons.playground.language.limits import MAX_DOCUMENT_CHARACTERS
from pages.labs.playground import FRAMEWORKS
from pages.server.address import root
from pages.server.api_answers import FILE, NUMBERS, PROGRAM, Answer
from pages.server.labs import Labs
from pages.server.notice import STOPPED, Notice

# The same question has the same answer until the app changes.
_KEEP = {"Cache-Control": "public, max-age=600"}
# Anybody's page may read them: they are the same for all, and no cookie counts.
_ANYWHERE = {"Access-Control-Allow-Origin": "*"}
_PYTHON = "text/x-python; charset=utf-8"


def routes(base: str, labs: Labs) -> list[BaseRoute]:
    """What answers, where ``base`` is Streamlit's server.baseUrlPath."""

    def route(
        path: str, answer: Callable[[Request], Awaitable[Response]], method: str = "GET"
    ) -> Route:
        async def answered(request: Request) -> Response:
            response = await answer(request)
            response.headers.update(_ANYWHERE)
            return response

        return Route(f"{root(base)}api/{path}", answered, methods=[method])

    def computed(kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            question = {
                "name": request.path_params["name"],
                "query": request.query_params.multi_items(),
                "body": await _body(request) if kind == PROGRAM else "",
            }
            reply = await _unless_gone(request, labs.computed(kind, json.dumps(question)))
            if not isinstance(reply, bytes):
                return _refused(reply.text, 500)
            return _response(Answer(*json.loads(reply)))

        return answered

    async def catalogue(request: Request) -> Response:
        return JSONResponse([_entry(lesson) for lesson in lessons()], headers=_KEEP)

    async def openapi(request: Request) -> Response:
        return JSONResponse(description(), headers=_KEEP)

    there = [
        route("lessons", catalogue),
        route("lessons/{name}", computed(NUMBERS)),
        route("lessons/{name}/file", computed(FILE)),
        route("playground/{name}", computed(PROGRAM), "POST"),
        route("openapi.json", openapi),
    ]

    async def otherwise(request: Request) -> Response:
        """What no route answers: another method, or an address that is none."""
        here = f"{root(base)}api/openapi.json"
        for one in there:
            if one.matches(request.scope)[0] != Match.NONE:
                allowed = ", ".join(sorted(one.methods or ()))
                said = f"{request.method} came, and this address takes {allowed}."
                return _refused(said, 405, {**_ANYWHERE, "Allow": allowed})
        path = request.scope["path"].rstrip("/")
        if any(one.matches({**request.scope, "path": path})[0] == Match.FULL for one in there):
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{quote(path)}{query}", 301)
        return _refused(f"Nothing is at this address. {here} lists what is.", 404, _ANYWHERE)

    rest = f"{root(base)}api"
    return [*there, *(Route(path, _Any(otherwise)) for path in (rest, f"{rest}/{{rest:path}}"))]


class _Any:
    """An endpoint for all methods: of a function, Starlette answers GET alone."""

    def __init__(self, answer: Callable[[Request], Awaitable[Response]]) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (await self._answer(Request(scope, receive)))(scope, receive, send)


def _refused(said: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": said}, status, headers)


async def _unless_gone(
    request: Request, work: Coroutine[Any, Any, bytes | Notice]
) -> bytes | Notice:
    """What the work comes to; it is stopped where the client leaves before."""
    computed = asyncio.create_task(work)
    gone = asyncio.create_task(_gone(request))
    await asyncio.wait({computed, gone}, return_when=asyncio.FIRST_COMPLETED)
    if computed.done():
        gone.cancel()
        return computed.result()
    computed.cancel()
    return STOPPED  # nobody reads it


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(answer: Answer) -> Response:
    if answer.status != 200:
        return _refused(answer.text, answer.status)
    if not answer.name:
        return Response(answer.text, 200, _KEEP, "application/json")
    headers = {"Content-Disposition": f'attachment; filename="{answer.name}"'}
    return Response(answer.text, 200, headers, _PYTHON)


async def _body(request: Request) -> str:
    found = b""
    async for chunk in request.stream():
        found += chunk
        if len(found) > 4 * MAX_DOCUMENT_CHARACTERS:
            break
    return found.decode("utf-8", errors="replace")


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
                    "503": refused,
                },
            }
        },
    }
    for lesson in lessons():
        words = [_of(parameter) for parameter in lesson.lab.parameters]
        edges = {"type": "string", "default": "", "examples": ["mul:0"]}
        words.append(_parameter("cuts", "query", edges, "Edges where the gradient stops."))
        get = _get(lesson.title, _RESULT, words)
        get["responses"] |= {"400": refused, "503": refused}
        paths[f"/api/lessons/{lesson.slug}"] = {"get": get}
        file = {"200": {"description": "Python", "content": {"text/x-python": {}}}}
        file |= {"400": refused, "503": refused}
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
        "trained": {"type": "object"},  # of a lesson that trains: how it stands at step 0
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
    return _parameter(parameter.name, "query", schema, described(parameter))


def _parameter(name: str, where: str, schema: Mapping[str, Any], about: str = "") -> dict[str, Any]:
    made = {"name": name, "in": where, "required": where == "path", "schema": schema}
    return made | ({"description": about} if about else {})
