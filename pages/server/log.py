"""One JSON object a line, where ``GRADIENT_TRICKS_LOG=json`` asks for it; for collectors of logs.

No learner's input stands in it. Of a request there is the method, a path that was found, without
its query, the status and the time; of an exception its type and where it arose, not its message,
which may quote what was typed.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
import time
import traceback
from types import TracebackType

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.address import path_of

ASKED_BY = "GRADIENT_TRICKS_LOG"
_FOUND = frozenset({101, *range(200, 300), 304})
"""Statuses that say that a path is here."""
_DENIED = "ASGI callable returned without completing handshake."
_ASYNCIO = re.compile(r"Exception in callback|.*")
_LOGGER = logging.getLogger("gradient_tricks.requests")


def wanted() -> bool:
    """Whether the environment asks for it."""
    return os.environ.get(ASKED_BY, "").lower() == "json"


class Lines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": _said(record),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["at"] = _places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


def _said(record: logging.LogRecord) -> str:
    """Its message; of asyncio's not what follows: the exception, or what a callback was given."""
    said = record.getMessage()
    if record.name == "asyncio" and (begins := _ASYNCIO.match(said)):
        return begins[0]
    return said


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-8:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def _unless_denied(record: logging.LogRecord) -> bool:
    """Leaves out an error that uvicorn logs for each socket that is refused with a status.

    Its websockets-sansio sends the answer, but does not note that the handshake is over with it
    (uvicorn 0.54, its pull request 3138). A socket that was given no answer at all would be logged
    so, too; ``LoggedRequests`` has it with status 0.
    """
    return record.msg != _DENIED


def set_up() -> None:
    """Let all that this process logs go out so, if it is wanted. Twice does no harm."""
    logging.getLogger("uvicorn.error").addFilter(_unless_denied)
    if not wanted():
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    logging.root.handlers = [handler]
    if logging.root.level > logging.INFO:
        logging.root.setLevel(logging.INFO)
    # Streamlit and uvicorn give each logger a handler of its own.
    for known in list(logging.root.manager.loggerDict.values()):
        if isinstance(known, logging.Logger):
            known.handlers = []
            known.propagate = True
    # It names each address that is asked for, with its query.
    logging.getLogger("uvicorn.access").disabled = True
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = lambda kind, error, trace: _uncaught(error)
    threading.excepthook = lambda told: _uncaught(told.exc_value)
    sys.unraisablehook = lambda told: _uncaught(told.exc_value)


def _uncaught(error: BaseException | None) -> None:
    """Log what Python itself would print, over many lines and with its message."""
    if error and not isinstance(error, SystemExit):
        logging.getLogger(__name__).error("not caught", exc_info=error)


class LoggedRequests:
    """Middleware: a line for each request and for each socket that has closed."""

    def __init__(self, app: ASGIApp, *, quiet: frozenset[str] = frozenset()) -> None:
        """``quiet`` paths are asked for every few seconds, by machines: they get no line."""
        self._app, self._quiet = app, quiet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"} or path_of(scope) in self._quiet:
            await self._app(scope, receive, send)
            return
        status, begun = 0, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = 101
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            facts = {
                "kind": "request" if scope["type"] == "http" else "socket",
                "method": scope.get("method", "GET"),
                # What is not here may be anything that was typed, and so may what leads elsewhere.
                "path": path_of(scope) if status in _FOUND else "",
                "status": status,
                "ms": round((time.perf_counter() - begun) * 1000, 1),
            }
            _LOGGER.info("answered", extra={"facts": facts})
