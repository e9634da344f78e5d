"""The processes that work for a server, as they end: without a word, and with it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from pages.server.child import HEAD, ROOT
from pages.server.computers import Computers
from pages.server.trainings import HUGE_PAGES, NICENESS, TUNABLES, Worker
from tests.server.asgi import run
from tests.support.amount import also
from tests.support.server import START_SECONDS

pytestmark = pytest.mark.slow

WISH = {"client": 1, "seq": 1, "wish": '{"lab":"moons"}', "training": "{}"}
WORK = {"job": 1, "work": "frame", "text": "{}", "late": 0.0, "here": None}


def child(module):
    return subprocess.Popen(
        [sys.executable, "-m", f"pages.server.{module}"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ask(one, line):
    one.stdin.write(json.dumps(line).encode() + b"\n")
    one.stdin.flush()


@pytest.mark.skipif(os.name == "nt", reason="sends a signal as a terminal does")
@pytest.mark.parametrize("module", ["computer", *also("trainer")])
def test_ctrl_c_is_for_the_server_and_they_end_after_it(module):
    with child(module) as one:
        if module == "trainer":
            ask(one, WISH)
        assert len(one.stdout.read(HEAD.size)) == HEAD.size, "it runs"
        one.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            one.wait(1)
        _, said = one.communicate(timeout=START_SECONDS)
        assert (one.returncode, said) == (0, b"")


@pytest.mark.parametrize("module", ["trainer", *also("computer")])
def test_a_server_that_is_gone_before_they_have_loaded_is_no_fault_of_theirs(module):
    with child(module) as one:
        one.stdout.close()
        one.stdin.close()
        said = one.stderr.read()
        assert (one.wait(START_SECONDS), said) == (0, b"")


@pytest.mark.parametrize("module", ["trainer", "computer"])
def test_a_server_that_is_gone_while_they_work_is_no_fault_of_theirs(module):
    with child(module) as one:
        if module == "trainer":
            ask(one, WISH)
        assert len(one.stdout.read(HEAD.size)) == HEAD.size, "it runs"
        one.stdout.close()
        ask(one, WISH if module == "trainer" else WORK)
        assert (one.wait(START_SECONDS), one.stderr.read()) == (0, b"")


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system has no niceness")
def test_those_who_train_stand_back_before_they_have_loaded():
    async def niceness():
        worker = Worker()
        worker.start()
        while not worker.pid:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        found = os.getpriority(os.PRIO_PROCESS, worker.pid)
        await worker.kill()
        return found

    assert run(niceness()) == os.getpriority(os.PRIO_PROCESS, 0) + NICENESS


@pytest.mark.parametrize("told", ["", "glibc.malloc.check=0"])
def test_those_who_train_ask_for_huge_pages_beside_what_they_are_told(monkeypatch, told):
    monkeypatch.setenv(TUNABLES, told)
    found = []

    async def started(*words, env, **more):
        found.append(env[TUNABLES])
        raise NotImplementedError

    async def start():
        with suppress(NotImplementedError):
            await Worker().living()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", started)
    run(start())
    assert found == [f"{told}:{HUGE_PAGES}" if told else HUGE_PAGES]


def test_an_event_loop_that_starts_no_processes_is_said_at_once(monkeypatch):
    async def cannot(*words, **more):  # as on Windows with uvicorn's --reload or --workers
        raise NotImplementedError

    monkeypatch.setattr(asyncio, "create_subprocess_exec", cannot)
    with pytest.raises(RuntimeError, match="cannot start processes"):
        run(asyncio.wait_for(Computers(1).ready(), 10))
