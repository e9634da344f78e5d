"""The server as processes: how it starts, what survives a killed worker, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError

import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.exceptions import ConnectionClosed

from pages.server import meters
from tests.server.serving import Browser
from tests.support.server import ROOT, free_port, serve, streamlit, until
from tests.support.usage import children

pytestmark = pytest.mark.slow


def unknown_to_git():
    """Files in the checkout that are neither committed nor ignored."""
    listed = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    return {*subprocess.run(listed, cwd=ROOT, capture_output=True).stdout.split(b"\0")}


@contextmanager
def served(*options, **environment):
    """``python -m pages.server`` with these options."""
    port = free_port()
    given = {"STREAMLIT_SERVER_PORT": port, **environment}
    command = ["env", *(f"{name}={value}" for name, value in given.items())]
    command += [sys.executable, "-m", "pages.server", *options]
    with serve(command, port, "/readyz") as server:
        yield server


def labs_of(server):
    return Browser(f"ws{server.url.removeprefix('http')}/labs")


def fetched(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode()


def status(url):
    try:
        fetched(url)
    except HTTPError as error:
        return error.code
    return 200


def test_streamlit_run_starts_it_warns_of_nothing_and_leaves_nothing_in_the_checkout():
    before = unknown_to_git()
    with streamlit(ROOT / "app.py") as server, labs_of(server) as browser:
        assert fetched(server.url)
        browser.ask("flip")
        assert browser.frame()["graph"]
        assert "warn" not in server.log().lower()
    assert unknown_to_git() <= before


@pytest.fixture(scope="module")
def server():
    port = free_port()
    with served(**{meters.PORT: port, "GRADIENT_TRICKS_LOG": "json"}) as server:
        yield server, f"http://127.0.0.1:{port}/metrics"


def test_health_answers_at_the_root_and_meters_on_their_own_port(server):
    server, metrics = server
    assert [status(f"{server.url}/{name}") for name in ("healthz", "readyz")] == [200, 200]
    assert status(f"{server.url}/metrics") == 404
    with labs_of(server) as browser:
        browser.ask("flip", values={"scale": "1.5"})
        browser.frame()
        browser.ask("no_such")
        browser.next()
        families = text_string_to_metric_families(fetched(metrics))
        found = {one.name: one.value for family in families for one in family.samples}
    assert found["gradient_tricks_frame_seconds_count"] >= 1
    assert found["gradient_tricks_refusals_total"] >= 1
    assert found["gradient_tricks_labs_open"] >= 1
    assert found["process_resident_memory_bytes"] > 10 << 20


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_a_worker_that_is_killed_costs_its_learner_a_second_at_most(server):
    server, metrics = server
    with labs_of(server) as browser:
        for number in range(3):
            browser.ask("flip", values={"scale": f"3.{number}"})
            browser.frame()
            (forks,) = children(server.pid, "pages.server")
            for worker in children(forks):
                os.kill(worker, signal.SIGKILL)
            start = time.monotonic()
            browser.ask("flip", values={"scale": f"4.{number}"})
            assert browser.frame()["graph"]
            assert time.monotonic() - start < 1.0
    assert 'gradient_tricks_restarts_total{lane="quick"}' in fetched(metrics)
    assert "replaced" in server.log()


def test_no_line_of_its_log_has_what_was_typed(server):
    server, _ = server
    with labs_of(server) as browser:
        browser.ask("zqxzqx", values={"zqxzqx": "1"})
        browser.next()
    status(f"{server.url}/zqxzqx?zqxzqx=1")
    assert "zqxzqx" not in server.log()


def test_the_labs_are_served_by_themselves():
    with served("--labs") as server, labs_of(server) as browser:
        browser.ask("flip")
        assert browser.frame()["graph"]
        assert "flip" in fetched(f"{server.url}/frame.json?lab=flip")
        assert status(f"{server.url}/reversal") == 404


def test_the_pages_are_served_by_themselves_and_start_no_workers():
    with served("--pages") as server:
        assert "<title>" in fetched(f"{server.url}/")
        assert status(f"{server.url}/frame.json?lab=flip") == 404
        assert children(server.pid) == []


def test_sigterm_closes_sockets_as_a_restart_and_ends_soon():
    with served() as server, labs_of(server) as browser:
        browser.ask("flip")
        browser.frame()
        os.kill(server.pid, signal.SIGTERM)
        with pytest.raises(ConnectionClosed, match="1012"):
            browser.next(10)
        until(lambda: ended(server.pid), 10)
        assert not re.search("Traceback|ERROR", server.log())


def ended(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


REFUSED = {
    "fork": ("os.fork", "PermissionError(1, 'cause')"),
    "locks": ("multiprocessing.synchronize.SemLock.__init__", "OSError(38, 'cause')"),
    "lessons": ("lessons.outputs.catalogue.chapters", "NameError('cause')"),
}


def is_alive(group: int) -> bool:
    """Whether a process of this group is left."""
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        return True
    return False


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.skipif(os.name == "nt", reason="Windows forks nothing")
def test_a_start_that_fails_says_why_and_leaves_no_process(what):
    name, error = REFUSED[what]
    program = f"""
import runpy, unittest.mock
unittest.mock.patch("{name}", side_effect={error}).start()
runpy.run_module("pages.server", run_name="__main__")"""
    server = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"STREAMLIT_SERVER_PORT": str(free_port())},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, said = server.communicate(timeout=60)
    assert server.returncode
    assert "cause" in said
    until(lambda: not is_alive(server.pid), 20)  # until the system has buried them


@pytest.mark.skipif(os.name == "nt", reason="Windows has no niceness")
def test_a_worker_starts_where_it_may_not_lower_its_priority():
    refused = "unittest.mock.patch('os.nice', side_effect=PermissionError).start()"
    program = (
        f"import unittest.mock; {refused}; from pages.server import worker; worker.begin(5, 0)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
