"""The labs' sockets in a process of their own: handed over whole, found again, ended gently."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from urllib.error import HTTPError

import pytest
from prometheus_client.parser import text_string_to_metric_families
from streamlit import config
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pages.server import labs as labs_module
from pages.server import notice
from pages.server.draining import RESTART
from pages.server.labs import Elsewhere, Here, labs
from pages.server.labs_process import LabsProcess
from pages.server.notice import RESTARTED, Notice
from tests.bench.usage import children
from tests.server.serving import Browser
from tests.support.server import ROOT, START_SECONDS, free_port, serve, streamlit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows passes no socket on"),
]


def unknown_to_git():
    """Files in the checkout that are neither committed nor ignored."""
    listed = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    return {*subprocess.run(listed, cwd=ROOT, capture_output=True).stdout.split(b"\0")}


@pytest.fixture(scope="module")
def before():
    return unknown_to_git()


@pytest.fixture(scope="module")
def server(before):
    with streamlit(ROOT / "app.py") as server:
        yield server


def test_a_start_warns_of_nothing_and_leaves_nothing_in_the_checkout(server, before):
    urllib.request.urlopen(server.url, timeout=60).close()
    assert "warn" not in server.log().lower()
    assert unknown_to_git() <= before


def labs_of(server, **more):
    return Browser(f"ws{server.url.removeprefix('http')}/labs", **more)


def meters(server):
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=60) as answer:
        return answer.read().decode()


def metered(server):
    families = text_string_to_metric_families(meters(server))
    return {sample.name: sample.value for family in families for sample in family.samples}


def process_of(server):
    (found,) = children(server, b"pages.server.lab_sockets")
    return found


def test_the_process_of_the_sockets_loads_neither_torch_nor_streamlit():
    told = "import sys, pages.server.lab_sockets; print({'torch', 'streamlit'} & {*sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT, text=True, capture_output=True, check=True
    )
    assert done.stdout == "set()\n"


def test_the_server_keeps_no_handle_of_a_socket_that_it_handed_over(server):
    before = metered(server)
    with ExitStack() as stack:
        for _ in range(20):
            browser = stack.enter_context(labs_of(server))
            browser.ask("flip")
            assert browser.frame()["figures"]
        now = metered(server)
    assert now["gradient_tricks_labs_open"] == before["gradient_tricks_labs_open"] + 20
    assert now["process_open_fds"] < before["process_open_fds"] + 10


def test_what_is_said_at_once_after_the_handshake_is_heard(server):
    """By many at a time: none of it stays with the process that shook hands."""

    def one(number):
        with labs_of(server) as browser:
            browser.ask("flip", values={"scale": f"{number / 100}"})
            return browser.frame()["figures"] != []

    with ThreadPoolExecutor(16) as many:
        assert all(many.map(one, range(200)))


@pytest.mark.long
def test_where_uvicorn_would_compress_what_sockets_say_it_does_not():
    """As it does by itself: ``uvicorn app:app``; each browser offers it."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(port)]
    with serve(command, port, "/readyz") as server, labs_of(server) as browser:
        assert not browser.socket.protocol.extensions
        browser.ask("flip")
        assert browser.frame()["figures"]


@pytest.mark.parametrize("origin", ["https://elsewhere.example.org", "null"])
def test_a_foreign_page_opens_none(server, origin):
    with pytest.raises(InvalidStatus, match="403"):
        labs_of(server, origin=origin)
    assert "handshake" not in server.log(), "the log has no error of uvicorn's for it"


@pytest.mark.long
def test_where_the_process_is_killed_the_next_socket_finds_a_new_one(server):
    with labs_of(server) as browser:
        browser.ask("flip")
        browser.frame()
        killed = process_of(server)
        os.kill(killed, signal.SIGKILL)
        with pytest.raises(ConnectionClosed):
            browser.next()
    deadline = time.monotonic() + START_SECONDS
    found = None
    while found is None:
        assert time.monotonic() < deadline
        # Until it has loaded a socket is answered with 503, which a proxy tries elsewhere.
        with suppress(ConnectionClosed, InvalidStatus), labs_of(server) as again:
            again.ask("flip", values={"scale": "1.25"})
            found = again.frame()
    assert found["figures"]
    assert process_of(server) != killed
    assert 'gradient_tricks_restarts_total{process="labs"} 1.0' in meters(server)
    assert "pages.server.lab_sockets ended (SIGKILL); it is started again" in server.log()
    with urllib.request.urlopen(f"{server.url}/api/lessons/flip?scale=2", timeout=60) as answer:
        assert json.load(answer)["lesson"] == "flip"


