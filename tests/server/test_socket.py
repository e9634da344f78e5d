"""The labs' route, over a real socket: each wish its answer, whatever else comes."""

import gc
import json
import time

import pytest
from websockets.exceptions import InvalidStatus

from pages.labs.messages import MAX_MESSAGE
from pages.server import socket as route
from pages.server.computing import LABS, Computing
from pages.server.socket import Workshop
from pages.server.trainings import Trainings
from pages.server.turns import Busy
from tests.server.serving import Browser, resident
from tests.support.amount import cases
from tests.support.in_process import InProcess
from tests.support.server import START_SECONDS

pytestmark = pytest.mark.slow


ALL = 3000
CHUNKS: list[int] = []
"""How many of all were worked on, of each piece of slow work that was begun."""


def slow(wish, turn):
    """A lab of the test's own: chunks of work, 10 ms each, which are counted. No test waits for its
    end, and a busy machine must not come to it either.
    """
    mine = len(CHUNKS)
    CHUNKS.append(0)
    with turn:
        for step in range(ALL):
            time.sleep(0.01)
            CHUNKS[mine] += 1
            turn.report((step + 1) / ALL)
    return LABS["home"](wish.model_copy(update={"values": {}}), turn)


def crowded(wish, turn):
    raise Busy


def broken(wish, turn):
    raise ZeroDivisionError("a mistake of ours")


@pytest.fixture(scope="module")
def workshop():
    labs = {**LABS, "slow": slow, "broken": broken, "crowded": crowded}
    return Workshop(InProcess(Computing(labs)), Trainings(0))


@pytest.mark.parametrize("lab", ["flip", "home", "playground"])
def test_a_wish_has_its_frame(browser, lab):
    browser.ask(lab)
    frame = browser.frame()
    assert frame["figures"]
    assert frame["form"]


def test_the_same_wish_is_computed_once_for_all(url, workshop, monkeypatch):
    calls = []
    ask = workshop.computers.ask
    monkeypatch.setattr(workshop.computers, "ask", lambda *all_: calls.append(1) or ask(*all_))
    browsers = [Browser(url) for _ in range(5)]
    for browser in browsers:
        browser.ask(values={"scale": "2.12345"})
        browser.frame()
        browser.socket.close()
    assert len(calls) == 1


def test_of_many_wishes_the_last_is_always_answered(browser):
    for number in range(50):
        browser.ask(values={"scale": str(1 + number / 100)}, live=True)
    browser.ask(values={"scale": "5.5"})
    assert browser.frame()["form"]["scale"] == "5.5"


def test_a_newer_wish_ends_slow_work_and_stop_ends_it_too(browser):
    first = browser.ask("slow")
    kinds = [browser.next()]
    assert kinds[0][1] == "progress"
    assert 0 < kinds[0][2]["share"] < 1
    browser.ask("flip")
    while (message := browser.next())[1] == "progress":
        assert message[0] == first
    assert message[:2] == (browser.seq, 0)
    assert CHUNKS[-1] < ALL / 2, "it was given up long before its end"
    browser.ask("slow")
    browser.next()
    browser.send(f"{browser.seq} stop")
    while (message := browser.next())[1] == "progress":
        pass
    assert message[:2] == (browser.seq, "stopped")


def test_a_refused_text_asks_for_what_was_good(browser):
    browser.ask(values={"scale": "much"})
    assert browser.next()[:2] == (browser.seq, "again")
    browser.ask(values={"scale": "much"}, good={"scale": "3"})
    frame = browser.frame()
    assert not frame["accepted"]
    assert "scale=3" in frame["query"]


@pytest.mark.parametrize(
    "text",
    ["", "x", "1 ask", "1 ask null", "1 ask []", '1 ask {"lab":3}', '1 ask {"lab":"no_such"}',
     "1 ask " + "[" * 50_000, "1 ask " + "x" * MAX_MESSAGE, '1 ask {"lab":"flip"}\n{"phase":"x"}',
     '1 ask {"lab":"' + "a" * 99 + '"}', "1 ask {}\n{}\n{}", "\x00", "1 train {}", "1 stop {}"],
    ids=range(15),
)  # fmt: skip
def test_what_is_refused_is_said_and_the_socket_lives_on(browser, text):
    browser.send(text)
    if "stop" not in text:
        _, kind, aside = browser.next()
        assert kind == "refused"
        assert 5 < len(aside["text"]) < 1500
        assert ("characters came" in aside["text"]) == (len(text) > MAX_MESSAGE), "it is not read"
    browser.seq = 10
    browser.ask("flip")
    assert browser.frame()["figures"]


def test_bytes_are_refused(browser):
    browser.socket.send(b"\x00\x01")
    assert browser.next()[1] == "refused"
    browser.ask("flip")
    assert browser.frame()["figures"]


