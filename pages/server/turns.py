"""Who computes when: so many at once, and whoever has used least comes first.

Long work is asked for again and again how far it is; there it makes room for others, so that a
million draws of one learner cost the next one a chunk of them and no more.
"""

import heapq
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple

from pages.labs.turn import Turn

PATIENCE = 0.33
"""Seconds before work is slow: then it tells how far it is and gives way to a newer wish."""
SLICE = 0.01
"""Seconds of computing before others come first."""
LIGHT = 0.25
"""Seconds of computing of late that are little; who has used more makes nobody wait for long."""
LONG = 1.0
"""Seconds of computing from which on work counts as long …"""
WEIGHT = 5.0
"""Seconds that each second of computing sets somebody back in the queue: nobody waits for good."""
MOST_LONG = 16
"""… of which there is no more at once in a process: each holds a thread and its memory."""
CROWDED = 0.1
"""The same where other work waits for a thread: a lesson as it opens takes a sixth of it."""
MOST = 10.0
"""Seconds of computing after which work is given up; the longest there is takes a fifth of it."""


class Interrupted(BaseException):
    """The work is given up."""


class Overtaken(Interrupted):
    """The same learner wants something newer, or has left."""


class Stopped(Interrupted):
    """The learner pressed Stop."""


class Busy(Interrupted):
    """There is too much long work already."""


class TooLongHere(Interrupted):
    """It takes longer than work may take in this process."""


class TooLong(Interrupted):
    """It has computed for ``MOST`` seconds; the message says so."""


class _Waiting(NamedTuple):
    """One who waits for a turn; the lowest ``place`` is first."""

    place: float
    number: int
    used: float
    look: threading.Event


class Turns:
    """The turns of one process.

    Some pieces of work cannot be interrupted, such as the way back through large tensors, and take
    up to a tenth of a second. Once such a piece of one who has used much has taken ``SLICE``, one
    who has used little computes beside it.

    Args:
        at_once: how many compute at the same time.
    """

    def __init__(self, at_once: int) -> None:
        self._lock = threading.Lock()
        self._at_once = at_once
        self._running = self._heavy = 0
        self._since = 0.0  # when the last turn was taken
        self._count = 0
        self._waiting: list[_Waiting] = []
        self.long = 0

    def take(self, used: float) -> None:
        """Wait for a turn; of two who come at once, the one who has ``used`` less is first."""
        with self._lock:
            if self._running < self._at_once and not self._waiting:
                self._begin(used)
                return
            self._count += 1
            place = time.monotonic() + WEIGHT * used
            mine = _Waiting(place, self._count, used, threading.Event())
            heapq.heappush(self._waiting, mine)
        while not self._taken(mine):
            first = self._waiting[0] is mine
            mine.look.wait(SLICE if first and used < LIGHT and self._heavy else None)

    def _taken(self, mine: _Waiting) -> bool:
        """Whether the turn has come of one who waits; the next one then looks whether it has."""
        with self._lock:
            mine.look.clear()
            slow = self._heavy and time.monotonic() - self._since >= SLICE
            most = self._at_once + bool(slow and mine.used < LIGHT)
            if self._waiting[0] is not mine or self._running >= most:
                return False
            heapq.heappop(self._waiting)
            self._begin(mine.used)
            self._wake()
            return True

    def _begin(self, used: float) -> None:
        self._running += 1
        self._heavy += used >= LIGHT
        self._since = time.monotonic()

    def _wake(self) -> None:
        if self._waiting:
            self._waiting[0].look.set()

    def give(self, used: float = 0.0) -> None:
        """Pass the turn on that was taken with ``used``."""
        with self._lock:
            self._running -= 1
            self._heavy -= used >= LIGHT
            self._wake()

    def wanted(self) -> bool:
        """Whether somebody waits."""
        return bool(self._waiting)


class Use(NamedTuple):
    """Seconds that one learner has computed: ``late`` altogether, ``last`` the last time."""

    late: float = 0.0
    last: float = 0.0


