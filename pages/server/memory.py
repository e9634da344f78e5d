"""Collects garbage and gives freed memory back to the system.

Streamlit would collect after every run of a page, which walks every open session: with 300 of them
that tripled the time of each answer, so ``.streamlit/config.toml`` turns it off. Python's own
collector never hands memory back.
"""

import asyncio
import ctypes
import gc
import sys

EVERY = 10.0
"""Seconds between two collections."""


async def clean_now_and_then() -> None:
    """Clean up again and again, until cancelled."""
    while True:
        await asyncio.sleep(EVERY)
        await asyncio.to_thread(clean)


def clean() -> None:
    """Collect garbage; where the C library is glibc, hand freed memory back to the system."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
