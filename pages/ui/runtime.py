"""What is set once a process, before the first page: threads, garbage collection, static files."""

import gc
import threading
from pathlib import Path

import lessons
from lessons.devices import one_thread_each
from pages.ui import live, search

STATIC = Path(__file__).parents[2] / "static"

_lock = threading.Lock()
_prepared = False


def prepare() -> None:
    """Set the process up; does nothing the second time. Safe when sessions start at once."""
    global _prepared
    with _lock:
        if _prepared:
            return
        one_thread_each()
        live.prepare(STATIC)
        lessons.chapters()
        search.prepare(STATIC)
        # Streamlit collects garbage after every run and would walk a million objects of torch and
        # plotly each time, about 100 ms. What is loaded by now stays loaded: leave it out.
        gc.collect()
        gc.freeze()
        _prepared = True
