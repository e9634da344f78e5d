"""Computes in the process of the test, where the app has processes for it."""

import itertools
from collections.abc import Callable

from pages.server.computers import UNUSED, Job
from pages.server.computing import Computing
from pages.server.notice import Deliver
from pages.server.turns import Use


class InProcess:
    """In place of ``Computers``.

    Args:
        computing: what does the work.
    """

    def __init__(self, computing: Computing) -> None:
        self.computing = computing
        self.on_restart: Callable[[str], None] = lambda kind: None
        self._numbers = itertools.count(1)

    def start(self) -> None:
        """It is ready."""

    async def ready(self) -> None:
        """It is ready."""

    async def stop(self) -> None:
        """It ends with this process."""

    def pids(self) -> list[int]:
        """None besides this one."""
        return []

    def ask(self, work: str, text: str, deliver: Deliver, use: Use = UNUSED) -> Job:
        number = next(self._numbers)
        self.computing.ask(number, work, text, deliver, use.late)
        return Job(number, self.computing)
