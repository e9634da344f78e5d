"""Lanes of worker processes: a function and its arguments go in, what it returns comes out.

A lane hands each job to a worker that is idle, first come, first served. A worker that dies, or
takes too long, is replaced, and its job is tried once more.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import ParamSpec, TypeVar

from pages.server import worker

P = ParamSpec("P")
T = TypeVar("T")

CORES = "GRADIENT_TRICKS_CORES"
LONGEST = 10.0
"""Seconds that a job may take; the caps in lessons/ keep it below half a second."""
MOST_WAITING = 2_000
"""Jobs that wait in a lane; there are fewer sockets, and each has one job at a time."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL


class LostError(RuntimeError):
    """The job's worker died, on the second try as on the first."""


class FullError(RuntimeError):
    """Too many jobs wait."""


def cores() -> int:
    """Count the cores that this server may keep busy, or take the number in the environment.

    Raises:
        ValueError: the environment has something else than a number.
    """
    given = os.environ.get(CORES, "")
    if given:
        if not (given.isascii() and given.isdigit() and 0 < int(given) < 1000):
            raise ValueError(f"{CORES} is a number of cores, 1 or more, not {given!r}.")
        return int(given)
    if hasattr(os, "sched_getaffinity"):  # a container's or a batch system's share
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _context() -> multiprocessing.context.BaseContext:
    """Return the way to start a worker: forked within 20 ms from a process that has loaded torch
    and all lessons, or on Windows a new process that takes seconds to load them."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pages.server.preload"])
    return context


class Worker:
    """One process that runs one job at a time. It starts with its first job.

    Args:
        kind: the lane's name, for the log.
        niceness: how much less of a busy core it gets than a process of niceness 0.
    """

    def __init__(self, kind: str, niceness: int) -> None:
        self._kind, self._niceness = kind, niceness
        self._pool: ProcessPoolExecutor | None = None
        self._pid: Future[int] | None = None

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the function in the process.

        Raises:
            BrokenProcessPool: the process died or was killed; the next job gets a new one.
        """
        if self._pool is None or self._pid is None:
            begin = (self._niceness,)
            self._pool = ProcessPoolExecutor(1, _context(), worker.begin, begin)
            self._pid = self._pool.submit(os.getpid)
        pool, started = self._pool, self._pid
        try:
            pid = await asyncio.wrap_future(started)
            job = pool.submit(function, *args, **kwargs)
            hung = asyncio.get_running_loop().call_later(LONGEST, _end, pid)
            try:
                return await asyncio.wrap_future(job)
            finally:
                hung.cancel()
        except BrokenProcessPool:
            self._pool = None
            pool.shutdown(wait=False)
            logging.getLogger(__name__).warning("a %s worker died and is replaced", self._kind)
            raise

    def stop(self) -> None:
        """End the process now."""
        if self._pool and self._pid and self._pid.done() and not self._pid.exception():
            _end(self._pid.result())
            self._pool.shutdown(wait=False, cancel_futures=True)


def _end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, _KILL)


class Lane:
    """Some workers and the jobs that wait for them.

    Args:
        kind: its name, for the log and the meters.
        count: how many workers.
        niceness: theirs.
        on_restart: called with ``kind`` when a worker died.
    """

    def __init__(
        self,
        kind: str,
        count: int,
        niceness: int = 0,
        on_restart: Callable[[str], None] = lambda kind: None,
    ) -> None:
        self._kind, self._on_restart = kind, on_restart
        self._workers = [Worker(kind, niceness) for _ in range(count)]
        # The worker that was idle last comes first: its caches are warm, and others start only
        # when they are needed.
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        for one in reversed(self._workers):
            self._idle.put_nowait(one)
        self._waiting = 0

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the function in a worker; cancel this to leave the queue.

        Raises:
            LostError: its worker died twice.
            FullError: too many jobs wait.
        """
        try:
            return await self.run_once(function, *args, **kwargs)
        except BrokenProcessPool:
            pass
        try:
            return await self.run_once(function, *args, **kwargs)
        except BrokenProcessPool:
            raise LostError("the work ended its process twice") from None

    async def run_once(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the function in a worker, and do not try again.

        Raises:
            BrokenProcessPool: its worker died.
            FullError: too many jobs wait.
        """
        if self._waiting >= MOST_WAITING:
            raise FullError("too many jobs wait")
        self._waiting += 1
        try:
            one = await self._idle.get()
        finally:
            self._waiting -= 1
        job = asyncio.ensure_future(one.run(function, *args, **kwargs))

        def done(job: asyncio.Future[T]) -> None:
            self._idle.put_nowait(one)
            if not job.cancelled() and isinstance(job.exception(), BrokenProcessPool):
                self._on_restart(self._kind)

        job.add_done_callback(done)
        return await asyncio.shield(job)  # who leaves does not free the worker before its job ends

    def stop(self) -> None:
        """End all its workers now."""
        for one in self._workers:
            one.stop()
