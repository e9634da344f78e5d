"""Runs a lane's jobs in the process of the test, where the app has worker processes for them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pages.server.site import Site
from pages.server.visitors import Turns

T = TypeVar("T")


class ThreadLane:
    """In place of ``pages.server.lanes.Lane``: one thread, and whatever it is given runs there."""

    def __init__(self) -> None:
        self._thread, self._turns = ThreadPoolExecutor(1, "lane"), Turns(1)

    async def run(
        self,
        function: Callable[..., T],
        *args: object,
        who: str = "",
        known: Callable[[], T | None] = lambda: None,
        again: bool = False,
    ) -> T:
        async with self._turns.of(who):
            if (answer := known()) is not None:
                return answer
            return await asyncio.wrap_future(self._thread.submit(function, *args))

    def end(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


def site() -> Site:
    """Make a server's labs that compute in threads of this process."""
    made: Any = Site()
    made.quick, made.slow, made.trainers = ThreadLane(), ThreadLane(), [ThreadLane()]
    return made
