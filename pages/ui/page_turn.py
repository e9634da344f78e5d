"""What a page computes itself, its lab's first picture and the numbers in its text: by turns.

Each page runs in a thread of its own, however many are opened, and what is computed holds some
megabytes until it is done.
"""

import math
import threading
import time
from types import TracebackType

from pages.labs.turn import Turn

AT_ONCE = 2
"""Pages that compute at the same time. Python runs one thread at a time, so more gain nothing."""

_room = threading.BoundedSemaphore(AT_ONCE)


class TooLong(BaseException):
    """It takes longer than a page may wait for it."""


class PageTurn(Turn):
    """The turn of a page among others.

    Args:
        most: seconds of computing after which work is given up.
    """

    def __init__(self, most: float = math.inf) -> None:
        self._end = time.thread_time() + most

    def __enter__(self) -> None:
        _room.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _room.release()

    def report(self, share: float) -> None:
        """End where it has taken too long.

        Raises:
            TooLong: it is given up.
        """
        if time.thread_time() > self._end:
            raise TooLong
