"""One process of the app on this machine: started on a free port, asked for its state, ended."""

from __future__ import annotations

import errno
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
START = 120.0
"""Seconds that a replica may take until it is ready; loading torch on a busy machine takes many."""
END = 12.0
"""Seconds that a replica has to end in; it promises ten."""
BASE = "STREAMLIT_SERVER_BASE_URL_PATH"
NAME, NAMED = "GRADIENT_TRICKS_REPLICA", "X-Replica"
"""A variable that names a replica, and the header in which its /readyz says that name; as in
pages/server/watched.py, which would load all of Streamlit here."""


def is_taken(host: str, port: int) -> bool:
    """Whether somebody listens there already."""
    try:
        (family, kind, _, _, address), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
            probe.bind(address)
    except OSError as error:  # what else is wrong with it nginx says
        return error.errno == errno.EADDRINUSE
    return False


def free_ports(first: int, count: int) -> list[int]:
    """So many ports of this machine, the next ones from the first on that nobody listens at.

    Raises:
        SystemExit: there are not so many.
    """
    free = (port for port in range(first, 65536) if not is_taken("127.0.0.1", port))
    ports = list(islice(free, count))
    if len(ports) < count:
        raise SystemExit(
            f"The replicas need {count} free ports; from {first} on there are {len(ports)}. "
            "Name a lower --first-port."
        )
    return ports


@dataclass
class Replica:
    """One process of the app on a port of its own."""

    port: int
    base: str
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None
    name: str = ""

    def start(self) -> None:
        """Start it, unless it runs."""
        if not self.runs:
            self.name = secrets.token_hex(8)
            settings = {
                NAME: self.name,
                "STREAMLIT_SERVER_PORT": str(self.port),
                "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
                BASE: self.base,
            }
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pages.server", "--end-with-input"],
                cwd=HERE.parent,
                env={**self.environment, **settings},
                stdin=subprocess.PIPE,  # it ends when we do
                start_new_session=True,  # a Ctrl-C is for us: we end it in order
            )

    @property
    def is_ready(self) -> bool:
        """Whether it takes learners; another program that answers at its port does not count."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as ready:
                return bool(ready.status == 200 and ready.headers[NAMED] == self.name)
        except (OSError, HTTPException):
            return False

    def wait(self, ending: threading.Event, seconds: float = START) -> None:
        """Until it takes learners, or all is to end.

        Raises:
            RuntimeError: it does not.
        """
        until = time.monotonic() + seconds
        while not (ending.is_set() or self.is_ready):
            if not self.runs:
                lost = is_taken("127.0.0.1", self.port)
                why = "another program took its port: start again" if lost else "why stands above"
                raise RuntimeError(
                    f"the replica on port {self.port} ended before it was ready; {why}"
                )
            if time.monotonic() > until:
                raise RuntimeError(
                    f"the replica on port {self.port} was not ready within {seconds:.0f} s; "
                    "fewer replicas at a time start faster"
                )
            ending.wait(0.1)

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def end(self) -> None:
        """Let it finish, and end it; whoever it started ends with it."""
        if self.process is None:
            return
        if self.runs:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(END)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