def test_a_mistake_of_ours_is_said_and_the_socket_lives_on(browser, caplog):
    browser.ask("broken")
    _, kind, aside = browser.next()
    assert kind == "refused"
    assert "division" not in aside["text"], "what went wrong is for the log"
    assert "a mistake of ours" in caplog.text
    browser.ask("flip")
    assert browser.frame()["figures"]


def test_a_foreign_page_is_turned_away(url):
    with pytest.raises(InvalidStatus) as refused:
        Browser(url, origin="https://evil.example")
    assert refused.value.response.status_code == 403
    own = url.replace("ws://", "http://").removesuffix("/labs")
    with Browser(url, origin=own) as browser:
        browser.ask("flip")
        assert browser.frame()["figures"]


def test_there_is_a_limit_to_sockets(url, workshop, monkeypatch):
    while workshop.sockets:
        time.sleep(0.01)
    monkeypatch.setattr(route, "MOST_SOCKETS", 2)
    with Browser(url) as first, Browser(url) as second:
        for one in (first, second):
            one.ask("flip")
            one.frame()
        third = Browser(url)
        with pytest.raises(Exception, match="1013"):
            third.next()
        first.socket.close()
        while len(workshop.sockets) > 1:
            time.sleep(0.01)
        with Browser(url) as fourth:
            fourth.ask("flip")
            assert fourth.frame()["figures"]


def test_who_sends_too_much_is_read_later(url, monkeypatch):
    monkeypatch.setattr(route, "RATE", 100.0)
    monkeypatch.setattr(route, "BURST", 50.0)
    with Browser(url) as browser:
        start = time.monotonic()
        for number in range(200):
            browser.ask("flip", values={"scale": str(1 + number % 3)}, live=True)
        browser.frame()
        assert time.monotonic() - start > 1.4, "a hundred a second, but for the first fifty"


def test_a_long_message_counts_as_many(url, monkeypatch):
    monkeypatch.setattr(route, "RATE", 500.0)
    monkeypatch.setattr(route, "BURST", 50.0)
    long = "x" * (100 * route.SHORT)
    with Browser(url) as browser:
        start = time.monotonic()
        for _ in range(5):
            browser.ask("flip", values={"scale": "1"}, good={"long": long[: 10 * route.SHORT]})
            browser.next()
            browser.send(long)
            browser.next()
        assert time.monotonic() - start > 0.9, "five hundred and more a second, but for fifty"


def test_who_was_told_to_try_later_is_begun_later(url, monkeypatch):
    monkeypatch.setattr(route, "LATER", 0.2)
    with Browser(url) as browser:
        start = time.monotonic()
        for _ in range(3):
            browser.ask("crowded")
            assert browser.next()[1] == "busy"
        browser.ask("flip")
        browser.frame()
        assert time.monotonic() - start > 0.2 + 0.4 + 0.8


def test_a_stop_before_the_turn_of_a_wish_is_heeded(browser, url):
    browser.ask("slow")
    assert browser.next()[1] == "progress"
    browser.ask("slow", values={"n": "2"})
    browser.send(f"{browser.seq} stop")
    while (message := browser.next())[1] == "progress":
        assert message[0] == browser.seq - 1, "what was stopped is not begun"
    assert message[:2] == (browser.seq, "stopped")


def counted(kind: type) -> int:
    return sum(type(one) is kind for one in gc.get_objects())


@pytest.mark.skipif(not resident(), reason="reads the kernel's table")
@pytest.mark.random
def test_memory_returns_when_sockets_close(url, workshop):
    sockets = cases(80, 200)

    def round_of(count):
        browsers = [Browser(url) for _ in range(count)]
        for number, browser in enumerate(browsers):
            browser.ask("flip", values={"scale": str(number / 100 + 0.001)})
        for browser in browsers:
            browser.frame()
            browser.socket.close()
        while workshop.sockets:
            time.sleep(0.01)
        gc.collect()
        return resident()

    round_of(sockets)  # every thread has been at work once, and has what it keeps
    first = round_of(sockets)
    second = round_of(sockets)
    assert second - first < sockets * (12 << 20) / 200, "bytes more after as many more sockets"
    # What answered the last one may still be on its way out.
    deadline = time.monotonic() + 30
    while (alive := counted(route.Socket)) > 2 and time.monotonic() < deadline:
        gc.collect()
    assert alive <= 2


def test_a_frame_that_was_asked_for_by_who_left_is_not_computed_to_the_end(url, workshop):
    browser = Browser(url)
    browser.ask("slow")
    browser.next()
    browser.socket.close()
    while workshop.computers.computing.turns._running:
        time.sleep(0.01)
    assert CHUNKS[-1] < ALL / 2, "the turn was given back long before the end"


def test_the_answer_is_json_and_floats_that_anybody_can_read(browser):
    browser.ask("flip")
    raw = browser.socket.recv(START_SECONDS)
    assert isinstance(raw, bytes)
    length = int.from_bytes(raw[8:12], "little")
    assert json.loads(raw[12 : 12 + length])["form"]
