"""Prepares a process of the server for computing, and keeps its memory low.

Streamlit would collect garbage after every run of a page, which walks every open session: with 300
of them that tripled the time of each answer, so ``.streamlit/config.toml`` turns it off. Python's
own collector never hands memory back to the system.
"""

import ctypes
import gc
import sys
import time

import torch

from lessons.outputs import catalogue
from lessons.outputs.process import leave_unsaid, parse_in_turn, suit_small_tensors
from pages.labs import lesson, wire
from pages.labs.by_name import LABS
from pages.labs.messages import Wish

COLLECT_EVERY = 10.0
"""Seconds between two collections."""
# Looked up at import: a lookup takes the loader's lock, and other threads load libraries later.
_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
YOUNG = 5_000
"""Objects that are made before Python looks for garbage; its own figure is 700. A frame makes some
thousands, nearly all gone with it: looking less often halves the cost and takes no more memory."""


def load_torch() -> None:
    """Load torch with what its first optimizer loads: its compiler, two seconds and 80 MB."""
    torch.optim.SGD([torch.zeros(1, requires_grad=True)])


def prepare(*labs: str) -> None:
    """Load torch, all lessons and what a frame needs; compute a frame of each of these labs."""
    load_torch()
    suit_small_tensors()
    leave_unsaid()
    parse_in_turn()
    catalogue.lessons()
    # With settings that no page opens with: the result is kept with the time it took, and this one
    # took as long as the loading.
    wire.encode(lesson.frame(Wish(lab="noise_leaks", values={"noise_low": "0.5"})))
    for name in labs:
        LABS.get(name, lesson).frame(Wish(lab=name))
    clean()
    gc.freeze()  # or each collection walks a million objects of torch: 100 ms
    gc.set_threshold(YOUNG)


def clean() -> None:
    """Collect garbage; where the C library is glibc, hand freed memory back to the system."""
    gc.collect()
    if _TRIM:
        _TRIM(0)


def keep_house() -> None:
    """Clean up again and again, in a thread of its own."""
    while True:
        time.sleep(COLLECT_EVERY)
        clean()
