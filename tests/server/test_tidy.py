"""Sessions and sockets: none is kept by the garbage collector, none is walked for each answer, and
memory goes back."""

import gc
import json
import subprocess
import sys
import time
import weakref

import pytest
from streamlit import config

from lessons.kit.process import suit_small_tensors
from pages.server import computing, tidy
from pages.server import socket as route
from pages.server.computing import Computing
from pages.server.socket import Workshop
from pages.server.tidy import give_back
from pages.server.trainings import Trainings
from tests.server.serving import Browser, resident
from tests.support.in_process import InProcess
from tests.support.server import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workshop():
    return Workshop(InProcess(Computing()), Trainings(0))


class Collections:
    """Within the block: how often all generations were collected."""

    def __enter__(self):
        self.whole = 0
        gc.callbacks.append(self._note)
        return self

    def __exit__(self, *_):
        gc.callbacks.remove(self._note)

    def _note(self, phase, info):
        self.whole += phase == "start" and info["generation"] == 2


# The app as it is served, with Streamlit's own sessions, in a process of its own.
SERVED = """
import gc, json, threading, time
import uvicorn
from streamlit.runtime.app_session import AppSession
from app import app
from pages.server.tidy import clean
from tests.support.server import free_port
from tests.support.stream import Stream

def seen(kind):  # what is frozen is not among the objects that the collector knows
    return sum(type(one) is kind for one in gc.get_objects())

port = free_port()
server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
thread = threading.Thread(target=server.run)
thread.start()
while not server.started:
    time.sleep(0.02)
found = {"frozen": gc.get_freeze_count(), "walked": len(gc.get_objects())}
opened = [Stream(f"http://127.0.0.1:{port}", "glossary") for _ in range(10)]
for one in opened:
    assert one.run(timeout=120)
clean()  # as every now and then
deadline = time.monotonic() + 120
while seen(AppSession) != 10 and time.monotonic() < deadline:
    time.sleep(0.05)
found["sessions"] = seen(AppSession)
found["frozen_then"] = gc.get_freeze_count()
for one in opened:
    one.socket.close()
server.should_exit = True
thread.join()
print(json.dumps(found))
"""


@pytest.mark.long
def test_what_is_frozen_is_there_before_the_first_session():
    done = subprocess.run(
        [sys.executable, "-c", SERVED],
        cwd=ROOT, text=True, capture_output=True, check=True, timeout=600,
    )  # fmt: skip
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["frozen"] > 100_000 > found["walked"]
    assert found["frozen_then"] <= found["frozen"], "nothing is frozen later"
    assert found["sessions"] == 10, "the collector knows them all"


def test_only_what_a_process_does_before_it_serves_freezes():
    frozen = gc.get_freeze_count()
    tidy.clean()
    assert gc.get_freeze_count() <= frozen
    texts = {path: path.read_text("utf-8") for path in (ROOT / "pages").rglob("*.py")}
    assert {path.name for path, text in texts.items() if "gc.freeze(" in text} == {
        "prepared.py",
        "lab_sockets.py",
    }


def test_a_closed_socket_is_freed(url, workshop, monkeypatch):
    made = []

    class Watched(route.Socket):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(weakref.ref(self))

    monkeypatch.setattr(route, "Socket", Watched)
    for _ in range(5):
        with Browser(url) as browser:
            browser.ask("flip")
            browser.frame()
    deadline = time.monotonic() + 60
    while any(one() for one in made) and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.02)
    assert len(made) == 5
    assert not any(one() for one in made)


def test_idle_sockets_are_not_walked_for_each_answer(url, workshop):
    """Streamlit's own collection after each run of a page is off, and ours has its own time."""
    config.get_option("server.port")  # reads the file
    assert config.get_option("runner.postScriptGC") is False
    idle = [Browser(url) for _ in range(300)]
    gc.collect()
    with Browser(url) as browser, Collections() as collections:
        for place in range(100):
            browser.ask("flip", values={"scale": str(place / 100 + 0.003)})
            browser.frame()
    assert collections.whole <= 5, "twenty answers or more for each whole collection"
    for one in idle:
        one.socket.close()


def test_it_is_due_when_a_socket_closed(url, workshop):
    with Browser(url) as browser:
        browser.ask("flip")
        browser.frame()
        workshop.tidy.due = False
    deadline = time.monotonic() + 60
    while not workshop.tidy.due and time.monotonic() < deadline:
        time.sleep(0.01)
    assert workshop.tidy.due


def test_it_is_due_where_long_work_ended_and_not_for_each_frame(browser, workshop, monkeypatch):
    where = workshop.computers.computing.tidy
    for heavy, scale in ((60.0, "0.71"), (0.0, "0.72")):
        monkeypatch.setattr(computing, "HEAVY", heavy)
        where.due = False
        browser.ask("flip", values={"scale": scale})
        browser.frame()
        assert where.due == (heavy == 0.0)


HELD = """
import sys
from lessons.kit.process import suit_small_tensors
from pages.server.tidy import clean
from tests.server.serving import resident
import torch
suit_small_tensors()
torch.zeros(10).sum()
before = resident()
many = [torch.ones(100_000) for _ in range(250)]  # 100 MB in pieces that malloc keeps
full = resident()
del many
clean()
print(full - before, resident() - before)
"""


@pytest.mark.long
@pytest.mark.skipif(not resident() or sys.platform != "linux", reason="reads the kernel's table")
def test_freed_memory_goes_back():
    done = subprocess.run(
        [sys.executable, "-c", HELD],
        cwd=ROOT, text=True, capture_output=True, check=True, timeout=600,
    )  # fmt: skip
    full, left = map(int, done.stdout.split())
    assert full > 90 << 20
    assert left < 20 << 20


def test_without_glibc_nothing_happens(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    give_back()
    suit_small_tensors()
    tidy.clean()
