"""The clock of a run, read between ops."""

import time

from lessons.playground.errors import PlaygroundError
from lessons.playground.limits import SECONDS


class Budget:
    """The time a run may take; read between ops.

    Args:
        seconds: from now on.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self, line: int = 0, column: int = 0) -> None:
        """Raise `PlaygroundError` when the time is over."""
        if time.monotonic() > self._end:
            raise PlaygroundError(
                f"The run took more than {self.seconds:g} seconds and was stopped here. Use "
                "smaller lists or fewer ops.", line, column,
            )  # fmt: skip
