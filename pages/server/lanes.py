"""Lanes of worker processes: a function and its arguments go in, what it returns comes out.

A lane gives each job to an idle worker, first come, first served. A worker that dies or takes too
long is replaced, and its job is tried once more; only a training's is not.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from typing import TypeVar

from pages.server import meters, worker

T = TypeVar("T")

CORES = "GRADIENT_TRICKS_CORES"
LONGEST = 8.0
"""Seconds that a job may take; the caps in lessons/ keep it below half a second. Two tries end
before the browser takes its line for dead, after 20 s."""
START = 60.0
"""Seconds that a process may take to start."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL


class LostError(RuntimeError):
    """The job's worker died."""


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
    """Return how workers start: forked within 20 ms from a process that has loaded everything, or
    on Windows as a new process that loads it for seconds."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    # torch asks the CUDA driver otherwise, and no process can be forked for CUDA after that.
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    # A step of a training reads and writes tens of megabytes: 5 % faster in pages of 2 MB.
    os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pages.server.preload"])
    return context


class _Worker:
    """One process that runs one job at a time. It starts with its first job."""

    def __init__(self, niceness: int, device: int) -> None:
        self._begin = niceness, device
        self._process: tuple[ProcessPoolExecutor, int] | None = None  # and its number

    async def run(self, function: Callable[..., T], *args: object) -> T:
        """Run the function in the process.

        Raises:
            BrokenProcessPool: the process died, or could not be started; the next job gets a new
                one.
        """
        try:
            if self._process is None:
                # Not on the event loop: it takes 20 ms, or seconds if the fork server died.
                self._process = await asyncio.to_thread(self._start)
            pool, _ = self._process
            hung = asyncio.get_running_loop().call_later(LONGEST, self.kill)
            try:
                return await asyncio.wrap_future(pool.submit(function, *args))
            finally:
                hung.cancel()
        except BrokenProcessPool:
            self.forget()
            raise

    def _start(self) -> tuple[ProcessPoolExecutor, int]:
        pool = ProcessPoolExecutor(1, _context(), worker.begin, self._begin)
        try:
            return pool, pool.submit(os.getpid).result(START)
        except (OSError, EOFError) as error:  # no memory, no file handle, or not in time
            pool.shutdown(wait=False, cancel_futures=True)
            raise BrokenProcessPool("a worker could not be started") from error

    def kill(self) -> None:
        """Kill the process; whoever waits for its job gets BrokenProcessPool."""
        with suppress(ProcessLookupError):
            if self._process:
                os.kill(self._process[1], _KILL)

    def forget(self) -> None:
        """Release what the system keeps for a process that is dead, or about to be."""
        if self._process:
            self._process[0].shutdown(cancel_futures=True)
            self._process = None


class Lane:
    """Some workers, and the jobs that wait for them.

    Args:
        kind: its name, for the log and the meters.
        count: how many workers.
        niceness: how much less of a busy core they get than a process of niceness 0.
        device: of several CUDA devices, the one that they use, counted round.
    """

    def __init__(self, kind: str, count: int, niceness: int = 0, device: int = 0) -> None:
        self._kind = kind
        self._workers = [_Worker(niceness, device) for _ in range(count)]
        # The worker that was idle last comes first: its caches are warm, and the others start only
        # when they are needed.
        self._idle: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        for one in self._workers:
            self._idle.put_nowait(one)

    async def run(self, function: Callable[..., T], *args: object, tries: int = 2) -> T:
        """Run the function in a worker; cancel this to leave the queue.

        Raises:
            LostError: its worker died at each try.
        """
        for _ in range(tries):
            one = await self._idle.get()
            job = asyncio.ensure_future(one.run(function, *args))
            # A job that nobody waits for any more still keeps its worker busy until it ends.
            job.add_done_callback(partial(self._done, one))
            try:
                return await asyncio.shield(job)
            except BrokenProcessPool:
                meters.RESTARTS.labels(self._kind).inc()
                logging.getLogger(__name__).warning("a %s worker died: replaced", self._kind)
        raise LostError(f"the job ended its {self._kind} worker")

    def _done(self, one: _Worker, job: asyncio.Future[object]) -> None:
        self._idle.put_nowait(one)
        if not job.cancelled():
            job.exception()  # seen, even if nobody waits any more

    def end(self) -> None:
        """Kill all its workers, and release what the system keeps for them."""
        for one in self._workers:
            one.kill()
            one.forget()
