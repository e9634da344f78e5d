"""A place is never lost: what is newest wins, whether the address, the cookie or the page has it.

A teacher's link stands in the address that a page was opened with, which Streamlit's browser side
sends along again and again.
"""

import os
import re
import signal
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
from tests.browser.test_wire import Visit, cut, visit
from tests.support.balancer import balanced
from tests.support.server import ROOT, Server, free_port, streamlit

__all__ = ["visit"]  # a fixture
pytestmark = [pytest.mark.browser, pytest.mark.long]

LINK = "/stop_gradient?lesson=right_place&step=2&noise_high=1.7&x=-3,0.5&hide=draws&fix=noise_low"


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


def test_a_link_that_is_opened_once_more_is_newer_than_all_that_was_done(
    app: Server, visit: Visit
) -> None:
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


def is_drawn_again(page: Page) -> None:
    """The page is connected to the other process, which has drawn it: it gets what is pressed."""
    page.wait_for_function("came.stream > 0")
    silent(page)


def test_a_replica_that_is_killed_costs_nobody_anything_where_another_is_left(visit: Visit) -> None:
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(streamlit(ROOT / "app.py", port=free_port())) for _ in range(2)
        )
        ports = [int(one.url.rpartition(":")[2]) for one in (first, second)]
        url = stack.enter_context(balanced(ports, repeat(0)))
        lesson = visit(url + LINK)
        left = moved_on(lesson)
        training = trains(visit(f"{url}/reversal?lesson=moons&step=3&seeds=4&steps=20000"))
        button(training, "start").click()
        reaches(training, 5)
        quiz = visit(f"{url}/reversal?lesson=flip")
        to_lesson(quiz, WORDS("quiz_of", chapter="Reversal"))
        quiz.locator(".st-key-words .stButton button").first.click()
        expect(quiz.locator("[class*=st-key-reply_]")).to_be_visible()
        silent(quiz)
        question = quiz.url, quiz.locator(".st-key-words").inner_text()
        for page in (lesson, quiz):
            page.evaluate("window.came = {}")

        os.kill(first.pid, signal.SIGKILL)

        is_drawn_again(lesson)
        expect(lesson.locator(".gl-notes")).not_to_contain_text(says("connection_lost"))
        all_is_there(lesson, left)
        said = training.locator(".gl-trainer .gl-trained")
        expect(said).to_contain_text(LAB_WORDS("run_lost"))
        training.wait_for_timeout(1000)
        assert done(training) == 0, "it has not begun by itself"
        button(training, "start").click()
        reaches(training, 5)
        expect(said).not_to_contain_text("lost")
        is_drawn_again(quiz)
        assert (quiz.url, quiz.locator(".st-key-words").inner_text()) == question
        quiz.get_by_role("button", name="Next question").click()
        expect(quiz.locator(".st-key-quiz")).to_contain_text(WORDS("question_of", number=2, all=5))
