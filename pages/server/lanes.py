"""Lanes of worker processes: a function and its arguments go in, what it returns comes out.

A lane runs as many jobs at once as it has workers, first come, first served. When a worker dies,
the lane gets new ones, and the jobs that ran are tried once more; only a training's is not.
"""

import asyncio
import logging
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import forkserver, resource_tracker, util
from typing import Any, TypeVar

from pages.server import meters, worker

T = TypeVar("T")

# Workers are forked in 20 ms from a process that has loaded everything. Windows forks none: there
# each worker loads everything itself, which takes seconds.
_CONTEXT = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
_CONTEXT.set_forkserver_preload(["pages.server.preload"])
LONGEST = 8.0
"""Seconds that a job may take; the caps in lessons/ keep it below half a second. Two tries end
before the browser takes its line for dead, after 20 s."""


class LostError(RuntimeError):
    """The job's worker died."""


def share_memory() -> None:
    """Fork the workers' parent from this process, on Linux: the two then share 130 MB.
    Multiprocessing would start Python again, and load torch and the lessons a second time."""
    if sys.platform != "linux" or threading.active_count() > 1:  # a fork copies one thread
        return
    resource_tracker.ensure_running()
    start_python = util.spawnv_passfds
    util.spawnv_passfds = _fork
    try:
        forkserver.ensure_running()
    finally:
        util.spawnv_passfds = start_python


def _fork(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
    """Fork this process to run what Python would run with these arguments."""
    if process := os.fork():
        return process
    try:
        lowest = 3
        for number in (*sorted(passfds), os.sysconf("SC_OPEN_MAX")):
            os.closerange(lowest, number)  # or it keeps the server's port when the server is gone
            lowest = number + 1
        exec(args[-1], {})
    except Exception:
        logging.getLogger(__name__).exception("no process to fork workers from")
    finally:
        os._exit(0)


class Lane:
    """Some workers, and the jobs that wait for them. A worker starts when it is needed.

    Args:
        kind: its name, for the log and the meters.
        count: how many workers.
        niceness: how much less of a busy core they get than a process of niceness 0.
        device: of several CUDA devices, the one that they use, counted round.
        idle: seconds without a job after which its workers end, since they keep memory.
    """

    def __init__(
        self, kind: str, count: int, niceness: int = 0, device: int = 0, idle: float | None = None
    ) -> None:
        self._kind, self._count, self._begin, self._idle = kind, count, (niceness, device), idle
        self._ending: asyncio.TimerHandle | None = None
        self._free = asyncio.Semaphore(count)
        self._pool: ProcessPoolExecutor | None = None

    async def run(self, function: Callable[..., T], *args: object, again: bool = True) -> T:
        """Run the function in a worker; cancel this to leave the queue.

        Raises:
            LostError: its worker died, and again when it was tried ``again``.
        """
        async with self._free:
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
        return ProcessPoolExecutor(count, _CONTEXT, worker.begin, self._begin)

    async def _run_in(
        self, pool: ProcessPoolExecutor, function: Callable[..., T], *args: object
    ) -> T:
        try:
            # Not on the event loop: a process starts in 20 ms, or seconds if the fork server died.
            job = await asyncio.to_thread(pool.submit, worker.timed, LONGEST, function, *args)
            return await asyncio.wrap_future(job)
        except (RuntimeError, OSError, EOFError) as error:  # it died, could not start, or has ended
            meters.RESTARTS.labels(self._kind).inc()
            logging.getLogger(__name__).warning("a %s worker died: replaced", self._kind)
            raise LostError(f"A {self._kind} worker died, or could not start: {error}") from error

    def end(self) -> None:
        """Let the workers go, each when its job has ended."""
        if self._pool:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
