"""Starts the site of `make serve`: nginx, and several processes for pages and for labs."""

import posixpath
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.server import START_SECONDS, Server, free_port, serve, until
from tests.support.usage import children


def command(count: int, *more: str, python: str = sys.executable) -> tuple[list[str], int]:
    """Return the command that serves so many processes of each kind, and the port of the site."""
    port, first = free_port(), free_port()
    words = [python, "-m", "deploy.serve", "--first-port", str(first), *more]
    words += ["--replicas", str(count), "--labs", str(count)]
    return [*words, "--listen", f"127.0.0.1:{port}"], port


@contextmanager
def site(count: int, base: str = "", python: str = sys.executable) -> Iterator[Server]:
    """Serve so many processes of each kind, below this path; wait until every one is ready."""
    words, port = command(count, "--base", base, python=python)
    with serve(words, port, posixpath.join("/", base, "readyz")) as server:
        until(lambda: "processes behind" in server.log(), START_SECONDS)
        yield server


def replicas(server: Server, kind: str = "") -> list[int]:
    """Return the app's processes of this kind, or all of them, by their numbers."""
    return children(server.pid, f"pages.server --{kind}")
