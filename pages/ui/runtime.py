"""What is set once a process, before the first page: threads, garbage collection, static files."""

import gc
import sys
import threading
from pathlib import Path

import lessons
from lessons.devices import suit_small_tensors
from pages.ui import live, search

STATIC = Path(__file__).parents[2] / "static"

MANY = 100
"""Modules loaded at once that are worth another look at what garbage collection walks."""

_lock = threading.Lock()
_loaded = 0  # modules, when last looked


def prepare() -> None:
    """Set the process up; nearly nothing the second time. Safe when sessions start at once."""
    global _loaded
    with _lock:
        if not _loaded:
            suit_small_tensors()
            live.prepare(STATIC)
            lessons.chapters()
            search.prepare(STATIC)
        # Streamlit collects garbage after every run and would walk a million objects of torch and
        # plotly each time, about 100 ms. What is loaded by now stays loaded: leave it out. Torch
        # loads its compiler when a lesson first makes an optimizer: so look again.
        if len(sys.modules) >= _loaded + MANY:
            gc.collect()
            gc.freeze()
            _loaded = len(sys.modules)
