"""Runs a lane's jobs in the process of the test, where the app has worker processes for them."""

from collections.abc import Callable
from typing import TypeVar

from pages.server.lanes import Lane, Worker
from pages.server.site import Site

T = TypeVar("T")


class ThreadWorker(Worker):
    """A worker that is a thread of this process."""

    def start(self) -> None:
        """There is nothing to start."""

    def run(self, function: Callable[..., T], *args: object) -> T:
        return function(*args)


class ThreadLane(Lane):
    """A lane with a thread as its only worker."""

    def __init__(self) -> None:
        super().__init__("thread", 1)
        self._free = [ThreadWorker("thread")]


def site() -> Site:
    """Make a server's labs that compute in threads of this process."""
    made = Site()
    made.quick, made.slow, made.trainers = ThreadLane(), ThreadLane(), [ThreadLane()]
    return made
