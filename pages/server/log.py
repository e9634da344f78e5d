"""Keeps out of the log what visitors typed, and counts the lines that come again.

The message of an exception may quote a visitor, and so may a line of a library. The log has the
place that either comes from, and the type of an exception.
"""

import logging
import time
import traceback
from typing import Any

EVERY = 60.0
"""Seconds from a line to the next one that is the same."""


def set_up() -> None:
    """Do so with all that this process logs from now on."""
    logging.setLogRecordFactory(_Records())


class _Record(logging.LogRecord):
    again = False
    """Whether the same line was logged a moment ago."""


class _Records:
    """Makes the records of the log."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, int, str], tuple[float, int]] = {}
        """By what makes two lines the same: when it was logged, and how many came since."""

    def __call__(self, *given: Any, **named: Any) -> logging.LogRecord:
        record = _Record(*given, **named)
        error = record.exc_info[1] if record.exc_info else None
        while isinstance(error, BaseExceptionGroup):  # a socket's tasks raise one
            error = error.exceptions[0]
        if error:
            frames = "".join(traceback.format_tb(error.__traceback__))
            record.exc_text = f"{frames}{type(error).__name__}"  # a formatter takes this as it is
        if record.name.partition(".")[0] not in ("pages", "lessons"):
            record.msg, record.args = f"{record.filename}, line {record.lineno}", ()
        self._count(record)
        return record

    def _count(self, record: _Record) -> None:
        line = record.pathname, record.lineno, record.exc_text or ""
        last, more = self._said.get(line, (-EVERY, 0))
        record.again = time.monotonic() < last + EVERY
        if record.again:
            self._said[line] = last, more + 1
        else:
            self._said[line] = time.monotonic(), 0
            if more:
                record.msg, record.args = f"{record.getMessage()} ({more} more before)", ()
        # The logger asks its filters next.
        logging.getLogger(record.name).addFilter(_is_new)


def _is_new(record: logging.LogRecord) -> bool:
    return not (isinstance(record, _Record) and record.again)
