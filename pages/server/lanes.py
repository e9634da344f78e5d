"""Lanes of worker processes: a function and its arguments go in, what it returns comes out.

A lane runs as many jobs at once as it has workers; visitors who wait take turns. When a worker
dies, the lane gets new ones, and the jobs that ran are tried once more; only a training's is not.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from pages.server import worker
from pages.server.forkserver import CONTEXT
from pages.server.visitors import Turns

T = TypeVar("T")

LONGEST = 8.0
"""Seconds that a job may take; the caps in lessons/ keep it below half a second. Two tries end
before the browser takes its line for dead, after 20 s."""

STOPPED = 60.0
"""Seconds after which a worker counts as dead: something has stopped it, its own clock too."""


class LostError(RuntimeError):
    """The job's worker died."""


class Lane:
    """Some workers, and the jobs that wait for them. A worker starts when it is needed.

    Args:
        kind: its name, for the log.
        count: how many workers.
        niceness: how much less of a busy core they get than a process of niceness 0.
        device: of several CUDA devices, the one that they use, counted round.
        idle: seconds without a job after which its workers end, since they keep memory.
        of_one: how many jobs of one visitor run at a time; all workers' if there is no number.
    """

    def __init__(
        self,
        kind: str,
        count: int,
        niceness: int = 0,
        device: int = 0,
        idle: float | None = None,
        of_one: int | None = None,
    ) -> None:
        self._kind, self._count, self._begin, self._idle = kind, count, (niceness, device), idle
        self._ending: asyncio.TimerHandle | None = None
        self._turns = Turns(count, of_one or count)
        self._pool: ProcessPoolExecutor | None = None

    async def run(
        self,
        function: Callable[..., T],
        *args: object,
        who: str = "",
        known: Callable[[], T | None] = lambda: None,
        again: bool = True,
    ) -> T:
        """Run the function in a worker when it is the visitor's turn; cancel this to leave.

        Args:
            who: the visitor.
            known: gives the answer if others had it computed by then, else None.
            again: whether to try once more if the worker dies.

        Raises:
            LostError: its worker died, the second one too.
        """
        async with self._turns.of(who):
            if (answer := known()) is not None:
                return answer
            if self._ending:
                self._ending.cancel()
            if self._idle:
                self._ending = asyncio.get_running_loop().call_later(self._idle, self.end)
            pool = self._pool = self._pool or self._workers(self._count)
            try:
                return await self._run_in(pool, function, *args)
            except LostError:
                if self._pool is pool:
                    self.end()
                if not again:
                    raise
            await asyncio.sleep(0.2)  # if the fork server died too, multiprocessing notices by then
            # In a pool of its own: if the job ends this worker too, it takes no other job with it.
            pool = self._workers(1)
            try:
                return await self._run_in(pool, function, *args)
            finally:
                pool.shutdown(wait=False)

    def _workers(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, CONTEXT, worker.begin, self._begin)

    async def _run_in(
        self, pool: ProcessPoolExecutor, function: Callable[..., T], *args: object
    ) -> T:
        """Run the job. A visitor who leaves keeps the place until it ends: the worker is busy."""
        running = asyncio.ensure_future(self._result(pool, function, *args))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.gather(running, return_exceptions=True)
            raise

    async def _result(
        self, pool: ProcessPoolExecutor, function: Callable[..., T], *args: object
    ) -> T:
        try:
            # Not on the event loop: a process starts in 20 ms, or seconds if the fork server died.
            job = await asyncio.to_thread(pool.submit, worker.timed, LONGEST, function, *args)
            async with asyncio.timeout(STOPPED):
                return await asyncio.wrap_future(job)
        except (RuntimeError, OSError, EOFError) as error:  # it died, could not start, or has ended
            logging.getLogger(__name__).warning("a %s worker died: replaced", self._kind)
            raise LostError(f"A {self._kind} worker died, or could not start: {error}") from error

    def end(self) -> None:
        """Let the workers go, each when its job has ended."""
        if self._pool:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
