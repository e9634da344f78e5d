"""A whole server seen from outside, and ended: health, meters, its log, and what SIGTERM does."""

import json
import os
import signal
import socket
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from websockets.exceptions import ConnectionClosed, InvalidStatus

from lessons.playground import preset, to_text
from pages.server import log, watched
from pages.server.address import root
from pages.server.draining import RESTART, Draining
from tests.bench.usage import children
from tests.server.asgi import ask
from tests.server.serving import Browser
from tests.support.server import ROOT, START_SECONDS, streamlit

pytestmark = pytest.mark.slow

SECRET = "a-word-that-was-typed"
LONG = {"draws": "100000", "x": ", ".join(str(one - 6.5) for one in range(12))}


@pytest.fixture(scope="module")
def server():
    """One that a class is served by: a name of its own, JSON in its log, one core."""
    patch = pytest.MonkeyPatch()
    patch.setenv(log.ASKED_BY, "json")
    patch.setenv("GRADIENT_TRICKS_CORES", "2")
    settings = {"server.allowedHosts": "lab.example.org", "logger.hideWelcomeMessage": "true"}
    try:
        with streamlit(ROOT / "app.py", settings=settings) as server:
            yield server
    finally:
        patch.undo()


def get(server, path, host="lab.example.org"):
    asked = urllib.request.Request(server.url + path, headers={"Host": host})
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def labs(server):
    port = server.url.rpartition(":")[2]
    to = socket.create_connection(("127.0.0.1", int(port)))
    return Browser(f"ws://lab.example.org:{port}/labs", sock=to)


