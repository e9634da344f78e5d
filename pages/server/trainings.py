"""The server's side of the trainings: the processes that train, and who gets whose pictures."""

import json
import os
from collections import Counter
from collections.abc import Callable
from zlib import crc32

from lessons.contract.environment import CUDA
from pages.labs.messages import LOST_RUN, Aside, Opened, TrainingWish, read_training
from pages.server.child import Child, cores

Listener = Callable[[bytes | Aside], None]
"""Takes a picture, or what is said in place of one."""
COUNTS, ASIDE, PICTURE = range(3)
"""What a message of such a process holds: the second number of its head. The first is the client,
0 for the counts."""
NICENESS = 10
"""Pages and sliders come first."""
TUNABLES, HUGE_PAGES = "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"
"""Each step of a training reads and writes some tens of megabytes. In pages of 2 MB, which this
has the C library ask Linux for, a step takes a twentieth less; elsewhere it says nothing."""


def processes() -> int:
    """How many processes train: one on two cores, so that the pages have the other."""
    return max(1, min(4, cores() // 2))


class Worker(Child):
    """One process that trains.

    Args:
        number: which one; of several devices it takes this one, counted round.
    """

    def __init__(self, number: int = 0) -> None:
        told = os.environ.get(TUNABLES)
        tunables = f"{told}:{HUGE_PAGES}" if told else HUGE_PAGES
        environment = {CUDA: str(number), TUNABLES: tunables}
        super().__init__("trainer", "pages.server.trainer", environment, NICENESS)
        self._listeners: dict[int, Listener] = {}
        self._wishes: dict[int, Opened] = {}  # the newest of each
        self._heard = False  # something, of the process that runs now: it may have runs
        self.counts: dict[str, int] = {}  # of trainings, by state
        self.on_counts: Callable[[], None] = lambda: None

    def wish(self, client: int, listener: Listener, message: Opened) -> None:
        """Pass on what a learner wants; the listener hears what comes of it, on the event loop."""
        self.start()
        self._listeners[client] = listener
        self._wishes[client] = message
        self.send({"client": client, **message._asdict()})
        if not self._heard and read_training(message.training).run:
            self._lost(client)

    def taken(self, client: int) -> None:
        """The learner's browser has taken in a picture."""
        if client in self._listeners:
            self.send({"client": client, "taken": 1})

    def gone(self, client: int) -> None:
        """The learner has left."""
        if self._listeners.pop(client, None):
            del self._wishes[client]
            self.send({"client": client, "gone": 1})

    def started(self) -> None:
        """What is wanted now is wanted of the new process."""
        for client, message in self._wishes.items():
            self.send({"client": client, **message._asdict()})

    def received(self, client: int, what: int, content: bytes) -> None:
        """How many trainings there are, a picture, or what is said in place of one."""
        self._heard = True
        if what == COUNTS:
            self.counts = json.loads(content)
            self.on_counts()
        elif client in self._listeners:
            self._listeners[client](content if what == PICTURE else json.loads(content))

    def ended(self) -> None:
        """Whoever trained is told that the run is lost."""
        self._heard = False
        self.counts = {}
        self.on_counts()
        for client, message in self._wishes.items():
            known = read_training(message.training)
            if known.run or known.phase == "run" or known.single:
                lost = TrainingWish(**known.model_dump() | {"run": known.run or "lost"})
                self._wishes[client] = message._replace(training=lost.model_dump_json())
                self._lost(client)

    def _lost(self, client: int) -> None:
        """Say so now: the next picture comes once a process has loaded torch, seconds from here."""
        self._listeners[client]({"seq": 0, "kind": "lost", "text": LOST_RUN})


class Trainings:
    """All processes that train; a learner stays with one, also after a broken connection."""

    def __init__(self, count: int | None = None) -> None:
        self._workers = [Worker(n) for n in range(processes() if count is None else count)]
        for worker in self._workers:
            worker.on_counts = self._counted
            worker.on_restart = self._restarted
        self.on_counts: Callable[[dict[str, int]], None] = lambda counts: None
        self.on_restart: Callable[[str], None] = lambda kind: None

    def start(self) -> None:
        """Start them in the background; who trains before that starts one as well."""
        for worker in self._workers:
            worker.start()

    async def stop(self) -> None:
        """End them now."""
        for worker in self._workers:
            await worker.kill()

    def pids(self) -> list[int]:
        """The processes that run now."""
        return [worker.pid for worker in self._workers if worker.pid]

    def _counted(self) -> None:
        counts: Counter[str] = Counter()
        for worker in self._workers:
            counts.update(worker.counts)
        self.on_counts(counts)

    def _restarted(self, kind: str) -> None:
        self.on_restart(kind)

    def of(self, token: str) -> Worker:
        """The process of the learner with this token."""
        return self._workers[crc32(token.encode()) % len(self._workers)]
