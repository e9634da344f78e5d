"""Runs a lane's jobs in the process of the test, where the app has worker processes for them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pages.server.site import Site

T = TypeVar("T")


class ThreadLane:
    """In place of ``pages.server.lanes.Lane``: one thread, and whatever it is given runs there."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "lane")

    async def run(self, function: Callable[..., T], *args: object, again: bool = False) -> T:
        return await asyncio.wrap_future(self._thread.submit(function, *args))

    def end(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


def site() -> Site:
    """Make a server's labs that compute in threads of this process."""
    made: Any = Site()
    made.quick, made.slow, made.trainers = ThreadLane(), ThreadLane(), [ThreadLane()]
    return made
