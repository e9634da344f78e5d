"""The server as processes: how it starts, what survives a killed worker, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError

import pytest
from websockets.exceptions import ConnectionClosed

from tests.server.serving import Browser
from tests.support.server import ROOT, START_SECONDS, Server, free_port, serve, until

pytestmark = pytest.mark.slow


def unknown_to_git() -> set[bytes]:
    """Files in the checkout that are neither committed nor ignored."""
    listed = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    return {*subprocess.run(listed, cwd=ROOT, capture_output=True).stdout.split(b"\0")}


@contextmanager
def served() -> Iterator[Server]:
    """``python -m pages.server`` on a free port."""
    port = free_port()
    command = ["env", f"STREAMLIT_SERVER_PORT={port}", sys.executable, "-m", "pages.server"]
    with serve(command, port, "/readyz") as server:
        yield server


def labs_of(server: Server) -> Browser:
    return Browser(f"ws{server.url.removeprefix('http')}/labs")


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=START_SECONDS) as answer:
        return str(answer.read(), "utf-8")


def status(url: str) -> int:
    try:
        fetched(url)
    except HTTPError as error:
        return error.code
    return 200


@pytest.fixture(scope="module")
def before() -> set[bytes]:
    return unknown_to_git()


@pytest.fixture(scope="module")
def server(before: set[bytes]) -> Iterator[Server]:
    """One for all tests; the last one ends it."""
    with served() as server:
        yield server


def test_it_warns_of_nothing_and_leaves_nothing_in_the_checkout(
    before: set[bytes], server: Server
) -> None:
    assert fetched(server.url)
    with labs_of(server) as browser:
        browser.ask("flip")
        assert browser.frame()["graph"]
    assert "warn" not in server.log().lower()
    assert unknown_to_git() <= before


def test_health_answers_at_the_root(server: Server) -> None:
    names = ("readyz", "_stcore/metrics")
    assert [status(f"{server.url}/{name}") for name in names] == [200, 404]


def test_no_line_of_its_log_has_what_was_typed(server: Server) -> None:
    with labs_of(server) as browser:
        browser.ask("zqxzqx", values={"zqxzqx": "1"})
        browser.next()
    status(f"{server.url}/zqxzqx?zqxzqx=1")
    assert "zqxzqx" not in server.log()


def test_sigterm_closes_sockets_as_a_restart_and_ends_soon(server: Server) -> None:
    with labs_of(server) as browser:
        browser.ask("flip")
        browser.frame()
        os.kill(server.pid, signal.SIGTERM)
        with pytest.raises(ConnectionClosed, match="1012"):
            browser.next()
        until(lambda: ended(server.pid))
        assert not re.search("Traceback|ERROR", server.log())


def ended(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def is_alive(group: int) -> bool:
    """Whether a process of this group is left."""
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        return True
    return False


@pytest.mark.skipif(os.name == "nt", reason="Windows forks nothing")
def test_a_start_that_fails_says_why_and_leaves_no_process() -> None:
    program = """
import runpy, unittest.mock
unittest.mock.patch("lessons.outputs.catalogue.chapters", side_effect=NameError("cause")).start()
runpy.run_module("pages.server", run_name="__main__")"""
    server = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"STREAMLIT_SERVER_PORT": str(free_port())},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, said = server.communicate(timeout=START_SECONDS)
    assert server.returncode
    assert "cause" in said
    until(lambda: not is_alive(server.pid))  # until the system has buried them
