"""Runs a lane's jobs in the process of the test, where the app has worker processes for them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

from pages.server.lanes import Lane
from pages.server.site import Site

T = TypeVar("T")


class ThreadLane(Lane):
    """A lane with a thread as its only worker."""

    def __init__(self) -> None:
        super().__init__("thread", 1)

    def _workers(self, count: int) -> Any:
        return ThreadPoolExecutor(count, "lane")

    async def _run_in(self, pool: Executor, function: Callable[..., T], *args: object) -> T:
        return await asyncio.wrap_future(pool.submit(function, *args))


def site() -> Site:
    """Make a server's labs that compute in threads of this process."""
    made: Any = Site()
    made.quick, made.slow, made.trainers = ThreadLane(), ThreadLane(), [ThreadLane()]
    return made
