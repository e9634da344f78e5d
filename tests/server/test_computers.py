"""The processes that compute: as in one process, with a life of their own."""

import json
import os
import signal
import time
from types import SimpleNamespace

import pytest

from pages.labs import wire
from pages.server.computer_process import Computer
from pages.server.computers import HERE, NICENESS, Computers, Job
from pages.server.notice import GIVEN_UP, MISTAKE, STOPPED, TOO_LONG_HERE, told
from pages.server.socket import Workshop
from pages.server.trainings import Trainings
from pages.server.turns import Use
from tests.server.serving import Browser
from tests.support.server import START_SECONDS

pytestmark = pytest.mark.slow

MOST = 2


@pytest.fixture(scope="module")
def workshop():
    return Workshop(Computers(MOST), Trainings(0))


@pytest.fixture
def computers(workshop):
    return workshop.computers._computers


def test_a_wish_before_all_is_loaded_is_answered_when_it_is(url):
    with Browser(url) as browser:
        browser.ask("flip", values={"scale": "2.5"})
        assert browser.frame()["form"]["scale"] == "2.5"


def test_one_learner_needs_one_process(browser, computers):
    for number in range(5):
        browser.ask("flip", values={"scale": str(number)})
        browser.frame()
    assert len(computers) == 1


def test_many_at_once_make_more_processes_up_to_a_limit(url, computers):
    browsers = [Browser(url) for _ in range(8)]
    deadline = time.monotonic() + START_SECONDS
    number = 0
    while len(computers) < MOST or not computers[-1].ready.is_set():
        assert time.monotonic() < deadline
        for browser in browsers:
            number += 1
            browser.ask("noise_leaks", values={"noise_high": str(1 + number / 1000)})
        for browser in browsers:
            browser.frame()
    assert len(computers) == MOST
    assert len({one.pid for one in computers}) == MOST
    for browser in browsers:
        browser.socket.close()


def jobs(count):
    return SimpleNamespace(jobs=dict.fromkeys(range(count)))


LIGHT, DRAGS, LONG = Use(0.1, 0.01), Use(2.0, 0.01), Use(2.0, 0.5)


@pytest.mark.parametrize(
    ("use", "waiting", "chosen"),
    [
        (LIGHT, (0, 0), 0),
        (LIGHT, (1, 1), 0),
        (LIGHT, (1, 0), 1),
        (DRAGS, (0, 0), 1),
        (DRAGS, (1, 3), 1),
        (DRAGS, (0, 1), 0),
        (LONG, (0, 0), 1),
        (LONG, (0, 9), 1),
        (LONG, (0, 2, 1), 2),
        (LONG, (3,), 0),
    ],
)
def test_the_first_process_is_kept_for_those_who_ask_little(use, waiting, chosen):
    among = [jobs(count) for count in waiting]
    assert Computers._chosen(among, use) is among[chosen]


def test_who_asks_for_long_work_again_gets_another_process_which_stands_back(
    browser, computers, monkeypatch
):
    asked, ask = [], Computer.ask
    monkeypatch.setattr(Computer, "ask", lambda one, *job: asked.append(one) or ask(one, *job))
    for high in ("1.91", "1.92"):  # the first time nobody knows
        browser.ask("noise_leaks", values={"draws": "300000", "noise_high": high})
        browser.frame()
    first, second = computers
    assert asked == [first, second, second]
    if hasattr(os, "getpriority"):
        nice = [os.getpriority(os.PRIO_PROCESS, one.pid) for one in computers]
        assert nice[1] == nice[0] + NICENESS


def test_what_was_said_to_work_on_its_way_to_another_process_is_said_there():
    class Process:
        def __init__(self):
            self.heard = []

        def stop(self, job):
            self.heard.append(("stop", job))

        def drop(self, job):
            self.heard.append(("drop", job))

    first, second = Process(), Process()
    job = Job(7, first)
    job.drop()
    job.moved(second)
    job.stop()
    assert first.heard == [("drop", 7)]
    assert second.heard == [("drop", 7), ("stop", 7)]


def three():
    """Processes that are ready, as far as anybody sees."""
    computers = Computers(3)
    computers._computers = [Computer() for _ in range(3)]
    for one in computers._computers:
        one.ready.set()
    return computers


def too_long_for(computer, job):
    computer.received(job.number, told(False, 0.06), json.dumps(TOO_LONG_HERE).encode())


def test_work_that_is_too_long_for_the_first_goes_to_none_that_starts_anew():
    computers, spent = three(), []
    first, second, third = computers._computers
    job = computers.ask("frame", "{}", lambda reply, seconds: spent.append(seconds))
    third.ask(99, "frame", "{}", lambda reply, seconds: None)
    second.ready.clear()
    too_long_for(first, job)
    assert [set(one.jobs) for one in (first, second, third)] == [set(), set(), {job.number, 99}]
    third.received(job.number, told(True, 0.3), b"frame")
    assert spent == [pytest.approx(0.36)]


def test_where_all_others_start_anew_it_takes_as_long_as_it_takes_in_the_first():
    computers = three()
    first, second, third = computers._computers
    job = computers.ask("frame", "{}", lambda reply, seconds: None)
    second.ready.clear()
    third.ready.clear()
    too_long_for(first, job)
    assert [set(one.jobs) for one in (first, second, third)] == [{job.number}, set(), set()]
    assert first.jobs[job.number][1]["here"] is None


