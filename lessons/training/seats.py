"""How many may train at once: a seat for each, and a queue that knows who is before whom.

A seat is kept by asking again. Whoever has not asked for ``LAPSE`` seconds has left: the page was
closed, the network is gone. So nothing has to be told that a learner went away.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

AT_ONCE = 2
LAPSE = 1.0
"""Seconds without a word after which a seat, or a place in the queue, is free."""


class Seats:
    """Seats and a queue, for all sessions of this process.

    Args:
        at_once: how many seats there are.
        clock: seconds, for tests.
    """

    def __init__(self, at_once: int = AT_ONCE, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once = at_once
        self._clock = clock
        self._lock = threading.Lock()
        self._heard: dict[Hashable, float] = {}  # in the order of coming: the first ones sit
        self._busy: set[Hashable] = set()

    @contextmanager
    def turn(self, who: Hashable) -> Iterator[int]:
        """Ask for a turn: yields how many are before this one; 0 means go.

        While the block runs the seat cannot lapse, however long it takes.
        """
        with self._lock:
            now = self._clock()
            # No loop's variable: while the block runs, it would hold the last who left.
            self._heard = {
                one: heard
                for one, heard in self._heard.items()
                if one in self._busy or now - heard <= LAPSE
            }
            self._heard[who] = now
            before = max(0, list(self._heard).index(who) + 1 - self._at_once)
            if before == 0:
                self._busy.add(who)
        try:
            yield before
        finally:
            with self._lock:
                self._busy.discard(who)
                if who in self._heard:
                    self._heard[who] = self._clock()

    def leave(self, who: Hashable) -> None:
        """Give the seat or the place in the queue back now."""
        with self._lock:
            self._heard.pop(who, None)

    def __len__(self) -> int:
        """How many sit or wait, those who went without a word not counted."""
        with self._lock:
            now = self._clock()
            return sum(
                one in self._busy or now - heard <= LAPSE for one, heard in self._heard.items()
            )


SEATS = Seats()
