"""The processes that work for a server, as they end: without a word, and with it."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from pages.server.child import HEAD, ROOT, Child, how
from pages.server.computers import Computers
from pages.server.log import Lines
from pages.server.trainings import HUGE_PAGES, NICENESS, TUNABLES, Worker
from tests.server.asgi import run
from tests.support.amount import also
from tests.support.server import START_SECONDS

pytestmark = pytest.mark.slow

WISH = {"client": 1, "seq": 1, "kind": "train", "wish": '{"lab":"moons"}', "training": "{}"}
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
@pytest.mark.long
def test_a_server_that_is_gone_before_they_have_loaded_is_no_fault_of_theirs(module):
    with child(module) as one:
        one.stdout.close()
        one.stdin.close()
        said = one.stderr.read()
        assert (one.wait(START_SECONDS), said) == (0, b"")


@pytest.mark.parametrize("module", ["trainer", *also("computer")])
@pytest.mark.long
def test_a_server_that_is_gone_while_they_work_is_no_fault_of_theirs(module):
    with child(module) as one:
        if module == "trainer":
            ask(one, WISH)
        assert len(one.stdout.read(HEAD.size)) == HEAD.size, "it runs"
        one.stdout.close()
        ask(one, WISH if module == "trainer" else WORK)
        assert (one.wait(START_SECONDS), one.stderr.read()) == (0, b"")


class Kept(Child):
    """One that is watched until it was started again."""

    def __init__(self, kind, module):
        super().__init__(kind, module)
        self.restarts = asyncio.Queue()
        self.on_restart = self.restarts.put_nowait


def lines(caplog):
    """What went into the log, as JSON."""
    return [json.loads(Lines().format(one)) for one in caplog.records]


def test_a_process_that_ends_is_logged_and_counted_as_it_is_started_again(caplog):
    async def ended():
        child = Kept("trainer", "no_such_module")
        child.start()
        found = await asyncio.wait_for(child.restarts.get(), 30)
        await child.kill()
        return found

    assert run(ended()) == "trainer"
    (line,) = lines(caplog)
    assert line["level"] == "warning"
    assert line["message"] == "no_such_module ended (exit code 1); it is started again"
    assert (line["kind"], line["child"], line["ended"]) == ("restart", "trainer", "exit code 1")


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
@pytest.mark.parametrize("hung", [False, True])
def test_the_log_says_which_signal_ended_a_process_and_whether_it_hung(caplog, hung):
    async def killed():
        child = Kept("computer", "pages.server.computer")
        child.start()
        while not child.pid:
            await asyncio.sleep(0.01)
        if hung:
            child.end()
        else:
            os.kill(child.pid, signal.SIGKILL)
        await asyncio.wait_for(child.restarts.get(), 30)
        await child.kill()

    run(killed())
    (line,) = lines(caplog)
    assert line["ended"] == "SIGKILL"
    assert ("did not answer" in line["message"]) == hung


def test_a_process_that_the_server_ends_is_not_logged(caplog):
    async def ended():
        there, gone = (Kept("computer", module) for module in ("pages.server.computer", "no_such"))
        for child in (there, gone):
            child.start()
        while not gone.pid:
            await asyncio.sleep(0.01)
        while gone.pid:  # it ended by itself, and the server ends before it is started again
            await asyncio.sleep(0.01)
        for child in (gone, there):
            await child.kill()
        await asyncio.sleep(0.7)

    with caplog.at_level(logging.INFO, "pages"):
        run(ended())
    assert not lines(caplog)


@pytest.mark.skipif(os.name == "nt", reason="Windows ends no process by a signal")
@pytest.mark.parametrize(
    ("code", "said"), [(0, "exit code 0"), (-signal.SIGTERM, "SIGTERM"), (-99, "signal 99")]
)
def test_how_a_process_ended_is_said_in_a_word(code, said):
    assert how(code) == said


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
