"""Serves while somebody writes: ``make dev``. A reload of the page shows what was edited.

This process holds the listening socket and has loaded everything but the lessons. It forks a
server, which loads them in half a second, and after an edit of a lesson it forks another one. A
reload that comes in between waits. After any other edit, the process starts again as a whole.
"""

import gc
import importlib
import multiprocessing
import os
import socket
import sys
import time
import traceback
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

import uvicorn
from starlette.responses import PlainTextResponse

from lessons import chapters

ROOT = Path(__file__).parents[2]
LESSONS = Path(chapters.__path__[0])
KINDS = {".css", ".html", ".js", ".json", ".md", ".py", ".txt"}
POLL_EVERY = 0.1
"""Seconds between two looks at the files; a look takes 10 ms."""


def serve(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve until the process is told to end."""
    # What the first page loads besides lessons. Streamlit loads pandas, which takes a second.
    for name in ("pages.ui.site", "pages.ui.chapter_view", "pandas"):
        importlib.import_module(name)
    importlib.import_module("pages.server.process").load_torch()
    gc.freeze()  # or each server walks a million objects of torch again
    fork = multiprocessing.get_context("fork")
    while True:
        served = _versions()
        process = fork.Process(target=_loaded, args=(server, listener))
        process.start()
        while not (edited := dict(served.items() ^ _versions().items())):
            time.sleep(POLL_EVERY)
        print("Edited:", *sorted(path.name for path in edited), flush=True)
        process.kill()
        process.join()
        for path in edited:  # Python takes bytecode as new if second and size are the source's
            Path(cache_from_source(str(path))).unlink(missing_ok=True)
        if any(LESSONS not in path.parents for path in edited):
            listener.close()
            os.execv(sys.executable, sys.orig_argv)


def _loaded(server: uvicorn.Server, listener: socket.socket) -> None:
    """Load the lessons and serve them, or the reason why they can't be loaded."""
    try:
        server.config.load()
    except Exception:  # of any kind: somebody is writing
        traceback.print_exc()
        server.config.lifespan = "off"
        server.config.app = PlainTextResponse(traceback.format_exc(), 500)
    with suppress(KeyboardInterrupt):
        server.run([listener])


def _versions() -> dict[Path, int]:
    """Return when each file of the lessons and pages was last written."""
    written = {}
    for path in (*ROOT.glob("lessons/**/*"), *ROOT.glob("pages/**/*")):
        if path.suffix in KINDS:
            with suppress(FileNotFoundError):  # an editor may replace it just now
                written[path] = path.stat().st_mtime_ns
    return written
