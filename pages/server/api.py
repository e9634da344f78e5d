"""The lessons' numbers over HTTP, as ``python -m lessons`` prints them, for notebooks and scripts.

``GET api/lessons`` · ``GET api/lessons/flip?scale=3&cuts=…`` ·
``GET api/lessons/flip/file``, which names the cuts in a comment and cuts no edge ·
``POST api/playground/torch`` with a document as its body · ``GET api/openapi.json``
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from lessons.outputs import numbers_api
from lessons.outputs.numbers_api import FILE, NUMBERS, PROGRAM, Answer
from lessons.playground.language.limits import MAX_DOCUMENT_CHARACTERS

Ask = Callable[[str, str, Mapping[str, str], str], Awaitable[Answer]]

# Any site may read the answers: they depend on no cookie.
_OPEN = {"Access-Control-Allow-Origin": "*"}
# The same question has the same answer until the app changes.
_KEPT = {**_OPEN, "Cache-Control": "public, max-age=600"}


def routes(root: str, ask: Ask) -> list[BaseRoute]:
    """Return everything below api/.

    Args:
        root: the app's path.
        ask: calls ``numbers_api.answer`` in a worker; raises HTTPException if no worker answers.
    """
    catalogue = JSONResponse(numbers_api.catalogue(), 200, _KEPT)
    where = {"servers": [{"url": root.rstrip("/") or "/"}]}
    description = JSONResponse(numbers_api.description() | where, 200, _KEPT)
    app = Starlette(
        routes=[
            Route("/lessons", catalogue, methods=["GET"]),
            Route("/lessons/{name}", partial(_computed, ask, NUMBERS)),
            Route("/lessons/{name}/file", partial(_computed, ask, FILE)),
            Route("/playground/{name}", partial(_computed, ask, PROGRAM), methods=["POST"]),
            Route("/openapi.json", description, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _refused, ClientDisconnect: _left},
    )
    app.router.redirect_slashes = False
    return [Mount(f"{root}api", app)]


async def _computed(ask: Ask, kind: str, request: Request) -> Response:
    name, query = request.path_params["name"], dict(request.query_params)
    body = await _body(request) if kind == PROGRAM else ""
    status, text, file = await ask(kind, name, query, body)
    if status != 200:
        raise HTTPException(status, text)
    if not file:
        return Response(text, 200, _KEPT, "application/json")
    saved = {**_OPEN, "Content-Disposition": f'attachment; filename="{file}"'}
    return Response(text, 200, saved, "text/x-python; charset=utf-8")


async def _body(request: Request) -> str:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > 4 * MAX_DOCUMENT_CHARACTERS:
            break
    return body.decode("utf-8", errors="replace")


async def _left(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it, and no traceback is logged


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {**(error.headers or {}), **_OPEN}
    return JSONResponse({"error": error.detail}, error.status_code, headers)
