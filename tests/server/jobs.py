"""Jobs for workers in tests; run as a program, a server with two workers that waits to be ended."""

import asyncio
import os
import time
from pathlib import Path

from pages.server.lanes import Lane


def pid_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def raise_error() -> None:
    raise ZeroDivisionError("a mistake of ours")


def niceness() -> int:
    return os.nice(0)


def die(tries: Path) -> None:
    """End this process, and note each try."""
    with tries.open("a") as file:
        file.write("x")
    os._exit(1)


def die_once(tries: Path) -> str:
    if not tries.exists():
        die(tries)
    return "done"


async def serve() -> None:
    lane = Lane("test", 2)
    pids = await asyncio.gather(lane.run(pid_after, 0.3), lane.run(pid_after, 0.3))
    print(*pids, flush=True)
    await lane.run(pid_after, 5.0)


if __name__ == "__main__":
    asyncio.run(serve())
