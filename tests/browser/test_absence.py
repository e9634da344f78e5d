"""A place is never lost: what is newest wins, whether the address, the cookie or the page has it.

A teacher's link stands in the address that a page was opened with, which Streamlit's browser side
sends along again and again.
"""

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import repeat

import pytest
from playwright.sync_api import Page, expect

from pages.labs.words import WORDS as LAB_WORDS
from pages.ui.words import WORDS
from tests.browser.looking import (
    MORE,
    answered,
    asked,
    commit,
    control,
    edge,
    exact,
    is_at_step,
    next_button,
    open_drawers,
    ready,
    rows,
    says,
    silent,
    to_lesson,
    trains,
)
from tests.browser.test_training import button, done, reaches
from tests.browser.test_wire import (
    LESSON,
    cut,
    visit,
)
from tests.support.balancer import balanced
from tests.support.server import ROOT, Server, free_port, streamlit

__all__ = ["visit"]  # a fixture
pytestmark = pytest.mark.browser

LINK = "/stop_gradient?lesson=right_place&step=2&noise_high=1.7&x=-3,0.5&hide=draws&fix=noise_low"
BRIEF = 1
"""Seconds that the server keeps the session of who is away; two minutes where nobody says else."""


class Mortal:
    """The app on a port of its own, to be killed and started again, with these settings."""

    def __init__(self, stack: ExitStack, **settings: object) -> None:
        self._stack = stack
        self._settings = {name.replace("_", "."): value for name, value in settings.items()}
        self._port = free_port()
        self.start()

    def start(self) -> float:
        """Start it; returns when it began to answer."""
        self._server: Server = self._stack.enter_context(
            streamlit(ROOT / "app.py", port=self._port, settings=self._settings)
        )
        self.url = self._server.url
        return time.time()

    def kill(self, how: int = signal.SIGKILL) -> None:
        """As the kernel does when memory runs out: it can do nothing more."""
        os.kill(self._server.pid, how)


AGAIN = 3.0
"""Seconds after the server answers again within which a lab asks for a line that it gets."""


def goes_on(page: Page, since: float) -> None:
    expect(page.locator(".gl-notes")).not_to_contain_text(says("connection_lost"))
    assert page.evaluate("tried.labs") / 1000 - since < AGAIN


def is_drawn_anew(page: Page) -> None:
    """Streamlit is connected, and the new server has drawn the page: it hears what is pressed."""
    page.wait_for_function("came.stream > 0")
    silent(page)


# What is done to a server of one's own is of `make test-long`.
@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    with ExitStack() as stack:
        yield Mortal(stack, server_disconnectedSessionTTL=BRIEF)


@pytest.mark.long
def test_a_next_that_is_pressed_as_the_server_dies_is_pressed_again(mortal, visit):
    page = visit(mortal.url + LESSON + "&step=2")
    commit(page, 1)
    silent(page)
    mortal.kill(signal.SIGSTOP)
    next_button(page).click()
    page.wait_for_timeout(300)
    mortal.kill()
    mortal.start()
    is_at_step(page, 3)
    silent(page)
    is_at_step(page, 3)


def is_as_it_was(page: Page, left: dict[str, str]) -> None:
    is_at_step(page, 3)
    assert asked(page) == left
    open_drawers(page, MORE)
    expect(exact(page, "noise_high")).to_have_value("1.2")
    expect(control(page, "draws")).to_be_hidden()
    expect(exact(page, "noise_low")).to_be_disabled()
    assert [row[0] for row in rows(page)] == ["−3", "0.5"]
    assert {row[3] for row in rows(page)} == {"0"}, "it is cut"


def moved_on(page: Page) -> dict[str, str]:
    """Answer the step of the link, go to the next, set things there; the address then."""
    commit(page, 1)
    next_button(page).click()
    is_at_step(page, 3)
    answered(page)  # the lab closes its drawers when its own answer for the new step comes
    open_drawers(page, MORE)
    exact(page, "noise_high").fill("1.2")
    control(page, "x").fill("-3, 0.5")
    cut(page, "sqrt_1:0")
    page.wait_for_function("/step=3.*noise_high=1.2.*cuts=sqrt_1:0/.test(location.search)")
    answered(page)
    left = asked(page)
    is_as_it_was(page, left)
    return left


