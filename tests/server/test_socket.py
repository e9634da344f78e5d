"""The labs' socket: each wish gets its answer, whatever else comes."""

import gc
import threading
from collections.abc import Iterator

import pytest

from pages.labs import lesson
from pages.labs.by_name import LABS
from pages.labs.messages import MAX_MESSAGE, Frame, Wish
from pages.server import socket as route
from pages.server.lanes import LostError
from pages.server.site import Site
from tests.server.serving import Browser, resident
from tests.support.amount import cases
from tests.support.in_process import site as made
from tests.support.server import until

pytestmark = pytest.mark.slow


class Waiting:
    """A lab whose frames wait until they are let go, and which counts them."""

    def __init__(self) -> None:
        self.begun = 0
        self.go = threading.Event()

    def seconds(self, wish: Wish) -> float:
        return 0.0

    def frame(self, wish: Wish) -> Frame:
        self.begun += 1
        assert self.go.wait(60)
        return lesson.frame(wish.model_copy(update={"lab": "flip", "values": {}}))


class Long(Waiting):
    def seconds(self, wish: Wish) -> float:
        return 1.0


class Broken(Waiting):
    def frame(self, wish: Wish) -> Frame:
        raise ZeroDivisionError("a mistake of ours")


WAITING, LONG = Waiting(), Long()


def open_sockets() -> int:
    gc.collect()
    return sum(type(one) is route.Socket for one in gc.get_objects())


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as context:
        for name, lab in {"waiting": WAITING, "long": LONG, "broken": Broken()}.items():
            context.setitem(LABS, name, lab)
        yield made()


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    for lab in (WAITING, LONG):
        lab.begun = 0
        lab.go.clear()
    yield
    for lab in (WAITING, LONG):
        lab.go.set()


@pytest.mark.parametrize("lab", ["flip", "bench", "playground"])
def test_a_wish_gets_its_frame(browser: Browser, lab: str) -> None:
    browser.ask(lab)
    frame = browser.frame()
    assert frame["graph"] or frame["figures"]
    assert frame["form"]


def test_a_frame_is_computed_once_for_all_who_ask_at_the_same_time_or_later(url: str) -> None:
    browsers = [Browser(url) for _ in range(5)]
    for one in browsers[:4]:
        one.ask("waiting", step=2)
    until(lambda: WAITING.begun)
    WAITING.go.set()
    for one in browsers[:4]:
        assert one.frame()["form"]
    browsers[4].ask("waiting", step=2)
    assert browsers[4].frame()["form"]
    assert WAITING.begun == 1
    for one in browsers:
        one.socket.close()


def test_of_many_wishes_the_newest_is_computed_next_and_the_ones_between_never(
    browser: Browser,
) -> None:
    browser.ask("waiting", step=3)
    until(lambda: WAITING.begun)
    for step in range(4, 40):
        browser.ask("waiting", step=step)
    browser.ask("flip")
    browser.send("x")
    assert browser.next()[1] == "refused", "it has read all of them"
    WAITING.go.set()
    assert browser.frame()["form"]
    assert WAITING.begun == 1


def test_what_nobody_waits_for_any_more_is_never_begun(url: str) -> None:
    until(lambda: not open_sockets())
    with Browser(url) as first:
        first.ask("waiting", step=50)
        until(lambda: WAITING.begun)
        for step in range(51, 60):
            with Browser(url) as one:
                one.ask("waiting", step=step)
        until(lambda: open_sockets() == 1)
        WAITING.go.set()
        first.frame()
    assert WAITING.begun == 1


def test_long_work_goes_to_the_slow_lane_and_short_work_passes_it(url: str) -> None:
    with Browser(url) as first, Browser(url) as second:
        first.ask("long")
        until(lambda: LONG.begun)
        second.ask("flip", values={"scale": "2.25"})
        assert second.frame()["form"], "it does not wait for the long one"
        LONG.go.set()
        assert first.frame()["form"]


def test_a_refused_text_asks_for_what_was_good(browser: Browser) -> None:
    browser.ask(values={"scale": "much"})
    assert browser.next()[:2] == (browser.seq, "again")
    browser.ask(values={"scale": "much"}, good={"scale": "3"})
    frame = browser.frame()
    assert not frame["accepted"]
    assert "scale=3" in frame["query"]


@pytest.mark.parametrize(
    "text",
    ["x", '1 ask {"lab":3}', '1 ask {"lab":"no_such"}', "1 ask " + "[" * 50_000,
     "1 ask " + "x" * MAX_MESSAGE, '1 ask {"lab":"flip"}\n{"phase":"x"}', "1 train {}",
     b"\x00\x01"],
    ids=range(8),
)  # fmt: skip
def test_what_is_refused_is_said_and_the_socket_lives_on(
    browser: Browser, text: str | bytes
) -> None:
    browser.socket.send(text)
    _, kind, aside = browser.next()
    assert kind == "refused"
    assert 5 < len(aside["text"]) < 1500
    assert ("characters, not" in aside["text"]) == (len(text) > MAX_MESSAGE), "it is not read"
    browser.seq = 10
    browser.ask("flip")
    assert browser.frame()["form"]


def test_a_mistake_of_ours_is_said_and_the_socket_lives_on(
    browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    browser.ask("broken")
    _, kind, aside = browser.next()
    assert kind == "refused"
    assert "division" not in aside["text"], "what went wrong is for the log"
    assert "a mistake of ours" in caplog.text
    browser.ask("flip")
    assert browser.frame()["form"]


def test_a_wish_that_ends_its_worker_twice_is_refused(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: object, **__: object) -> None:
        raise LostError

    with monkeypatch.context() as context:
        context.setattr(site.quick, "run", lost)
        browser.ask("flip", values={"scale": "1.125"})
        assert browser.next()[1] == "refused"
    browser.ask("flip", values={"scale": "1.125"})
    assert browser.frame()["form"]


def test_a_socket_opens_with_more_cookies_than_a_line_of_websockets(url: str) -> None:
    with Browser(url, additional_headers={"Cookie": f"other={'x' * 15_000}"}) as browser:
        browser.ask("flip")
        assert browser.frame()["form"]


@pytest.mark.skipif(not resident(), reason="reads the kernel's table")
@pytest.mark.random
def test_memory_returns_when_sockets_close(url: str) -> None:
    sockets = cases(80, 200)

    def round_of(count: int) -> int:
        browsers = [Browser(url) for _ in range(count)]
        for number, browser in enumerate(browsers):
            browser.ask("flip", values={"scale": str(number / 100 + 0.001)})
        for browser in browsers:
            browser.frame()
            browser.socket.close()
        until(lambda: not open_sockets())
        return resident()

    round_of(sockets)  # every thread has been at work once, and has what it keeps
    first = round_of(sockets)
    second = round_of(sockets)
    assert second - first < sockets * (12 << 20) / 200, "bytes more after as many more sockets"
