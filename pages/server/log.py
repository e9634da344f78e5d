"""Keeps out of the log what visitors typed, and what anybody can cause as often as they like.

The message of an exception may quote a visitor, so the log has the exception's type and place.
"""

import logging
import traceback
from typing import Any

# uvicorn 0.54 logs the first for each socket that we refuse with a status: it doesn't note that its
# answer ended the handshake (its pull request 3138).
_UNSAID = {
    "ASGI callable returned without completing handshake.",
    "socket.send() raised exception.",
    "Invalid UTF-8 sequence received from client.",
    "Invalid HTTP request received.",
}


def set_up() -> None:
    """Leave all of this out of this process's log, whoever writes it."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(lambda record: record.msg not in _UNSAID)
    logging.setLogRecordFactory(_record)


def _record(*given: Any, **named: Any) -> logging.LogRecord:
    record = logging.LogRecord(*given, **named)
    error = record.exc_info[1] if record.exc_info else None
    while isinstance(error, BaseExceptionGroup):  # a socket's tasks raise one
        error = error.exceptions[0]
    if error:
        frames = "".join(traceback.format_tb(error.__traceback__))
        record.exc_text = f"{frames}{type(error).__name__}"  # a formatter takes this as it is
        if record.name == "asyncio":  # its messages quote what a task was called with
            record.msg, record.args = "a task failed", ()
    return record