def all_is_there(page: Page, left: dict[str, str]) -> None:
    """On the page, in the cookie and in the address; and it goes on from there."""
    is_as_it_was(page, left)
    (cookie,) = (one for one in page.context.cookies() if one["name"] == "gradient_tricks_lab")
    assert re.search(r"right_place:3:\w+=", cookie["value"])
    page.reload()
    ready(page)
    is_as_it_was(page, left)
    page.get_by_role("button", name=WORDS("back"), exact=True).click()
    is_at_step(page, 2)
    expect(page.get_by_text(WORDS("you_said", answer=""))).to_be_visible()
    # The lab shows the case that was asked about.
    page.wait_for_function("/step=2/.test(location.search) && !/noise_high/.test(location.search)")


@pytest.mark.long
def test_an_absence_after_which_the_server_has_forgotten_who_it_was(mortal, visit):
    page = visit(mortal.url + LINK)
    left = moved_on(page)
    page.evaluate("window.came = {}")
    page.context.set_offline(True)
    page.evaluate("lines.stream.close(), lines.labs.close()")
    page.wait_for_timeout(1000 * (BRIEF + 2))
    page.context.set_offline(False)
    is_drawn_anew(page)
    all_is_there(page, left)


@pytest.mark.long
def test_a_link_that_is_opened_once_more_is_newer_than_all_that_was_done(app, visit):
    page = visit(app.url + LINK)
    moved_on(page)
    for go in (page.goto, page.context.new_page().goto):
        go(app.url + LINK)
        page = page.context.pages[-1] if go != page.goto else page
        ready(page)
        is_at_step(page, 2)
        expect(page.get_by_text(WORDS("you_said", answer=""))).to_be_visible()
        open_drawers(page, MORE)
        expect(exact(page, "noise_high")).to_have_value("1.7")
        assert asked(page)["noise_high"] == "1.7"
        assert "cuts" not in asked(page)


# --- the server is killed and started again ---
#
# For several at once, for it takes its time. Each story begins before that, goes on after its first
# `yield` while nobody is there, and after the second when somebody has begun to answer, then.


def what_was_set_is_there_and_what_is_set_meanwhile_is_computed(mortal, visit):
    page = visit(f"{mortal.url}{LESSON}&step=2")
    commit(page, 1)
    open_drawers(page, MORE)
    control(page, "noise_high", "input[type=range]").press("End")
    cut(page, "sqrt_1:0")
    page.wait_for_function("/noise_high=2.*cuts=sqrt_1:0/.test(location.search)")
    answered(page)
    before = rows(page)

    page.evaluate("window.came = {}")
    yield
    control(page, "x").fill("-3, 2")  # what is set now is computed once somebody is there again
    expect(page.locator(".gl-notes")).to_contain_text(says("connection_lost"))
    page.wait_for_timeout(6000)  # so long that the waits between the tries are at their longest
    assert rows(page) == before
    goes_on(page, (yield))
    page.wait_for_function("location.search.includes('x=-3,')")
    open_drawers(page, MORE)
    expect(exact(page, "noise_high")).to_have_value("2")
    expect(edge(page, "sqrt_1:0")).to_have_attribute("aria-pressed", "true")
    now = rows(page)
    assert [row[0] for row in now] == ["−3", "2"]
    assert [row[3] for row in now] == ["0", "0"], "still cut, and nothing is covered again"

    is_drawn_anew(page)
    next_button(page).click()
    is_at_step(page, 3)
    page.wait_for_function("location.search.includes('step=3')")
    answered(page)
    open_drawers(page, MORE)
    expect(exact(page, "noise_high")).to_have_value("1.1")  # the step sets it
    page.get_by_role("button", name=WORDS("back"), exact=True).click()
    is_at_step(page, 2)
    expect(page.get_by_text(WORDS("you_said", answer=""))).to_be_visible()


def a_training_that_was_lost_is_said_to_be_and_another_begins(mortal, visit):
    page = trains(visit(f"{mortal.url}/reversal?lesson=moons&step=3&seeds=4&steps=20000"))
    button(page, "start").click()
    reaches(page, 5)
    yield
    yield
    expect(page.locator(".gl-notes")).not_to_contain_text(says("connection_lost"))
    said = page.locator(".gl-trainer .gl-trained")
    lost = LAB_WORDS("run_lost")
    expect(said).to_contain_text(lost)
    assert asked(page)["seeds"] == "4"
    page.wait_for_timeout(1000)
    assert done(page) == 0, "it has not begun by itself"
    button(page, "start").click()
    reaches(page, 5)
    expect(said).not_to_contain_text("lost")


def a_place_that_a_link_led_away_from_is_kept(mortal, visit):
    page = visit(mortal.url + LINK)
    left = moved_on(page)
    page.evaluate("window.came = {}")
    yield
    yield
    is_drawn_anew(page)
    all_is_there(page, left)


