"""What is seen of the server from outside: alive, ready, and its meters. For those who run it.

``GET healthz`` (the process answers) · ``GET readyz`` (lessons are loaded, labs are answered, and
it is not about to end) · ``GET metrics`` (Prometheus' text format)

They lie at the root as well as below server.baseUrlPath: a container's health check and a cluster's
probes ask the process itself, and do not know of the path.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server import meters
from pages.server.address import path_of, root
from pages.server.draining import Draining

HEALTH, READY, METRICS = "healthz", "readyz", "metrics"
NAMES = (HEALTH, READY, METRICS)
REPLICA, NAMED = "GRADIENT_TRICKS_REPLICA", "X-Replica"
"""Whoever starts this process may name it by the variable; ``readyz`` says that name in the header,
so another one that answers at the port is not taken for it."""
FORWARDED = "X-Forwarded-For"
"""What a proxy adds. The meters are for those who ask the process itself."""
_NOW = {"Cache-Control": "no-store"}


def paths(base: str) -> frozenset[str]:
    """Their addresses, where ``base`` is Streamlit's server.baseUrlPath."""
    return frozenset(where + name for where in ("/", root(base)) for name in NAMES)


def routes(
    base: str,
    draining: Draining,
    answering: Callable[[], bool],
    counted: Callable[[], Awaitable[bytes]],
) -> list[BaseRoute]:
    """What answers. The first request is taken when everything is loaded: ready from then on.

    Args:
        base: Streamlit's server.baseUrlPath.
        draining: whether the server is about to end.
        answering: whether labs are answered now.
        counted: what the meters say, in Prometheus' text format.
    """

    name = os.environ.get(REPLICA, "")
    named = {NAMED: name} if name else {}

    async def alive(request: Request) -> Response:
        return PlainTextResponse("alive\n", headers=_NOW)

    async def ready(request: Request) -> Response:
        if draining.begun.is_set():
            return PlainTextResponse("about to end\n", 503, _NOW)
        if not answering():
            return PlainTextResponse("the labs start anew\n", 503, _NOW)
        return PlainTextResponse("ready\n", headers=_NOW | named)

    async def metrics(request: Request) -> Response:
        return Response(await counted(), media_type=meters.TYPE, headers=_NOW)

    answers = dict(zip(NAMES, (alive, ready, metrics), strict=True))
    return [Route(path, answers[path.rpartition("/")[2]]) for path in sorted(paths(base))]


class MetersInside:
    """Middleware: who comes through a proxy finds no meters, neither ours nor Streamlit's own."""

    def __init__(self, app: ASGIApp, *, base: str) -> None:
        """``base`` is Streamlit's server.baseUrlPath."""
        self._app = app
        self._inside = {f"{root(base)}_stcore/{METRICS}", f"{root(base)}{METRICS}", f"/{METRICS}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inside = scope["type"] == "http" and path_of(scope) in self._inside
        if inside and FORWARDED in Headers(scope=scope):
            await PlainTextResponse("Not found", 404, _NOW)(scope, receive, send)
        else:
            await self._app(scope, receive, send)
