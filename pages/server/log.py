"""Logs one JSON object a line, for log collectors, if ``GRADIENT_TRICKS_LOG=json`` is set.

A line never has what a learner typed. Of an exception it has the type and the place, but not the
message, which may quote the learner. Requests are not logged.
"""

import json
import logging
import os
import sys
import threading
import traceback
from datetime import UTC, datetime

ASKED_BY = "GRADIENT_TRICKS_LOG"
# Anybody can cause these as often as they like. uvicorn 0.54 logs the first for each socket that we
# refuse with a status: it doesn't note that its answer ended the handshake (its pull request 3138).
_UNSAID = {
    "ASGI callable returned without completing handshake.",
    "socket.send() raised exception.",
    "Invalid UTF-8 sequence received from client.",
    "Invalid HTTP request received.",
}


class Lines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        # asyncio's messages quote a callback's arguments.
        message = "a task failed" if record.name == "asyncio" else record.getMessage()
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
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
    """Tell whether the environment asks for JSON."""
    return os.environ.get(ASKED_BY, "").lower() == "json"


def set_up() -> None:
    """Write all logs of this process as JSON, if wanted. A second call does no harm."""
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
    logging.getLogger("uvicorn.access").disabled = True  # it logs addresses with their queries
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    # Python would print these over many lines, with their messages.
    sys.excepthook = lambda kind, error, trace: _uncaught(error)
    threading.excepthook = lambda failure: _uncaught(failure.exc_value)
    sys.unraisablehook = lambda failure: _uncaught(failure.exc_value)


def _uncaught(error: BaseException | None) -> None:
    if error and not isinstance(error, SystemExit):
        logging.getLogger(__name__).error("not caught", exc_info=error)
