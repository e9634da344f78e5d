"""Jobs that tests give to workers. As a program: start two workers and wait to be killed."""

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable
from multiprocessing import Pipe
from pathlib import Path
from unittest.mock import patch

from lessons.outputs import catalogue
from pages.labs.answer import answer
from pages.server import worker
from pages.server.lanes import Lane
from tests.support.server import START_SECONDS, until


def pid_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def niceness() -> int:
    return os.nice(0)


def begin_where_niceness_is_refused() -> int:
    """Run a worker whose pipe is closed; count how often it was refused a niceness."""
    ours, its_end = Pipe()
    ours.close()
    with patch("os.nice", side_effect=PermissionError) as nice:
        worker.work(its_end, 5, 0)
    return nice.call_count


def frozen_and_loaded_later() -> tuple[int, set[str]]:
    """How many objects are frozen, and the modules that are loaded with all lessons only now."""
    before = {*sys.modules}
    catalogue.lessons()
    return gc.get_freeze_count(), {*sys.modules} - before


def loaded_by(wish: str) -> set[str]:
    """The modules that are loaded only to answer this wish."""
    before = {*sys.modules}
    assert answer(wish, True).kind == "frame"
    return {*sys.modules} - before


def die(tries: Path) -> None:
    """End this process, and note each try."""
    with tries.open("a") as file:
        file.write("x")
    os._exit(1)


def die_once(tries: Path) -> str:
    if not tries.exists():
        die(tries)
    return "done"


def pid_of_the_second_try(tries: Path) -> int:
    """Hang on the first try; return the process id on the second."""
    if not tries.exists():
        tries.touch()
        time.sleep(START_SECONDS)
    return os.getpid()


def pid_when(begun: Path, may_end: Callable[[], bool]) -> int:
    """Note that the job has begun, and wait until it may end."""
    begun.touch()
    until(may_end)
    return os.getpid()


async def serve() -> None:
    lane = Lane("test", 2)
    pids = await asyncio.gather(lane.run(pid_after, 0.3), lane.run(pid_after, 0.3))
    print(*pids, flush=True)
    await lane.run(pid_after, 5.0)


if __name__ == "__main__":
    asyncio.run(serve())
