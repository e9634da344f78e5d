"""One JSON object a line where ``GRADIENT_TRICKS_LOG=json`` asks for it, for collectors of logs.

It has no learner's input. Of a request it has the method, a path that was found, without its query,
the status and the time; of an exception its type and where it arose, not its message, which may
quote what was typed.
"""

import json
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Collection

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.address import path_of

ASKED_BY = "GRADIENT_TRICKS_LOG"
_FOUND = {101, 304, *range(200, 300)}  # the statuses that say that a path is here
_DENIED = "ASGI callable returned without completing handshake."


def wanted() -> bool:
    """Whether the environment asks for it."""
    return os.environ.get(ASKED_BY, "").lower() == "json"


class Lines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        if record.name == "asyncio":  # its later lines and words quote what a callback was given
            message = message.splitlines()[0]
            if message.startswith("Exception in callback"):
                message = "Exception in callback"
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{seconds}.{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": message,
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[0]:
            frames = traceback.extract_tb(record.exc_info[2])[-8:]
            line["error"] = record.exc_info[0].__name__
            line["at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(line, ensure_ascii=False)


def set_up() -> None:
    """Let all that this process logs go out so, if it is wanted. Twice does no harm."""
    # uvicorn 0.54 logs an error for each socket that is refused with a status: it sends the answer
    # and does not note that the handshake is over (its pull request 3138).
    logging.getLogger("uvicorn.error").addFilter(lambda record: record.msg != _DENIED)
    if not wanted():
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # Streamlit and uvicorn give each logger a handler of its own.
    for known in [*logging.root.manager.loggerDict.values()]:
        if isinstance(known, logging.Logger):
            known.handlers, known.propagate = [], True
    logging.getLogger("uvicorn.access").disabled = True  # it names each address with its query
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    # What Python itself would print, over many lines and with its message.
    sys.excepthook = lambda kind, error, trace: _uncaught(error)
    threading.excepthook = lambda failure: _uncaught(failure.exc_value)
    sys.unraisablehook = lambda failure: _uncaught(failure.exc_value)


def _uncaught(error: BaseException | None) -> None:
    if error and not isinstance(error, SystemExit):
        logging.getLogger(__name__).error("not caught", exc_info=error)


class LoggedRequests:
    """Middleware: a line for each request, and for each socket once it has closed."""

    def __init__(self, app: ASGIApp, *, quiet: Collection[str] = ()) -> None:
        """``quiet`` paths are asked for every few seconds, by machines: they get no line."""
        self._app, self._quiet = app, frozenset(quiet)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, status, begun = path_of(scope), 0, time.perf_counter()
        if scope["type"] not in {"http", "websocket"} or path in self._quiet:
            await self._app(scope, receive, send)
            return

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = 101
            await send(message)

        try:
            await self._app(scope, receive, note)
        finally:
            facts = {
                "kind": "request" if scope["type"] == "http" else "socket",
                "method": scope.get("method", "GET"),
                # Anything may have been typed in a path that is not here or that leads elsewhere.
                "path": path if status in _FOUND else "",
                "status": status,
                "ms": round((time.perf_counter() - begun) * 1000, 1),
            }
            logging.getLogger("gradient_tricks.requests").info("answered", extra={"facts": facts})


def middleware(quiet: Collection[str]) -> list[Middleware]:
    """Return what logs requests, where the environment asks for it; ``quiet`` paths get no line."""
    return [Middleware(LoggedRequests, quiet=quiet)] if wanted() else []
