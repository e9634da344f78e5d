"""The process that trains: pictures by themselves, by turns, and an end when nobody is there."""

import asyncio
import io
import json
import os
import signal
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from pages.labs.training import Watch
from pages.server import trainer
from pages.server.child import HEAD
from pages.server.computing import Computing
from pages.server.socket import MOST_SOON, Socket, Workshop
from pages.server.trainings import ASIDE, PICTURE, Trainings
from tests.server.asgi import run
from tests.server.serving import Browser
from tests.support.in_process import InProcess

pytestmark = pytest.mark.slow

RUN = {"phase": "run"}
SMALL = {"lab": "moons", "values": {"seeds": "1", "steps": "20000"}, "step": 2}


@pytest.fixture(scope="module")
def workshop():
    return Workshop(InProcess(Computing()), Trainings(1))


def training_of(browser):
    return browser.picture()["training"]


def trains(browser, **training):
    browser.ask(**SMALL, training=RUN | {"token": f"t{id(browser)}"} | training)


def pid(workshop):
    return workshop.trainings.of("t").pid


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def test_pictures_come_by_themselves_until_they_are_stopped(browser):
    trains(browser, phase="pause")
    first = browser.picture()
    assert (first["training"]["state"], first["training"]["done"]) == ("ready", 0)
    assert all("figure" in one for one in first["figures"])
    trains(browser)
    done = [training_of(browser)["done"] for _ in range(8)]
    assert done == sorted(done)
    assert done[-1] > done[0]
    trains(browser, phase="stop", count=1)
    while (last := training_of(browser))["count"] < 1:
        pass
    assert last["state"] == "stopped"


@pytest.mark.parametrize("step", [0.001, 0.007, 0.013, 0.019])
def test_pictures_keep_their_pace_whatever_a_step_takes(step):
    """By arithmetic: steps of so many seconds, a browser that takes all in at once."""
    learner, now, sent = trainer.Learner(None, "", 0), 100.0, 0
    learner.sent(now)
    while now < 110.0:
        until = now + learner.slice(now)
        now += step  # one is always made
        while now < until:
            now += step
        if now >= learner.due:
            learner.sent(now)
            learner.unseen, sent = 0, sent + 1
    assert 20 <= sent / 10 <= 1 / trainer.EVERY + 0.5


def test_one_late_picture_makes_no_crowd_of_them():
    learner = trainer.Learner(None, "", 0)
    learner.sent(100.0)
    learner.sent(103.0)
    assert learner.due >= 103.0 + trainer.EVERY / 2


def test_steps_are_not_cut_short_for_a_browser_that_takes_nothing_in():
    learner = trainer.Learner(None, "", 0)
    learner.sent(100.0)
    assert learner.slice(100.0 + trainer.EVERY - 0.001) < trainer.SLICE / 2
    learner.sent(100.0 + trainer.EVERY)
    assert learner.slice(103.0) == trainer.SLICE


def test_a_chart_that_does_not_change_is_not_sent_again(browser):
    trains(browser, phase="pause", single=1)
    browser.picture()
    for count in (1, 2):
        trains(browser, phase="pause", single=1, count=count)
        while (picture := browser.picture())["training"]["count"] < count:
            pass
    assert not any("figure" in one for one in picture["figures"])


def first_seen(browser):
    """Of the first picture, which is not taken in, how many steps were done."""
    while (message := browser.next())[1] != 1:
        pass
    return message[2]["training"]["done"]


def test_who_does_not_take_pictures_in_gets_two_and_the_run_goes_on(browser):
    trains(browser)
    seen = [first_seen(browser)]
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        with suppress(TimeoutError):
            _, what, body = browser.next(0.2)
            seen += [body["training"]["done"]] if what == 1 else []
    assert 1 <= len(seen) <= 2
    browser.send("0 taken")
    assert training_of(browser)["done"] > seen[-1] + 3, "nobody looked, and it went on"


def test_a_third_waits_and_is_told_how_many_are_before(url):
    with ExitStack() as stack:
        browsers = [stack.enter_context(Browser(url)) for _ in range(4)]
        specs = []
        for one in browsers:
            trains(one)
            while (spec := training_of(one))["state"] == "ready":
                pass
            specs.append(spec)
        assert [spec["state"] for spec in specs] == ["running", "running", "queued", "queued"]
        assert "1 run is before yours" in specs[2]["text"]
        assert "2 runs are before yours" in specs[3]["text"]
        browsers[0].socket.close()
        while (spec := training_of(browsers[2]))["done"] == 0:
            pass
        assert spec["state"] == "running"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the kernel's table")
def test_who_leaves_ends_a_run_within_a_second(url, workshop):
    with Browser(url) as browser:
        trains(browser)
        training_of(browser)
        training_of(browser)
    time.sleep(1.0)
    before = cpu_seconds(pid(workshop))
    time.sleep(1.0)
    assert cpu_seconds(pid(workshop)) - before < 0.2


def test_who_comes_back_soon_goes_on_with_the_run(url):
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


