"""Collects garbage and gives freed memory back to the system, now and then and for all at once.

Streamlit would collect after every run of a page and so walk all that open sockets and sessions are
made of, each time: with 300 of them that tripled every answer's time. ``.streamlit/config.toml``
has that off. Python collects by itself as garbage grows; what it does not do is to hand memory
back, nor to collect what is large and few.
"""

import asyncio
import ctypes
import gc
import sys
import time

EVERY = 10.0
"""Seconds between two times at least."""
HEAVY = 0.2
"""Seconds of computing from which on work may leave much memory behind."""


class Tidy:
    """Whether there is anything to do, and who does it."""

    def __init__(self) -> None:
        self.due = False

    def note(self) -> None:
        """A socket closed or heavy work ended, in any thread."""
        self.due = True

    async def live(self) -> None:
        """Do it where it is due, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            await asyncio.to_thread(self._once)

    def run(self) -> None:
        """The same for a thread; never ends."""
        while True:
            time.sleep(EVERY)
            self._once()

    def _once(self) -> None:
        if self.due:
            self.due = False
            clean()


def clean() -> None:
    """Collect, and give back."""
    gc.collect()
    give_back()


def give_back() -> None:
    """Hand freed memory back to the system, where the C library keeps it otherwise.

    Takes some milliseconds for some hundred megabytes; without glibc it does nothing.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
        if trim is not None:
            trim(0)