def test_what_the_process_has_started_again_is_counted_and_makes_it_no_more_ready():
    there, counted = LabsProcess(), []
    there.on_restart = counted.append
    there.received(0, notice.told(False, 0.0), json.dumps(Notice(RESTARTED, "computer")).encode())
    assert (counted, there.ready.is_set()) == (["computer"], False)
    there.received(0, notice.told(False, 0.0), json.dumps(Notice("ready")).encode())
    assert (counted, there.ready.is_set()) == (["computer"], True)


def until_ready(server, status):
    deadline = time.monotonic() + START_SECONDS
    found = None
    while found != status:
        assert time.monotonic() < deadline
        try:
            with urllib.request.urlopen(f"{server.url}/readyz", timeout=60) as answer:
                found = answer.status
        except HTTPError as error:
            found = error.code


@pytest.mark.long
def test_a_process_that_hangs_is_ended_and_started_anew(server):
    hung = process_of(server)
    os.kill(hung, signal.SIGSTOP)
    until_ready(server, 503)
    until_ready(server, 200)
    assert process_of(server) != hung
    with labs_of(server) as browser:
        browser.ask("flip")
        assert browser.frame()["figures"]


class Silent:
    """A process as it is watched. It answers what is asked so many seconds after, or never."""

    def __init__(self, loop, after=None):
        self._loop, self._after, self.ready = loop, after, asyncio.Event()

    def ask(self, job, work, text, deliver):
        if self._after is not None:
            self._loop.call_later(self._after, deliver, b"", 0.0)

    def stop(self, job):
        pass


def lives(process_of, ready=True, stalled=0.0):
    """Whether such a process is taken for living, where the server itself stands still."""

    async def look():
        loop = asyncio.get_running_loop()
        there = Elsewhere()
        there._process = process_of(loop)
        if ready:
            there._process.ready.set()
        loop.call_later(0.001, time.sleep, stalled)
        return await there._lives()

    return asyncio.run(look())


def test_a_process_that_never_answers_or_never_gets_ready_does_not_live(monkeypatch):
    for name, seconds in (("_HUNG", 0.02), ("_SOON", 0.01), ("_START", 0.01)):
        monkeypatch.setattr(labs_module, name, seconds)
    assert not lives(Silent)
    assert not lives(Silent, ready=False)


def test_where_the_server_itself_stood_still_the_process_is_not_to_blame(monkeypatch):
    monkeypatch.setattr(labs_module, "_HUNG", labs_module._SOON + 0.05)
    assert lives(lambda loop: Silent(loop, 0.02), stalled=0.2)


def test_a_signal_to_all_its_processes_lets_a_frame_finish(server):
    """As systemd sends it."""
    values = {"draws": "100000", "x": ", ".join(str(one - 6.5) for one in range(12))}
    with labs_of(server) as browser:
        browser.ask("noise_leaks", values=values)
        browser.until(0.7)  # the rest comes in the eight seconds that it has, on a busy machine too
        os.killpg(server.pid, signal.SIGTERM)
        assert browser.frame()["figures"]
        with pytest.raises(ConnectionClosed) as closed:
            browser.next()
        assert closed.value.rcvd.code == RESTART
    deadline = time.monotonic() + 10
    while children(server, b"pages.server") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children(server, b"pages.server")


@pytest.mark.parametrize(
    ("option", "value"),
    [("server.sslCertFile", "a.pem"), ("server.enableWebsocketCompression", True)],
)
def test_where_a_connection_is_more_than_its_socket_they_stay(monkeypatch, option, value):
    assert isinstance(labs(), Elsewhere)
    told = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: value if name == option else told(name))
    counted = []
    here = labs(counted.append)
    assert isinstance(here, Here)
    (worker, *_) = here._workshop.trainings._workers
    worker.on_restart("trainer")
    assert counted == ["trainer"]
