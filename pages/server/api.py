"""The lessons' numbers over HTTP, as ``python -m lessons`` prints them: for notebooks, other pages.

``GET api/lessons`` · ``GET api/lessons/flip?scale=3&cuts=…`` · ``GET api/lessons/flip/file`` ·
``POST api/playground/torch`` with a document as its body · ``GET api/openapi.json``
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from lessons.contract.parameters import Choice, Parameter
from lessons.outputs.catalogue import lessons
from lessons.outputs.reading import described
from lessons.playground.language.limits import MAX_DOCUMENT_CHARACTERS
from pages.labs.playground import FRAMEWORKS
from pages.server.address import root
from pages.server.api_answers import FILE, NUMBERS, PROGRAM
from pages.server.lanes import FullError, LostError

# The same question has the same answer until the app changes.
_KEEP = {"Cache-Control": "public, max-age=600"}
_PYTHON = "text/x-python; charset=utf-8"


def routes(base: str, ask: Callable[[str, str], Awaitable[bytes]]) -> list[BaseRoute]:
    """Everything below api/.

    Args:
        base: Streamlit's server.baseUrlPath.
        ask: puts a question of some kind to a worker, as ``api_answers.answer`` has them. Raises
            LostError or FullError.
    """

    def computed(kind: str) -> Callable[[Request], Awaitable[Response]]:
        async def computed(request: Request) -> Response:
            question = {
                "name": request.path_params["name"],
                "query": request.query_params.multi_items(),
                "body": await _body(request) if kind == PROGRAM else "",
            }
            status, text, name = json.loads(await ask(kind, json.dumps(question)))
            if status != 200:
                return _refused(status, text)
            if not name:
                return _reply(text, 200, _KEEP)
            saved = {"Content-Disposition": f'attachment; filename="{name}"'}
            return _reply(text, 200, saved, _PYTHON)

        return computed

    async def catalogue(request: Request) -> Response:
        return _reply(json.dumps(_catalogue()), 200, _KEEP)

    async def openapi(request: Request) -> Response:
        return _reply(json.dumps(description()), 200, _KEEP)

    app = Starlette(
        routes=[
            Route("/lessons", catalogue),
            Route("/lessons/{name}", computed(NUMBERS)),
            Route("/lessons/{name}/file", computed(FILE)),
            Route("/playground/{name}", computed(PROGRAM), methods=["POST"]),
            Route("/openapi.json", openapi),
        ],
        exception_handlers={HTTPException: _not_here, LostError: _lost, FullError: _full},
    )
    app.router.redirect_slashes = False
    return [Mount(f"{root(base)}api", app)]


def _reply(
    content: str, status: int, headers: Mapping[str, str] = {}, media_type: str = "application/json"
) -> Response:
    # Anybody's page may read it: it is the same for all, and no cookie counts.
    open_to_all = {"Access-Control-Allow-Origin": "*", **headers}
    return Response(content, status, open_to_all, media_type)


def _refused(status: int, why: str, headers: Mapping[str, str] = {}) -> Response:
    return _reply(json.dumps({"error": why}), status, headers)


async def _not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.scope["path"]
    if error.status_code == 404 and path.endswith("/"):
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{quote(path.rstrip('/'))}{query}", 301)
    if error.status_code == 404:
        here = f"{request.scope['root_path']}/openapi.json"
        return _refused(404, f"Nothing is at this address. {here} lists what is.")
    headers = error.headers or {}
    why = f"{request.method} came, and this address takes {headers.get('Allow', 'another')}."
    return _refused(error.status_code, why, headers)


async def _lost(request: Request, error: Exception) -> Response:
    return _refused(500, "Something went wrong on the server. Try other settings.")


async def _full(request: Request, error: Exception) -> Response:
    return _refused(503, "The server is busy. Try again in a moment.", {"Retry-After": "1"})


async def _body(request: Request) -> str:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > 4 * MAX_DOCUMENT_CHARACTERS:
            break
    return body.decode("utf-8", errors="replace")


def _catalogue() -> list[dict[str, Any]]:
    return [
        {
            "slug": lesson.slug,
            "chapter": lesson.chapter,
            "title": lesson.title,
            "summary": lesson.summary,
            "parameters": {p.name: p.default for p in lesson.lab.parameters},
        }
        for lesson in lessons()
    ]


@cache
def description() -> Mapping[str, Any]:
    """All of it as OpenAPI 3.1; each lesson has a path of its own, with its parameters."""
    framework = _parameter("framework", "path", {"enum": [*FRAMEWORKS.values()]}, "For whom.")
    document = {"required": True, "content": {"text/plain": {}}}
    program = _operation("A playground document as a file that runs", [framework], _FILE)
    paths: dict[str, Any] = {
        "/api/lessons": {"get": _operation("Every lesson", [], _LESSONS)},
        "/api/playground/{framework}": {"post": program | {"requestBody": document}},
    }
    for lesson in lessons():
        parameters = [_of(parameter) for parameter in lesson.lab.parameters]
        edges = {"type": "string", "default": "", "examples": ["mul:0"]}
        parameters.append(_parameter("cuts", "query", edges, "Edges where the gradient stops."))
        path = f"/api/lessons/{lesson.slug}"
        paths[path] = {"get": _operation(lesson.title, parameters, _RESULT)}
        paths[f"{path}/file"] = {"get": _operation("The same as a file", parameters, _FILE)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Gradient Tricks Lab", "version": "1", "license": {"name": "Apache-2.0"}},
        "paths": paths,
    }


def _operation(
    summary: str, parameters: list[dict[str, Any]], content: Mapping[str, Any]
) -> dict[str, Any]:
    refused = {"description": "What was refused, for people", "content": _ERROR}
    answers = {"200": {"description": "The answer", "content": content}}
    answers |= dict.fromkeys(("400", "404", "503"), refused)
    return {"summary": summary, "parameters": parameters, "responses": answers}


def _object(properties: Mapping[str, str]) -> dict[str, Any]:
    types = {name: {"type": kind} for name, kind in properties.items()}
    return {"application/json": {"schema": {"type": "object", "properties": types}}}


_FILE: dict[str, Any] = {"text/x-python": {}}
_ERROR = _object({"error": "string"})
_LESSONS = {"application/json": {"schema": {"type": "array"}}}
# A series has x and y, or x, mean, p05 and p95. Numbers that are not finite are the strings nan,
# inf and -inf. "trained" says how a lesson that trains begins.
_RESULT = _object(
    dict.fromkeys(("lesson", "device", "cuts"), "string")
    | dict.fromkeys(("parameters", "facts", "series", "statistics", "curves", "trained"), "object")
    | {"notes": "array"}
)


def _of(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "default": parameter.default}
    if isinstance(parameter, Choice):
        schema["enum"] = [name for name, _ in parameter.options]
    return _parameter(parameter.name, "query", schema, described(parameter))


def _parameter(name: str, where: str, schema: Mapping[str, Any], about: str) -> dict[str, Any]:
    required = {"name": name, "in": where, "required": where == "path", "schema": schema}
    return required | {"description": about}
