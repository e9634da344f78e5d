"""Starts a web server for a test or a benchmark, waits until it answers, and ends it again."""

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")
ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 240  # importing torch for the first time on a busy two-core machine
END_SECONDS = 60  # then it is killed
PORTS = range(20_000, 32_000)
# Shuffled, because other test processes choose at the same time; offered in turn, because a test
# chooses several ports before it opens the first.
SHUFFLED_PORTS = cycle(random.Random().sample(PORTS, len(PORTS)))


@dataclass(frozen=True)
class Server:
    url: str
    pid: int
    log_file: Path

    def log(self, last: int = 8000) -> str:
        """The end of what the server printed."""
        return self.log_file.read_text(errors="replace")[-last:]


@contextmanager
def streamlit(
    script: Path,
    cwd: Path = ROOT,
    python: str = sys.executable,
    port: int = 0,
    settings: Mapping[str, object] = {},
) -> Iterator[Server]:
    """Run the script on `port`, or on a free one; `settings` override those of `cwd`."""
    health = f"/{settings.get('server.baseUrlPath', '')}/_stcore/health".replace("//", "/")
    host = str(settings.get("server.allowedHosts", ""))
    port = port or free_port()
    options = {
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
        **settings,
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    command = [python, "-m", "streamlit", "run", str(script), *flags]
    with serve(command, port, health, cwd, host) as server:
        yield server


@contextmanager
def serve(
    command: Sequence[str], port: int, health: str, cwd: Path = ROOT, host: str = ""
) -> Iterator[Server]:
    """Run `command` until `health` answers on `port`, asked by the name `host` if one is given; on
    leaving, end it and all it started.
    """
    with tempfile.TemporaryDirectory(prefix="server-") as folder:
        log_file = Path(folder) / "log"
        with log_file.open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=_clean_environment(folder),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a process group of its own, so that it can be ended whole
            )
        server = Server(f"http://127.0.0.1:{port}", process.pid, log_file)
        try:
            _wait(server, process, health, host)
            yield server
        finally:
            _end(process)


def free_port() -> int:
    """A port that nobody listens at.

    The system gives higher ports to outgoing connections: one could take it before the server.
    """
    for port in islice(SHUFFLED_PORTS, 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"a hundred ports of {PORTS.start} to {PORTS.stop - 1} are all in use")


def until(holds: Callable[[], Found]) -> Found:
    """Wait until this holds, and return what it returned."""
    deadline = time.monotonic() + START_SECONDS
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def _clean_environment(home: str) -> dict[str, str]:
    """The developer's own Streamlit settings, in variables or in the home folder, do not count."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
    return kept | {"HOME": home, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def _wait(server: Server, process: subprocess.Popen[bytes], health: str, host: str) -> None:
    asked = urllib.request.Request(server.url + health, headers={"Host": host} if host else {})
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    why = "did not answer in time" if process.poll() is None else f"ended ({process.returncode})"
    raise RuntimeError(f"the server {why}: {process.args!r}\n{server.log()}")


def _end(process: subprocess.Popen[bytes]) -> None:
    # The process may have ended while something it started lives on: signal the whole group.
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    process.wait()