@contextmanager
def half_asked(server):
    """A question that the server has begun to read, and what sends the rest of it: until then the
    server does not end, but for the limit of its patience.
    """
    document = to_text(preset("flip")).encode()
    port = server.url.rpartition(":")[2]
    head = (
        "POST /api/playground/torch HTTP/1.1\r\nHost: lab.example.org\r\nConnection: close\r\n"
        f"Content-Length: {len(document)}\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as line:
        line.sendall(head.encode())
        assert line.recv(1000).startswith(b"HTTP/1.1 100"), "it waits for the rest"

        def finish() -> bytes:
            line.sendall(document)
            return line.recv(1000)

        yield finish


def metered(server):
    _, text = get(server, "/metrics", host=server.url.removeprefix("http://"))
    return {
        (one.name, *sorted(one.labels.values())): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def test_machines_ask_by_address_where_learners_need_the_name(server):
    address = server.url.removeprefix("http://")
    for path in ("/healthz", "/readyz", "/metrics"):
        assert get(server, path)[0] == get(server, path, host=address)[0] == 200
        assert get(server, path, host="elsewhere.example.org")[0] == 403
    assert get(server, "/")[0] == 200
    assert get(server, "/", host=address)[0] == 403


@pytest.mark.parametrize("base", ["", "gradients", "/a/b/"])
def test_they_answer_at_the_root_and_below_the_path(base, monkeypatch):
    """A health check of a container or a cluster asks at the root."""

    async def counted():
        return b"all 1\n"

    monkeypatch.setenv(watched.REPLICA, "ours")
    app = Starlette(routes=watched.routes(base, Draining(), lambda: True, counted))
    for path in watched.paths(base):
        assert ask(app, path).status == 200
    for name in watched.NAMES:
        assert {f"/{name}", f"{root(base)}{name}"} <= watched.paths(base)
    assert ask(app, "/readyz").headers[watched.NAMED] == "ours"


@pytest.mark.parametrize("path", ["/metrics", "/_stcore/metrics"])
def test_who_comes_through_a_proxy_finds_no_meters(server, path):
    """Streamlit's own are as open as ours."""
    assert get(server, path)[0] == 200
    for forwarded in ("192.0.2.7", ""):
        asked = urllib.request.Request(server.url + path, headers={"Host": "lab.example.org"})
        asked.add_header(watched.FORWARDED, forwarded)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(asked, timeout=60)


def test_meters_count_frames_sockets_refusals_and_memory(server):
    before = metered(server)
    with labs(server) as browser:
        for scale in ("2.5", "2.5", "much"):
            browser.ask("flip", values={"scale": scale}, good={"scale": "1"})
            browser.frame()
        browser.send("no message")
        browser.next()
        now = metered(server)
    name = "gradient_tricks_"

    def more(*key):
        return now[key] - before.get(key, 0.0)

    assert more(f"{name}frame_seconds_count", "computed") == 2
    assert more(f"{name}frame_seconds_count", "kept") == 1
    assert more(f"{name}refusals_total", "refused") == 1
    assert now[f"{name}labs_open",] == 1
    assert 1e8 < now[f"{name}memory_bytes", "server"] < 2e9
    assert 1e8 < now[f"{name}memory_bytes", "computer"] < 2e9
    while metered(server)[f"{name}labs_open",]:
        time.sleep(0.02)


def test_a_training_is_counted_while_it_runs(server):
    run = {"phase": "run", "begun": 1, "token": "t", "count": 1}
    state = ("gradient_tricks_trainings", "running")
    with labs(server) as browser:
        browser.ask("noise_layer", values={"seeds": "1", "steps": "20000"}, step=2, training=run)
        deadline = time.monotonic() + START_SECONDS
        while not metered(server)[state] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert metered(server)[state] == 1
    while metered(server)[state]:
        time.sleep(0.05)


def test_a_process_that_is_killed_is_counted_and_logged_once(server):
    (labs,) = children(server, b"pages.server.lab_sockets")
    (killed, *_) = children(replace(server, pid=labs), b"pages.server.computer")
    name = ("gradient_tricks_restarts_total", "computer")
    before = metered(server)[name]
    os.kill(killed, signal.SIGKILL)
    deadline = time.monotonic() + START_SECONDS
    while metered(server)[name] == before and time.monotonic() < deadline:
        time.sleep(0.05)
    now = metered(server)
    assert now[name] == before + 1
    assert now["gradient_tricks_restarts_total", "labs"] == 0
    (line,) = [one for one in logged(server) if one.get("kind") == "restart"]
    assert (line["child"], line["ended"]) == ("computer", "SIGKILL")


def logged(server):
    """The lines of its log; the last one may still be on its way."""
    lines = server.log(10**7).splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def test_each_line_of_its_log_is_json_and_has_nothing_that_was_typed(server):
    get(server, f"/{SECRET}")
    get(server, f"/api/lessons/flip?scale={SECRET}")
    get(server, f"/api/lessons/{SECRET}")
    get(server, f"/api/lessons/{SECRET}/")  # leads to the one before
    get(server, f"/reversal?lesson={SECRET}")
    with labs(server) as browser:
        browser.ask("flip", values={"scale": SECRET}, good={})
        browser.next()
        browser.send(SECRET)
        browser.next()
    deadline = time.monotonic() + 30
    paths: list[str] = []
    while not {"/reversal", "/labs"} <= {*paths} and time.monotonic() < deadline:
        time.sleep(0.05)
        paths = [line.get("path") for line in logged(server)]
    assert SECRET not in server.log(10**7)
    assert "/reversal" in paths
    assert "/labs" in paths
    assert not {"/healthz", "/metrics"} & set(paths)


def test_sigterm_lets_a_frame_finish_takes_no_more_and_ends(server):
    with labs(server) as idle, labs(server) as busy, half_asked(server) as finish:
        idle.ask("flip")
        idle.frame()
        busy.ask("noise_leaks", values=LONG)
        busy.until(0.7)  # the rest comes in the eight seconds that it has, on a busy machine too
        start = time.monotonic()
        os.kill(server.pid, signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            idle.next()
        assert closed.value.rcvd.code == RESTART
        assert get(server, "/readyz") == (503, "about to end\n")
        assert get(server, "/")[0] == 503
        with pytest.raises(InvalidStatus, match="503"):
            labs(server)
        assert finish().startswith(b"HTTP/1.1 200"), "what came before is answered"
        assert busy.frame()["figures"]
        with pytest.raises(ConnectionClosed) as closed:
            busy.next()
        assert closed.value.rcvd.code == RESTART
    while alive(server.pid):
        assert time.monotonic() - start < 10
        time.sleep(0.05)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