@pytest.mark.parametrize(("said", "kind"), [("stop", "stopped"), ("drop", "given up")])
def test_a_process_that_starts_anew_does_not_begin_with_what_nobody_wants(said, kind):
    replies = []
    computer = Computer()  # no process yet
    computer.ask(7, "frame", "{}", lambda reply, spent: replies.append(reply.kind))
    getattr(computer, said)(7)
    assert replies == [kind]
    assert not computer.jobs


def replies():
    """What came of work, and what takes it."""
    came = []
    return came, lambda reply, seconds: came.append(reply)


def test_work_that_ends_each_process_is_not_begun_a_third_time():
    computers, (came, deliver) = three(), replies()
    first, second, _ = computers._computers
    job = computers.ask("frame", "{}", deliver)
    first.ended()
    assert (set(second.jobs), came) == ({job.number}, []), "one that is ready need not be started"
    first.ready.set()
    second.ended()
    assert came == [MISTAKE]
    assert not [one for one in computers._computers if one.jobs]


def test_where_no_other_is_ready_work_waits_for_the_process_that_is_started_anew():
    computers, (came, deliver) = three(), replies()
    first, second, third = computers._computers
    second.ready.clear()
    third.ready.clear()
    job = computers.ask("frame", "{}", deliver)
    first.ended()
    assert (set(first.jobs), came) == ({job.number}, [])


def test_work_that_begins_once_more_in_the_first_process_is_short_there():
    computers = three()
    first, second, third = computers._computers
    for one in (first, third):
        one.ask(90, "frame", "{}", lambda reply, seconds: None)
    job = computers.ask("frame", "{}", lambda reply, seconds: None)
    assert set(second.jobs) == {job.number}
    third.ask(91, "frame", "{}", lambda reply, seconds: None)
    second.ended()
    assert first.jobs[job.number][1]["here"] == HERE
    too_long_for(first, job)
    assert job.number in third.jobs
    assert third.jobs[job.number][1]["here"] is None


@pytest.mark.parametrize(("said", "reply"), [("stop", STOPPED), ("drop", GIVEN_UP)])
def test_work_that_nobody_wants_is_not_begun_once_more(said, reply, monkeypatch):
    computers, (came, deliver) = three(), replies()
    del computers._computers[1:]
    job = computers.ask("frame", "{}", deliver)
    monkeypatch.setattr(Computer, "pid", 7)
    getattr(job, said)()
    assert not came, "the process is told"
    monkeypatch.setattr(Computer, "pid", None)
    computers._computers[0].ended()
    assert came == [reply]
    assert not computers._computers[0].jobs


def test_stop_and_a_newer_wish_reach_the_process(browser):
    draws = {"draws": "1000000", "noise_high": "1.7"}
    browser.ask("noise_leaks", values=draws)
    while browser.next()[1] != "progress":
        pass
    browser.send(f"{browser.seq} stop")
    while (message := browser.next())[1] == "progress":
        pass
    assert message[:2] == (browser.seq, "stopped")
    browser.ask("noise_leaks", values=draws)
    while browser.next()[1] != "progress":
        pass
    browser.ask("flip", values={"scale": "3.75"})
    while (message := browser.next())[1] == "progress":
        pass
    assert message[:2] == (browser.seq, wire.FRAME), "of what was given up nothing is said"
    assert message[2]["form"]["scale"] == "3.75"


def test_who_leaves_leaves_no_work_behind(url, computers):
    with Browser(url) as browser:
        browser.ask("noise_leaks", values={"draws": "1000000", "noise_high": "1.9"})
        while browser.next()[1] != "progress":
            pass
    deadline = time.monotonic() + 30
    while any(one.jobs for one in computers) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(one.jobs for one in computers)


def killed_at_work(browser, computers):
    """The process that does what was asked last, and the number that it had until now."""
    while browser.next()[1] != "progress":
        pass
    busy = next(one for one in computers if one.jobs)
    before = busy.pid
    os.kill(before, signal.SIGKILL)
    return busy, before


def until_ready(computer, killed):
    """Until it runs again, as another process than the one that was killed."""
    deadline = time.monotonic() + START_SECONDS
    while computer.pid in {None, killed} or not computer.ready.is_set():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_work_whose_process_is_killed_begins_once_more(browser, computers):
    browser.ask("noise_leaks", values={"draws": "1000000", "noise_high": "1.81"})
    busy, before = killed_at_work(browser, computers)
    assert browser.frame()["form"]["noise_high"] == "1.81"
    assert busy.pid not in {None, before}


@pytest.mark.long
def test_work_whose_process_is_killed_twice_is_refused_and_another_takes_its_place(url, computers):
    with Browser(url) as browser:
        browser.ask("noise_leaks", values={"draws": "1000000", "noise_high": "1.8"})
        first, killed = killed_at_work(browser, computers)
        until_ready(first, killed)
        busy, before = killed_at_work(browser, computers)
        while (message := browser.next())[1] == "progress":
            pass
        assert message[1] == "refused"
        assert "on the server" in message[2]["text"]
        browser.ask("flip", values={"scale": "1.25"})  # another process, or the new one
        assert browser.frame()["form"]["scale"] == "1.25"
        until_ready(busy, before)