def test_a_run_that_went_with_its_process_is_said_to_be_lost(url, workshop):
    with Browser(url) as browser:
        trains(browser)
        spec = training_of(browser)
        with Browser(url) as other:  # who has only looked at one loses none
            trains(other, phase="pause", token="looks", run="")
            training_of(other)
            os.kill(pid(workshop), signal.SIGKILL)
            begun = time.monotonic()
            while browser.next(2.0)[1] != "lost":
                pass
            with Browser(url) as another:  # whose server was another one
                trains(another, token="another", run="seen")
                assert another.next(2.0)[1] == "lost"
            assert time.monotonic() - begun < 2.0, "a process loads torch for longer"
            while not (spec := training_of(browser))["lost"]:
                pass
            assert not training_of(other)["lost"]
        assert (spec["done"], spec["state"]) == (0, "ready")
        trains(browser, begun=1, count=1)
        while (spec := training_of(browser))["done"] == 0:
            pass
        assert not spec["lost"]


@pytest.mark.parametrize(
    "training", [{"phase": "fly"}, {"begun": -1}, {"token": "x" * 200}, {"more": 1}]
)
def test_a_wish_that_is_not_as_described_is_refused(browser, training):
    browser.ask(**SMALL, training=RUN | training)
    assert browser.next()[1] == "refused"
    trains(browser)
    assert training_of(browser)["total"] == 20_000


def test_a_lesson_that_does_not_train_has_no_pictures(browser):
    browser.ask("flip", training=RUN)
    assert browser.frame()["figures"]
    with pytest.raises(TimeoutError):
        browser.next(0.5)


def alone(browser, lab, **wish):
    """What is wanted of a training, with no question beside it that the server would answer."""
    training = json.dumps(RUN | {"token": f"t{id(browser)}"})
    browser.send(f"9 train {json.dumps({'lab': lab, **wish})}\n{training}")


@pytest.mark.parametrize(
    ("lab", "said"), [("flip", "“flip” trains nothing"), ("moon", "Did you mean moons?")]
)
def test_who_wants_to_train_what_does_not_is_told_so(browser, lab, said):
    alone(browser, lab)
    seq, kind, aside = browser.next()
    assert (seq, kind) == (9, "refused")
    assert said in aside["text"]
    alone(browser, SMALL["lab"], step=2, values={"seeds": "1", "steps": "x"})
    assert browser.next()[:2] == (9, "again")
    alone(browser, SMALL["lab"], step=2, values=SMALL["values"])
    assert training_of(browser)["total"] == 20_000


class Refusing:
    """In place of the processes that train: refuses each wish at once."""

    def of(self, token):
        return self

    def wish(self, client, listener, message):
        listener({"seq": message.seq, "kind": "refused", "text": "no"})

    def gone(self, client):
        pass


class Full:
    """A websocket on which many messages come and none can be sent."""

    def __init__(self, *messages):
        self._coming = list(messages)
        self.room = asyncio.Event()
        self.said = 0

    async def receive(self):
        if self._coming:
            return {"type": "websocket.receive", "text": self._coming.pop(0)}
        await asyncio.sleep(0.1)
        return {"type": "websocket.disconnect"}

    async def send_text(self, text):
        await self.room.wait()
        self.said += 1


def test_what_is_refused_to_one_who_reads_nothing_does_not_pile_up():
    async def story():
        full = Full(*['1 train {"lab":"flip"}\n{"token":"a"}'] * 100)
        one = Socket(Workshop(InProcess(Computing()), Refusing()), full)
        living = asyncio.create_task(one.live())
        await asyncio.sleep(0.05)
        piled = len(one._soon_done)
        full.room.set()
        await living
        return piled, full.said

    assert run(story()) == (MOST_SOON, MOST_SOON)


def test_a_mistake_of_ours_ends_that_training_and_the_learner_is_told(monkeypatch, caplog):
    out = io.BytesIO()
    one = trainer.Trainer(io.BytesIO(), out)

    def broken(self, before=0):
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(Watch, "picture", broken)
    wish = {"seq": 7, "kind": "ask", "wish": json.dumps(SMALL), "training": json.dumps(RUN)}
    one._take([{"client": 3, **wish}])
    one._show()
    out.seek(0)
    client, what, length = HEAD.unpack(out.read(HEAD.size))
    assert (client, what) == (3, ASIDE)
    assert json.loads(out.read(length)) == {"seq": 7, "kind": "failed", "text": trainer.MISTAKE}
    assert "a mistake of ours" in caplog.text
    monkeypatch.undo()
    place = out.tell()
    one._take([{"client": 3, **wish}])
    one._show()
    out.seek(place)
    client, what, length = HEAD.unpack(out.read(HEAD.size))
    assert (client, what) == (3, PICTURE), "whoever asks again gets another"


def test_a_mistake_of_ours_in_the_only_run_leaves_the_other_learners_theirs(monkeypatch):
    one = trainer.Trainer(io.BytesIO(), io.BytesIO())
    wish = {"seq": 7, "kind": "ask", "wish": json.dumps(SMALL)}
    for client, phase in ((3, "pause"), (4, "run")):
        training = json.dumps({"phase": phase, "token": f"t{client}"})
        one._take([{"client": client, **wish, "training": training}])

    def broken(self, seconds, enough):
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(Watch, "advance", broken)
    one._step()
    one._step()
    assert [*one._learners] == [3]


def test_text_that_is_refused_leaves_the_run_as_it_is(browser):
    trains(browser)
    before = training_of(browser)["done"]
    browser.ask("moons", values={"scale": "x"}, step=2, training=RUN | {"token": f"t{id(browser)}"})
    while (spec := training_of(browser))["done"] <= before + 3:
        pass
    assert spec["state"] == "running"
