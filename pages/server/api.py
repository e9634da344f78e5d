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

from lessons.outputs.catalogue import lessons
from lessons.outputs.reading import described
from lessons.playground.language.limits import MAX_DOCUMENT_CHARACTERS
from pages.labs.playground import FRAMEWORKS
from pages.server.address import root
from pages.server.api_answers import FILE, NUMBERS, PROGRAM
from pages.server.lanes import LostError
from pages.server.site import FullError

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
    if error.status_code == 405:
        allowed = ", ".join(sorted((error.headers or {})["Allow"].split(", ")))
        why = f"{request.method} came, and this address takes {allowed}."
        return _refused(405, why, {"Allow": allowed})
    here, path = request.scope["root_path"], request.scope["path"]
    shorter = path.rstrip("/")
    if shorter not in (path, here):
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{quote(shorter)}{query}", 301)
    return _refused(404, f"Nothing is at this address. {here}/openapi.json lists what is.")


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
    info = {"title": "Gradient Tricks Lab", "version": "1", "license": {"name": "Apache-2.0"}}
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
