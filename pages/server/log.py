"""Keeps out of the log what visitors typed, and counts the lines that come again.

The message of an exception may quote a visitor, and so may a line of a library. The log has the
place that either comes from, and the type of an exception.
"""

import logging
import time
import traceback
from typing import Any

REPEAT_AFTER = 60.0
"""Seconds between two copies of one line."""
_said: dict[tuple[str, str], tuple[float, int]] = {}
"""By message and traceback: when the line was last logged, and the copies dropped since."""


def set_up() -> None:
    """Make all that this process logs from now on quote nobody, and drop copies."""
    _said.clear()
    logging.setLogRecordFactory(_record)


def _record(*given: Any, **named: Any) -> logging.LogRecord:
    """Make a record of the log that quotes nobody."""
    record = logging.LogRecord(*given, **named)
    error = record.exc_info[1] if record.exc_info else None
    while isinstance(error, BaseExceptionGroup):  # a socket's tasks raise one
        error = error.exceptions[0]
    if error:
        frames = "".join(traceback.format_tb(error.__traceback__))
        record.exc_text = f"{frames}{type(error).__name__}"  # a formatter takes this as it is
    if not str(record.name).startswith(("pages.", "lessons.")):
        record.msg, record.args = f"{record.filename}, line {record.lineno}", ()
    logging.getLogger(record.name).addFilter(_is_new)  # the logger asks its filters next
    return record


def _is_new(record: logging.LogRecord) -> bool:
    """Tell whether the same line was not logged a moment ago, and add how many were left out."""
    line = record.getMessage(), record.exc_text or ""
    last, more = _said.get(line, (-REPEAT_AFTER, 0))
    if time.monotonic() < last + REPEAT_AFTER:
        _said[line] = last, more + 1
        return False
    _said[line] = time.monotonic(), 0
    if more:
        record.msg, record.args = f"{record.getMessage()} ({more} more before)", ()
    return True
