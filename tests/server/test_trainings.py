"""Trainings over a real socket: pictures come unasked, and a run outlives a lost connection."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from pages.labs.messages import Opened
from pages.labs.training import Watch
from pages.server import worker
from pages.server.lanes import Lane
from pages.server.site import Site
from tests.server.serving import Browser
from tests.support import in_process
from tests.support.server import until
from tests.support.usage import cpu_seconds

pytestmark = pytest.mark.slow

RUN = {"phase": "run"}
SMALL: dict[str, Any] = {"lab": "moons", "values": {"seeds": "1", "steps": "20000"}, "step": 3}


@pytest.fixture(scope="module")
def site() -> Site:
    made = in_process.site()
    made.trainers = [Lane("training", 1)]
    return made


def training_of(browser: Browser) -> dict[str, Any]:
    return dict(browser.picture()["training"])


def trains(browser: Browser, **training: Any) -> None:
    browser.ask(**SMALL, training=RUN | {"token": browser.token} | training)


def wanted(token: str) -> Opened:
    """What a worker gets to hear of a run."""
    return Opened(1, "train", json.dumps(SMALL), json.dumps({"token": token} | RUN))


def pid(site: Site) -> int:
    (lane,) = site.trainers
    (worker,) = lane._workers
    return int(worker.process.pid)


def test_pictures_come_by_themselves_until_it_is_paused(browser: Browser) -> None:
    trains(browser, phase="pause")
    first = browser.picture()
    assert (first["training"]["state"], first["training"]["done"]) == ("ready", 0)
    assert all("figure" in one for one in first["figures"])
    trains(browser)
    done = [training_of(browser)["done"] for _ in range(8)]
    assert done == sorted(done)
    assert done[-1] > done[0]
    trains(browser, phase="pause", count=1)
    while (last := training_of(browser))["count"] < 1:
        pass
    assert last["state"] == "paused"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the kernel's table")
def test_a_browser_that_draws_nothing_gets_two_pictures_and_the_run_goes_on(
    browser: Browser, site: Site
) -> None:
    trains(browser)
    seen: list[int] = []
    while len(seen) < 2:
        _, kind, body = browser.next()
        seen += [body["training"]["done"]] if kind == "picture" else []
    before = cpu_seconds(pid(site))
    until(lambda: cpu_seconds(pid(site)) > before + 0.5)
    with pytest.raises(TimeoutError):
        browser.next(0.2)
    browser.send("0 taken")
    assert training_of(browser)["done"] > seen[-1] + 3


def test_a_run_that_its_worker_forgot_is_said_to_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    assert worker.train("a", "", wanted("a"), True).wait is not None
    monkeypatch.setattr(worker, "DROP_AFTER", -1.0)
    assert worker.train("a", "", None, True) == worker.LOST
    assert not worker._runs


def test_too_many_runs_end_the_oldest_of_the_visitor_with_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker, "MOST_RUNS", 3)
    for who, token in (("other", "o"), ("one", "a"), ("one", "b"), ("one", "c")):
        assert worker.train(token, who, wanted(token), True).wait is not None
    there = {token: worker.train(token, "", None, False).wait is not None for token in "oabc"}
    assert there == {"o": True, "a": False, "b": True, "c": True}
    worker._runs.clear()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the kernel's table")
def test_a_run_ends_soon_after_its_learner_left(url: str, site: Site) -> None:
    with Browser(url) as browser:
        trains(browser)
        training_of(browser)
        training_of(browser)

    def rests() -> bool:
        before = cpu_seconds(pid(site))
        time.sleep(0.5)
        return cpu_seconds(pid(site)) == before

    until(rests)


def test_a_browser_that_comes_back_soon_goes_on_with_its_run(url: str) -> None:
    with Browser(url) as browser:
        trains(browser, token="back")
        while (spec := training_of(browser))["done"] < 5:
            pass
    time.sleep(0.5)
    with Browser(url) as browser:
        trains(browser, token="back", run=spec["run"])
        again = training_of(browser)
        assert again["run"] == spec["run"]
        assert again["done"] >= spec["done"]
        assert not again["lost"]


@pytest.mark.long
def test_a_run_at_rest_is_kept_as_long_as_its_socket_is_open(browser: Browser) -> None:
    trains(browser)
    while (spec := training_of(browser))["done"] < 5:
        pass
    trains(browser, phase="pause", count=1)
    while training_of(browser)["count"] < 1:
        pass
    time.sleep(worker.DROP_AFTER + 0.5)
    trains(browser, phase="pause", count=2)
    while (again := training_of(browser))["count"] < 2:
        pass
    assert again["run"] == spec["run"]
    assert not again["lost"]


def test_a_run_whose_worker_died_is_said_to_be_lost(url: str, site: Site) -> None:
    with Browser(url) as browser, Browser(url) as other:
        trains(browser)
        training_of(browser)
        trains(other, phase="pause", token="looks")
        training_of(other)
        os.kill(pid(site), signal.SIGKILL)
        while browser.next()[1] != "failed":
            browser.send("0 taken")  # without this, the server stops after two pictures
        trains(other, phase="pause", token="looks", count=1)
        assert not training_of(other)["lost"], "no step was made"
        trains(browser, begun=1, count=1)
        while (spec := training_of(browser))["done"] == 0:
            pass
        assert not spec["lost"]


def test_a_lesson_that_does_not_train_sends_no_pictures(browser: Browser) -> None:
    browser.ask("flip", training=RUN)
    assert browser.frame()["graph"]
    with pytest.raises(TimeoutError):
        browser.next(0.5)


def alone(browser: Browser, lab: str, **wish: Any) -> None:
    """Say what is wanted of a training, with no question whose answer would say what is wrong."""
    training = json.dumps(RUN | {"token": browser.token})
    browser.send(f"9 train {json.dumps({'lab': lab, **wish})}\n{training}")


@pytest.mark.parametrize("lab", ["flip", "moon"])
def test_a_training_that_cannot_be_is_refused(browser: Browser, lab: str) -> None:
    alone(browser, lab)
    assert browser.next()[:2] == (9, "refused")
    browser.send("0 taken")
    with pytest.raises(TimeoutError):  # not "failed": there was no run
        browser.next(0.3)
    alone(browser, SMALL["lab"], step=3, values={"seeds": "1", "steps": "x"})
    assert browser.next()[:2] == (9, "again")
    alone(browser, SMALL["lab"], step=3, values=SMALL["values"])
    assert training_of(browser)["total"] == 20_000


def test_refused_text_leaves_the_run_as_it_is(browser: Browser) -> None:
    trains(browser)
    before = training_of(browser)["done"]
    browser.ask("moons", values={"scale": "x"}, step=3, training=RUN | {"token": browser.token})
    while (spec := training_of(browser))["done"] <= before + 3:
        pass
    assert spec["state"] == "running"


def test_a_mistake_of_ours_ends_one_training_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def ask(token: str) -> worker.Chunk:
        return worker.train(token, "", wanted(token), True)

    assert ask("a").picture

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a mistake of ours")

    with monkeypatch.context() as context:
        context.setattr(Watch, "advance", broken)
        assert ask("b") == worker.LOST
    assert "a mistake of ours" in caplog.text
    assert worker.train("a", "", None, True).wait == 0
    assert ask("b").picture, "whoever asks again gets another run"
    worker._runs.clear()
