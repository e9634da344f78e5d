"""The lessons' numbers over HTTP, as ``python -m lessons`` prints them: for notebooks, other pages.

``GET api/lessons`` · ``GET api/lessons/flip?scale=3&cuts=…`` · ``GET api/lessons/flip/file`` ·
``POST api/playground/torch`` with a document as its body · ``GET api/openapi.json``
"""

import json
from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from lessons.outputs.catalogue import lessons
from lessons.outputs.reading import described
from lessons.playground.language.limits import MAX_DOCUMENT_CHARACTERS
from pages.labs.playground import FRAMEWORKS
from pages.server.address import root
from pages.server.api_answers import FILE, NUMBERS, PROGRAM
from pages.server.lanes import LostError
from pages.server.site import FullError

Ask = Callable[[str, str], Awaitable[bytes]]

# Anybody's page may read it: it is the same for all, and no cookie counts.
_OPEN = {"Access-Control-Allow-Origin": "*"}
# The same question has the same answer until the app changes.
_KEPT = {**_OPEN, "Cache-Control": "public, max-age=600"}


def routes(base: str, ask: Ask) -> list[BaseRoute]:
    """Return everything below api/.

    Args:
        base: Streamlit's server.baseUrlPath.
        ask: puts a question of some kind to a worker, as ``api_answers.answer`` has them. Raises
            LostError or FullError.
    """
    program = partial(_computed, ask, PROGRAM)
    app = Starlette(
        routes=[
            Route("/lessons", _catalogue),
            Route("/lessons/{name}", partial(_computed, ask, NUMBERS)),
            Route("/lessons/{name}/file", partial(_computed, ask, FILE)),
            Route("/playground/{name}", program, methods=["POST"]),
            Route("/openapi.json", _openapi),
        ],
        exception_handlers={HTTPException: _refused},
    )
    app.router.redirect_slashes = False
    return [Mount(f"{root(base)}api", app)]


async def _computed(ask: Ask, kind: str, request: Request) -> Response:
    question = {
        "name": request.path_params["name"],
        "query": request.query_params.multi_items(),
        "body": await _body(request) if kind == PROGRAM else "",
    }
    try:
        status, text, name = json.loads(await ask(kind, json.dumps(question)))
    except LostError:
        status, text = 500, "Something went wrong on the server. Try other settings."
    except FullError:
        status, text = 503, "The server is busy. Try again in a moment."
    if status != 200:
        raise HTTPException(status, text)
    if not name:
        return Response(text, 200, _KEPT, "application/json")
    saved = {**_OPEN, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, 200, saved, "text/x-python; charset=utf-8")


async def _body(request: Request) -> str:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > 4 * MAX_DOCUMENT_CHARACTERS:
            break
    return body.decode("utf-8", errors="replace")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {**(error.headers or {}), **_OPEN}
    return JSONResponse({"error": error.detail}, error.status_code, headers)


async def _catalogue(request: Request) -> Response:
    named = ("slug", "chapter", "title", "summary")
    listed = [
        {name: getattr(one, name) for name in named} | {"parameters": one.defaults}
        for one in lessons()
    ]
    return JSONResponse(listed, 200, _KEPT)


async def _openapi(request: Request) -> Response:
    return JSONResponse(_description(), 200, _KEPT)


@cache
def _description() -> dict[str, Any]:
    """Describe it as OpenAPI 3.1; each lesson has a path of its own, with its parameters."""
    known = {"type": "string", "enum": [*FRAMEWORKS.values()]}
    framework = {"name": "framework", "in": "path", "required": True, "schema": known}
    program = _operation("A playground document as a file that runs", [framework])
    program["requestBody"] = {"required": True, "content": {"text/plain": {}}}
    paths = {
        "/api/lessons": {"get": _operation("Every lesson", [])},
        "/api/playground/{framework}": {"post": program},
    }
    for lesson in lessons():
        parameters = [_query(p.name, described(p), p.default) for p in lesson.lab.parameters]
        parameters.append(_query("cuts", "Edges where the gradient stops, such as mul:0.", ""))
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
