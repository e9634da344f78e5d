"""Logs one JSON object a line where ``GRADIENT_TRICKS_LOG=json`` asks for it, for collectors.

A line has no learner's input. Of an exception it has the type and where it arose, not the message,
which may quote what was typed. Requests are not logged.
"""

import json
import logging
import os
import sys
import threading
import time
import traceback

ASKED_BY = "GRADIENT_TRICKS_LOG"
_DENIED = "ASGI callable returned without completing handshake."
# Anybody can cause these as often as they like, the second with a traceback.
_UNSAID = {
    _DENIED,
    "socket.send() raised exception.",
    "Invalid UTF-8 sequence received from client.",
}


class Lines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        # asyncio's messages quote what a callback was given.
        message = "a task failed" if record.name == "asyncio" else record.getMessage()
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "time": f"{seconds}.{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": message,
        }
        error = record.exc_info[1] if record.exc_info else None
        while isinstance(error, BaseExceptionGroup):  # a socket's tasks raise one
            error = error.exceptions[0]
        if error:
            frames = traceback.extract_tb(error.__traceback__)[-8:]
            line["error"] = type(error).__name__
            line["at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(line, ensure_ascii=False)


def wanted() -> bool:
    """Tell whether the environment asks for it."""
    return os.environ.get(ASKED_BY, "").lower() == "json"


def set_up() -> None:
    """Let all that this process logs go out so, if it is wanted. Twice does no harm."""
    # uvicorn 0.54 logs an error for each socket that is refused with a status: it sends the answer
    # and does not note that the handshake is over (its pull request 3138).
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(lambda record: record.msg not in _UNSAID)
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
    # Python itself would print these over many lines, with their messages.
    sys.excepthook = lambda kind, error, trace: _uncaught(error)
    threading.excepthook = lambda failure: _uncaught(failure.exc_value)
    sys.unraisablehook = lambda failure: _uncaught(failure.exc_value)


def _uncaught(error: BaseException | None) -> None:
    if error and not isinstance(error, SystemExit):
        logging.getLogger(__name__).error("not caught", exc_info=error)
