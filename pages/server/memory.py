"""Collects garbage and gives freed memory back to the system, now and then and for all at once.

Streamlit would collect after every run of a page, which walks every open session: with 300 of them
that tripled the time of each answer, so ``.streamlit/config.toml`` turns it off. Python's own
collector never hands memory back.
"""

import asyncio
import ctypes
import gc
import sys

EVERY = 10.0
"""Seconds between two collections at least."""


class Tidy:
    """Cleans up some time after something was left."""

    def __init__(self) -> None:
        self._due = False

    def note(self) -> None:
        """Note that a socket closed."""
        self._due = True

    async def live(self) -> None:
        """Clean up where it is due, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            if self._due:
                self._due = False
                await asyncio.to_thread(clean)


def clean() -> None:
    """Collect garbage, and give freed memory back."""
    gc.collect()
    give_back()


def give_back() -> None:
    """Hand freed memory back to the system where the C library is glibc; elsewhere do nothing."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
