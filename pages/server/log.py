"""Keeps out of the log what anybody can cause as often as they like."""

import logging

# uvicorn 0.54 logs the first for each socket that we refuse with a status: it doesn't note that its
# answer ended the handshake (its pull request 3138).
_UNSAID = {
    "ASGI callable returned without completing handshake.",
    "socket.send() raised exception.",
    "Invalid UTF-8 sequence received from client.",
    "Invalid HTTP request received.",
}


def set_up() -> None:
    """Leave these messages out of this process's log."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(_is_worth_a_line)


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    return record.msg not in _UNSAID