def a_page_whose_own_line_ends_last_is_drawn_anew(mortal, visit):
    """Proxies may pass on the end of one line after the other; the lab opens its own at once."""
    page = visit(mortal.url + LINK)
    left = moved_on(page)
    page.evaluate("unheard.add('stream')")
    yield
    goes_on(page, (yield))
    page.wait_for_function("lines.labs.readyState === WebSocket.OPEN")
    page.wait_for_timeout(300)
    page.evaluate("unheard.clear(), (window.came = {})")
    page.evaluate("lines.stream.dispatchEvent(new CloseEvent('close'))")
    is_drawn_anew(page)
    all_is_there(page, left)


def a_quiz_has_its_answers_and_hears_the_next(mortal, visit):
    page = visit(f"{mortal.url}/reversal?lesson=flip")
    to_lesson(page, WORDS("quiz_of", chapter="Reversal"))
    expect(page).to_have_url(re.compile(r"\?quiz=\d+$"))
    words = page.locator(".st-key-words")
    answers = words.locator(".stButton button")
    answers.first.click()
    expect(page.locator("[class*=st-key-reply_]")).to_be_visible()
    silent(page)
    place = page.url
    before = words.inner_text()
    page.evaluate("window.came = {}")
    yield
    yield
    is_drawn_anew(page)
    assert page.url == place
    assert words.inner_text() == before
    page.get_by_role("button", name="Next question").click()
    expect(page.locator(".st-key-quiz")).to_contain_text(WORDS("question_of", number=2, all=5))


def a_step_that_was_gone_to_is_in_the_address_before_the_lab_has_answered(mortal, visit):
    page = visit(mortal.url + LINK)
    page.evaluate("lines.labs.send = () => {}")
    next_button(page).click()
    is_at_step(page, 3)
    page.evaluate("window.came = {}")
    yield
    yield
    is_drawn_anew(page)
    page.wait_for_timeout(1000)
    is_at_step(page, 3)
    assert asked(page)["step"] == "3"


def what_another_tab_did_meanwhile_is_not_undone_by_one_that_comes_back(mortal, visit):
    page = visit(mortal.url + LINK)
    commit(page, 1)
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    next_button(other).click()
    is_at_step(other, 3)
    cookie = "document.cookie.match(/right_place:(\\d+)/)?.[1]"
    other.wait_for_function(f"{cookie} === '3'")
    page.evaluate("window.came = {}")
    yield
    yield
    is_drawn_anew(page)
    page.wait_for_timeout(1000)
    is_at_step(page, 2)
    is_at_step(other, 3)
    assert page.evaluate(cookie) == "3", "who came back has done nothing"


SEVERAL = [
    a_training_that_was_lost_is_said_to_be_and_another_begins,
    a_place_that_a_link_led_away_from_is_kept,
    a_page_whose_own_line_ends_last_is_drawn_anew,
    a_quiz_has_its_answers_and_hears_the_next,
    a_step_that_was_gone_to_is_in_the_address_before_the_lab_has_answered,
    what_another_tab_did_meanwhile_is_not_undone_by_one_that_comes_back,
]


def tell(stories, server, visit):
    told = [story(server, visit) for story in stories]
    for story in told:
        next(story)
    server.kill()
    for story in told:
        next(story)
    since = server.start()
    for story in told:
        with pytest.raises(StopIteration):  # all of it was told
            story.send(since)


@pytest.mark.long
@pytest.mark.parametrize(
    "stories",
    [
        pytest.param(
            [what_was_set_is_there_and_what_is_set_meanwhile_is_computed],
            id="one, by the clock",
        ),
        pytest.param(SEVERAL, id="several"),
    ],
)
def test_a_server_that_is_killed_and_comes_again_costs_nobody_anything(stories, mortal, visit):
    tell(stories, mortal, visit)


class Replicas:
    """Two processes of the app behind a balancer, which gives every newcomer to the first."""

    def __init__(self, stack: ExitStack) -> None:
        first, second = (
            stack.enter_context(streamlit(ROOT / "app.py", port=free_port())) for _ in range(2)
        )
        self._first = first
        ports = [int(one.url.rpartition(":")[2]) for one in (first, second)]
        self.url = stack.enter_context(balanced(ports, repeat(0)))

    def kill(self) -> None:
        """Kill the process that every visitor is on."""
        os.kill(self._first.pid, signal.SIGKILL)

    def start(self) -> float:
        """Start nothing: the second has been there all the time. Return the time."""
        return time.time()


@pytest.mark.long
def test_a_replica_that_is_killed_costs_nobody_anything_where_another_is_left(visit):
    with ExitStack() as stack:
        tell(SEVERAL, Replicas(stack), visit)