class Used:
    """Seconds of computing by learner: who asks for much again and again comes after the others.

    What was used counts half after ``HALF`` seconds. The newest ``MOST_KNOWN`` are remembered.
    """

    HALF, MOST_KNOWN = 5.0, 2_000

    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[Use, float]] = OrderedDict()  # and when

    def of(self, client: int) -> Use:
        """What this one has used."""
        use, when = self._known.get(client, (Use(), 0.0))
        return use._replace(late=use.late * 0.5 ** ((time.monotonic() - when) / self.HALF))

    def add(self, client: int, seconds: float) -> None:
        """Take note."""
        self._known[client] = Use(self.of(client).late + seconds, seconds), time.monotonic()
        self._known.move_to_end(client)
        if len(self._known) > self.MOST_KNOWN:
            self._known.popitem(last=False)


class LearnersTurn(Turn):
    """One learner's work among others'.

    Args:
        turns: of the process.
        overtaken, stopped: whether the work is to be given up, and why.
        on_progress: called with the share done and the seconds left, ten times a second, from a
            thread.
        crowded: whether other work waits for a thread.
        before: seconds that this learner has computed of late.
        here: seconds that work may take in this process.
    """

    def __init__(
        self,
        turns: Turns,
        overtaken: Callable[[], bool] = lambda: False,
        stopped: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float, float], None] = lambda share, seconds: None,
        crowded: Callable[[], bool] = lambda: False,
        before: float = 0.0,
        here: float = math.inf,
    ) -> None:
        self._turns, self._crowded, self._before = turns, crowded, before
        self._here = here
        self._overtaken, self._stopped, self._on_progress = overtaken, stopped, on_progress
        self._begun = time.perf_counter()
        self._used = self._since = self._computed = self._reported = 0.0
        self._long = False
        self._taken = 0.0

    def __enter__(self) -> None:
        self._take()
        if self._stopped():  # while it waited
            self._turns.give(self._taken)
            raise Stopped
        self._since, self._computed = time.perf_counter(), time.thread_time()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._used += time.thread_time() - self._computed
        if self._long:
            self._turns.long -= 1
            self._long = False
        self._turns.give(self._taken)

    def _take(self) -> None:
        self._taken = self._before + self._used
        self._turns.take(self._taken)

    def report(self, share: float) -> None:
        """Give way, tell, or end.

        Raises:
            Interrupted: the work is given up.
        """
        if share >= 1:
            return
        now = time.perf_counter()
        waited, spent = now - self._begun, time.thread_time() - self._computed
        if self._stopped():
            raise Stopped
        if waited > PATIENCE and self._overtaken():
            raise Overtaken
        if self._used + spent > self._here:  # before it tells: elsewhere it begins at 0 %
            raise TooLongHere
        if waited > PATIENCE and now - self._reported > 0.1:
            self._reported = now
            self._on_progress(share, waited / share - waited if share else 0.0)
        if self._used + spent > MOST:
            raise TooLong(
                f"This took more than {MOST:g} seconds of computing and was given up. "
                "Fewer draws, or fewer inputs, take less."
            )
        if self._used + spent > CROWDED and self._crowded():
            raise Busy
        if self._used + spent > LONG and not self._long:
            if self._turns.long >= MOST_LONG:
                raise Busy
            self._long = True
            self._turns.long += 1
        if now - self._since > SLICE and self._turns.wanted():
            self._used += spent
            self._turns.give(self._taken)
            self._take()
            self._since, self._computed = time.perf_counter(), time.thread_time()

    def waiting(self) -> None:
        """Another learner's thread does the same work: tell, or wait no more.

        Raises:
            Interrupted: the work is given up.
        """
        if self._stopped():
            raise Stopped
        now = time.perf_counter()
        if now - self._begun > PATIENCE:
            if self._overtaken():
                raise Overtaken
            if now - self._reported > 1:
                self._reported = now
                self._on_progress(0.0, 0.0)
