"""What a server's sockets and its API share: who computes, who trains, which frames were made."""

import asyncio
from collections.abc import Callable, Iterator

from pages.labs.once import Once
from pages.server.computers import Computers, Job
from pages.server.draining import Draining
from pages.server.meters import Meters
from pages.server.notice import Notice
from pages.server.tidy import Tidy
from pages.server.trainings import Trainings
from pages.server.turns import Used

KEPT = 24 << 20
"""Bytes of frames kept for the next who wants the same."""
QUIET = 0.2
"""Seconds between two looks whether anything is computed."""


class Shared:
    """Of one server.

    Args:
        computers: whoever computes; processes by default.
        trainings: the processes that train.
    """

    def __init__(
        self, computers: Computers | None = None, trainings: Trainings | None = None
    ) -> None:
        self.computers = computers or Computers()
        self.meters = Meters()
        self.trainings = trainings or Trainings()
        self.trainings.on_counts = self.meters.trainings
        self.tidy = Tidy()
        self.used = Used()
        self.draining = Draining()
        # Both by what stands for a wish.
        self.making: dict[bytes, asyncio.Event] = {}  # those that are computed now
        self.frames: Once[bytes, bytes] = Once(KEPT, len)

    async def computed(
        self,
        work: str,
        text: str,
        on_begun: Callable[[Job], None] = lambda job: None,
        on_progress: Callable[[Notice], None] = lambda notice: None,
        client: int = 0,
    ) -> bytes | Notice:
        """What the work comes to; stopped where nobody waits for it any more.

        Args:
            work, text: as ``Computing.ask`` has them.
            client: whose work it is; all that the API is asked is one's.
            on_begun: takes the job.
            on_progress: takes how far it is.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes | Notice] = loop.create_future()

        def take(reply: bytes | Notice, spent: float) -> None:
            if spent:
                self.used.add(client, spent)
            if isinstance(reply, Notice) and not reply.last:
                on_progress(reply)
            elif not answer.done():
                answer.set_result(reply)

        def deliver(reply: bytes | Notice, spent: float) -> None:
            loop.call_soon_threadsafe(take, reply, spent)

        job = self.computers.ask(work, text, deliver, self.used.of(client))
        on_begun(job)
        try:
            return await answer
        finally:
            if not answer.done() or answer.cancelled():
                job.stop()

    async def train_soon(self, after: float = 10.0) -> None:
        """Start those who train, so many seconds from now and in a quiet moment: to load torch
        takes a core for seconds."""
        await asyncio.sleep(after)
        quiet = 0
        while quiet < 3:
            await asyncio.sleep(QUIET)
            quiet = 0 if self.making else quiet + 1
        self.trainings.start()

    def on_restart(self, told: Callable[[str], None]) -> None:
        """Whom to tell the kind of each process that is started again."""
        self.computers.on_restart = self.trainings.on_restart = told

    def processes(self) -> Iterator[tuple[str, int]]:
        """What each process that works for the sockets does, and its number."""
        for kind, pids in (("computer", self.computers.pids()), ("trainer", self.trainings.pids())):
            for pid in pids:
                yield kind, pid
