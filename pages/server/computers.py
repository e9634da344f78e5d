"""The processes that compute, so that no learner's work holds up the pages or the wire."""

import itertools
from collections.abc import Callable

from pages.server.child import cores
from pages.server.computer_process import Computer
from pages.server.notice import LOST, MISTAKE, TOO_LONG_HERE, Deliver, Notice
from pages.server.turns import LIGHT, Use

LONG_PIECE = 0.015
"""Seconds of computing at a time that keep others waiting."""
HERE = 0.05
"""Seconds of computing that work may take in the first process; what takes longer begins anew in
another. Nobody knows beforehand what a wish takes."""
UNUSED = Use()
NICENESS = 12
"""All but the first process stand back so far behind it, the pages and whoever trains: a wish that
comes while they compute gets their core within a millisecond or two. At 5 it waited for more."""


def most_processes() -> int:
    """How many processes compute when many learn: one for each core, up to eight.

    Where several servers share a machine, or a container has fewer cores than it sees, the
    environment says how many: ``GRADIENT_TRICKS_CORES``.
    """
    return max(1, min(8, cores()))


class Job:
    """Work under way.

    Args:
        number: by which the process knows it.
        where: the process.
    """

    def __init__(self, number: int, where: Computer) -> None:
        self.number, self._where = number, where
        self.lost = False
        self._stopped = self._dropped = False

    def stop(self) -> None:
        """The learner pressed Stop, or nobody waits for it any more."""
        self._stopped = True
        self._where.stop(self.number)

    def drop(self) -> None:
        """The learner wants something newer."""
        self._dropped = True
        self._where.drop(self.number)

    def moved(self, where: Computer) -> None:
        """It is done there now; what was said meanwhile is said there."""
        self._where = where
        if self._stopped:
            where.stop(self.number)
        if self._dropped:
            where.drop(self.number)


class Computers:
    """All processes that compute. One at first; more as soon as work waits.

    Then the first one is kept for those who ask little.

    Args:
        most: how many at most; by default one for each core.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most or most_processes()
        self._computers: list[Computer] = []
        self._numbers = itertools.count(1)
        self.on_restart: Callable[[str], None] = lambda kind: None

    def start(self) -> None:
        """Start the first one, in the background; work that comes meanwhile waits."""
        if not self._computers:
            self._another()

    async def ready(self) -> None:
        """Until one has loaded everything.

        Raises:
            RuntimeError: there will be none.
        """
        self.start()
        await self._computers[0].loaded()

    def pids(self) -> list[int]:
        """The processes that run now."""
        return [computer.pid for computer in self._computers if computer.pid]

    async def stop(self) -> None:
        """End them now."""
        computers, self._computers = self._computers, []
        for computer in computers:
            await computer.kill()

    def ask(self, work: str, text: str, deliver: Deliver, use: Use = UNUSED) -> Job:
        """Begin work where it holds up the fewest; ``deliver`` runs on the event loop.

        Where a process ends while it works, it begins once more: with one that is ready, or else
        with the same as soon as that is started anew.
        """
        self.start()
        chosen = self._chosen(self._ready() or self._computers, use)
        if chosen.jobs and chosen.ready.is_set() and len(self._computers) < self._most:
            self._another()
        job = Job(next(self._numbers), chosen)

        def here(where: Computer) -> float | None:  # the first is kept for what is short
            return HERE if where in self._computers[:1] and len(self._ready()) > 1 else None

        def begin(where: Computer, deliver: Deliver, late: float, most: float | None) -> None:
            def take(reply: bytes | Notice, spent: float) -> None:
                if reply == TOO_LONG_HERE:
                    others = [one for one in self._ready() if one is not where]
                    other = min(others, key=_jobs, default=where)
                    begin(other, _added(spent, deliver), late + spent, None)
                elif reply == LOST and not job.lost:
                    job.lost = True  # once: it may be this work that ends each process
                    again = min(self._ready(), key=_jobs, default=where)
                    begin(again, deliver, late, here(again))
                else:
                    deliver(MISTAKE if reply == LOST else reply, spent)

            where.ask(job.number, work, text, take, late, most)
            job.moved(where)

        begin(chosen, deliver, use.late, here(chosen))
        return job

    def _ready(self) -> list[Computer]:
        return [computer for computer in self._computers if computer.ready.is_set()]

    @staticmethod
    def _chosen(among: list[Computer], use: Use) -> Computer:
        """The process with the least to do.

        Not the first where the last piece of this learner was long, and where there have been many
        short ones only while the others are busy.
        """

        first, others = among[0], among[1:]
        if others and (use.last >= LONG_PIECE or use.late >= LIGHT):
            second = min(others, key=_jobs)
            if use.last >= LONG_PIECE or first.jobs or not second.jobs:
                return second
        return min(among, key=_jobs)

    def _another(self) -> None:
        if all(computer.ready.is_set() for computer in self._computers):  # else one is on its way
            computer = Computer(NICENESS if self._computers else 0)
            computer.on_restart = self.on_restart
            computer.start()
            self._computers.append(computer)


def _jobs(computer: Computer) -> int:
    return len(computer.jobs)


def _added(before: float, deliver: Deliver) -> Deliver:
    """Adds what was spent before to what the answer took."""
    return lambda reply, spent: deliver(reply, before + spent if spent else spent)
