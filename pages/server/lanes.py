"""Lanes of worker processes: a function and its arguments go in, what it returns comes out.

A lane runs as many jobs at once as it has workers; visitors who wait take turns. When a worker dies
or takes too long, the job is tried once more in a new process.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from pages.server import worker
from pages.server.forkserver import CONTEXT
from pages.server.visitors import Turns

T = TypeVar("T")

JOB_TIMEOUT = 8.0
"""Seconds that a job may take; the caps in lessons/ keep it below half a second. Two tries end
before the browser takes its socket for dead, after 20 s."""
START_TIMEOUT = 60.0
"""Seconds that a process may take to begin: without a fork, it loads everything itself."""


class LostError(RuntimeError):
    """The job's worker died or took too long, or could not start: the visitor is told so."""


class Worker:
    """Runs jobs in a process, which starts when it is needed.

    Args:
        kind: its name, for the log.
        begin: the niceness and the device, as in ``Lane``.
    """

    def __init__(self, kind: str, *begin: int) -> None:
        self._kind, self._begin = kind, begin
        self.process: Any = None

    def start(self) -> None:
        """Start the process, and wait until it is ready: use a thread.

        Raises:
            LostError: the process is lost.
        """
        with self._ending_on_error():
            self._pipe, its_end = CONTEXT.Pipe()
            process = CONTEXT.Process(target=worker.work, args=(its_end, *self._begin))
            process.start()
            self.process = process
            its_end.close()  # so that we notice when the process is gone
            self._pipe.recv()

    def run(self, function: Callable[..., T], *args: object) -> T:
        """Run a job, and wait for it: use a thread.

        Raises:
            LostError: the process is lost.
        """
        with self._ending_on_error():
            self._pipe.send((function, *args))
            answer: T = self._pipe.recv()
            return answer

    @contextmanager
    def _ending_on_error(self) -> Iterator[None]:
        """End the process if the pipe to it breaks."""
        try:
            yield
        except (OSError, EOFError) as error:
            logging.getLogger(__name__).warning("a %s worker died: replaced", self._kind)
            self.end()
            raise LostError(f"A {self._kind} worker died: {error}") from error

    def kill(self) -> None:
        """Kill the process, even if something has stopped it. ``start`` or ``run`` then notices."""
        if self.process:
            self.process.kill()

    def end(self) -> None:
        """End the process. The next job gets another one."""
        if self.process:
            self.kill()
            self._pipe.close()
            self.process = None


class Lane:
    """Some workers, and the jobs that wait for them.

    Args:
        kind: its name, for the log.
        count: how many workers.
        niceness: how much less of a busy core they get than a process of niceness 0.
        device: of several CUDA devices, the one that they use, counted round.
        idle: seconds without a job after which its processes end, since they keep memory.
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
        self._turns = Turns(count, of_one or count)
        self._workers = [Worker(kind, niceness, device) for _ in range(count)]
        self._free = [*self._workers]
        self._threads = ThreadPoolExecutor(count, kind)  # each waits for one worker
        self._idle = idle
        self._ending: asyncio.TimerHandle | None = None

    async def run(
        self,
        function: Callable[..., T],
        *args: object,
        who: str = "",
        cached: Callable[[], T | None] = lambda: None,
    ) -> T:
        """Run the function in a worker when it is the visitor's turn; cancel this to leave.

        Args:
            who: the visitor.
            cached: gives the answer if others had it computed by then, else None.

        Raises:
            LostError: its worker died, twice.
        """
        async with self._turns.of(who):
            if (answer := cached()) is not None:
                return answer
            one = self._free.pop()  # the one that had a job last, so few processes start
            job = asyncio.create_task(self._tried(one, function, *args))
            try:
                return await asyncio.shield(job)
            except asyncio.CancelledError:  # the visitor left, and the worker is still busy
                await asyncio.gather(job, return_exceptions=True)
                raise
            finally:
                self._free.append(one)
                if self._ending:
                    self._ending.cancel()
                if self._idle:
                    loop = asyncio.get_running_loop()
                    self._ending = loop.call_later(self._idle, self.rest)

    async def _tried(self, one: Worker, function: Callable[..., T], *args: object) -> T:
        """Run a job, once more if its process is lost."""
        try:
            return await self._try(one, function, *args)
        except LostError:
            await asyncio.sleep(0.2)  # if the fork server died too, multiprocessing notices by then
            return await self._try(one, function, *args)

    async def _try(self, one: Worker, function: Callable[..., T], *args: object) -> T:
        if not one.process:
            await self._within(START_TIMEOUT, one, one.start)
        return await self._within(JOB_TIMEOUT, one, one.run, function, *args)

    async def _within(
        self, seconds: float, one: Worker, function: Callable[..., T], *args: Any
    ) -> T:
        """Run a function in a thread; kill the worker if it takes longer."""
        loop = asyncio.get_running_loop()
        limit = loop.call_later(seconds, one.kill)
        try:
            return await loop.run_in_executor(self._threads, function, *args)
        finally:
            limit.cancel()

    def rest(self) -> None:
        """End the processes that have no job."""
        for one in self._free:
            one.end()

    def end(self) -> None:
        """End all processes."""
        for one in self._workers:
            one.kill()
        self._threads.shutdown()
        for one in self._workers:
            one.end()
