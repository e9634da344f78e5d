"""A place is never lost: what is newest wins, whether the address, the cookie or the page has it.

A teacher's link stands in the address that a page was opened with, which Streamlit's browser side
sends along again and again.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import asked, cells, control, ready
from tests.browser.test_wire import (
    Mortal,
    answered,
    commit,
    cut,
    exact,
    is_at_step,
    is_drawn_anew,
    next_button,
    visit,
)

__all__ = ["visit"]  # a fixture
pytestmark = pytest.mark.browser

LINK = "/stop_gradient?lesson=right_place&step=2&noise_high=1.7&x=-3,0.5&hide=draws&fix=noise_low"
BRIEF = 1
"""Seconds that the server keeps the session of who is away; two minutes where nobody says else."""


@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    with ExitStack() as stack:
        yield Mortal(stack, server_disconnectedSessionTTL=BRIEF)


def is_as_it_was(page: Page, left: dict[str, str]) -> None:
    is_at_step(page, 3)
    assert asked(page) == left
    expect(exact(page, "noise_high")).to_have_value("1.2")
    expect(control(page, "draws")).to_be_hidden()
    expect(exact(page, "noise_low")).to_be_disabled()
    assert [row[0] for row in cells(page)] == ["−3", "0.5"]
    assert {row[3] for row in cells(page)} == {"0"}, "it is cut"


def moved_on(page: Page) -> dict[str, str]:
    """Answer the step of the link, go to the next, set things there; the address then."""
    commit(page, 1)
    next_button(page).click()
    is_at_step(page, 3)
    exact(page, "noise_high").fill("1.2")
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
    page.get_by_role("button", name="← Back").click()
    is_at_step(page, 2)
    expect(page.get_by_text("You said:")).to_be_visible()
    page.wait_for_function("location.search.includes('step=2')")
    assert asked(page)["noise_high"] == "1.2"


def goes_and_comes(mortal: Mortal, page: Page) -> None:
    """The server is killed and started again, and the page is drawn by the new one."""
    page.evaluate("window.came = {}")
    mortal.kill()
    page.wait_for_timeout(2000)
    mortal.start()
    is_drawn_anew(page)


def test_a_server_that_is_killed_and_started_again(mortal, visit):
    page = visit(mortal.url + LINK)
    left = moved_on(page)
    goes_and_comes(mortal, page)
    all_is_there(page, left)


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


def test_a_step_that_was_gone_to_is_in_the_address_before_the_lab_has_answered(mortal, visit):
    page = visit(mortal.url + LINK)
    page.evaluate("lines.labs.send = () => {}")
    next_button(page).click()
    is_at_step(page, 3)
    goes_and_comes(mortal, page)
    page.wait_for_timeout(1000)
    is_at_step(page, 3)
    assert asked(page)["step"] == "3"


def test_a_link_that_is_opened_once_more_is_newer_than_all_that_was_done(mortal, visit):
    page = visit(mortal.url + LINK)
    moved_on(page)
    for go in (page.goto, page.context.new_page().goto):
        go(mortal.url + LINK)
        page = page.context.pages[-1] if go != page.goto else page
        ready(page)
        is_at_step(page, 2)
        expect(page.get_by_text("You said:")).to_be_visible()
        expect(exact(page, "noise_high")).to_have_value("1.7")
        assert asked(page)["noise_high"] == "1.7"
        assert "cuts" not in asked(page)


def test_what_another_tab_did_meanwhile_is_not_undone_by_one_that_comes_back(mortal, visit):
    page = visit(mortal.url + LINK)
    commit(page, 1)
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    next_button(other).click()
    is_at_step(other, 3)
    cookie = "document.cookie.match(/right_place:(\\d+)/)?.[1]"
    other.wait_for_function(f"{cookie} === '3'")
    goes_and_comes(mortal, page)
    page.wait_for_timeout(1000)
    is_at_step(page, 2)
    is_at_step(other, 3)
    assert page.evaluate(cookie) == "3", "who came back has done nothing"
