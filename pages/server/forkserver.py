"""The process that workers are forked from. It has loaded everything, so a worker starts in 20 ms.

Windows has no fork: there each worker loads everything itself, which takes seconds.
"""

import multiprocessing
import os
import sys
from multiprocessing import forkserver
from typing import Any

DEV = bool(os.environ.get("GRADIENT_TRICKS_DEV"))
"""Whether somebody edits the lessons (``make dev``): then the server forks its workers itself."""
FORKS = sys.platform != "win32" and not DEV
CONTEXT: Any = multiprocessing.get_context("fork" if DEV else "forkserver" if FORKS else "spawn")
CONTEXT.set_forkserver_preload(["pages.server.worker", "pages.server.preload"])


def start() -> None:
    """Start it now: it loads torch and the lessons while this process does so, too."""
    if FORKS:
        forkserver.ensure_running()
