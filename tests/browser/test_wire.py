"""The labs' own socket in a real browser: what goes over it, and that nothing is lost with it."""

import json
import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.server import worker
from tests.browser.looking import (
    MORE,
    PATIENT,
    SPY,
    answered,
    asked,
    backward_is_at,
    box_of,
    cells,
    control,
    edge,
    exact,
    is_at_step,
    next_button,
    open_drawers,
    ready,
    says,
    silent,
    to_lesson,
    trains,
)
from tests.browser.test_training import button, done, reaches
from tests.conftest import OpenPage
from tests.support.browser import PATIENCE
from tests.support.present import present
from tests.support.server import Server

pytestmark = pytest.mark.browser

LESSON = "/stop_gradient?lesson=right_place"
LOST, RUN_LOST = says("connection_lost"), present(worker.LOST.refusal)[1]
# What a browser says of a server that is not there.
GONE = re.compile(
    r"WebSocket|ERR_|DoInitPings timed out|Connection timed out|Failed to load resource"
    r"|Client Error in reaching|server is not responding|when disconnected from server"
)


Visit = Callable[[str], Page]


@pytest.fixture
def visit(open_page: OpenPage) -> Visit:
    """Pages of visitors whose server may go: that it is gone is no error of theirs."""

    def visit(url: str) -> Page:
        return with_drawers(open_page(url, height=1400, script=PATIENT + SPY, expected=GONE))

    return visit


def scriptless(page: Page) -> dict[str, list[str]]:
    """Wait until Streamlit has nothing more to say, and count from here; what was sent before."""
    silent(page)
    return dict(page.evaluate("[sent, (window.sent = {}), (window.came = {})][0]"))


def count(page: Page) -> dict[str, int]:
    """What went over each socket, both ways, since then."""
    found: dict[str, int] = page.evaluate(
        """Object.fromEntries(["stream", "labs"].map((name) =>
          [name, (sent[name]?.length ?? 0) + (came[name] ?? 0)]))"""
    )
    return found


def with_drawers(page: Page) -> Page:
    """The same page, with the drawers open that the tests read."""
    return open_drawers(ready(page), "table", "code", MORE)


def cut(page: Page, name: str) -> None:
    expect(edge(page, name)).to_have_attribute("role", "button")  # it is no longer covered
    edge(page, name).focus()
    page.keyboard.press("Enter")
    expect(edge(page, name)).to_have_attribute("aria-pressed", "true")


# --- no script is run for what a lab does ---


def test_a_drag_and_a_cut_run_no_script_and_text_and_code_follow(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(f"{app.url}{LESSON}&step=3", height=1800, script=SPY))
    asked_first = [one.split(" ")[1] for one in scriptless(page)["labs"]]
    assert asked_first == ["ask"], "a page asks once for what it shows at first"
    with_drawers(page)
    number = page.locator('.st-key-words [data-number="true_gradient_deviation:.2g"]')
    before = number.inner_text()
    address = page.url
    slider = control(page, "noise_high", "input[type=range]")
    slider.scroll_into_view_if_needed()
    box = box_of(slider)

    def move(share: float) -> None:
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        page.wait_for_timeout(30)

    move(0.5)
    page.mouse.down()
    far = time.monotonic() + PATIENCE  # a busy machine answers fewer moves
    while count(page)["labs"] <= 10 and time.monotonic() < far:
        move(0.6)
        move(0.9)
    expect(number).not_to_have_text(before)
    assert page.url == address, "the address is written on release"
    page.mouse.up()
    answered(page)
    page.wait_for_function("location.search.includes('noise_high')")
    code = page.locator(".gt-code")
    expect(code).not_to_contain_text("cut(")
    cut(page, "sqrt_1:0")
    expect(code).to_contain_text("cut(right_place, [('sqrt_1', 0)])")
    expect(page.locator("[data-table] tbody tr").first.locator("td").nth(3)).to_have_text("0")
    answered(page)
    went = count(page)
    assert went["labs"] > 10
    assert went["stream"] == 0, "a script was run"


def test_a_training_runs_no_script_and_another_step_begins_none_by_itself(
    app: Server, open_page: OpenPage
) -> None:
    url = f"{app.url}/reversal?lesson=moons&step=3&seeds=4&steps=20000"
    page = trains(ready(open_page(url, height=1400, script=SPY)))
    expect(button(page, "start")).to_be_visible()
    scriptless(page)
    said = page.locator('.st-key-words [data-number^="step:"]').first
    button(page, "start").click()
    reaches(page, 12)
    assert int(said.inner_text()) >= 12
    went = count(page)
    assert went["labs"] > 4
    assert went["stream"] == 0, "a script was run"
    next_button(page).click()
    is_at_step(page, 4)
    expect(button(page, "start")).to_be_visible()
    page.wait_for_timeout(1000)  # in which it would have begun
    assert done(page) == 0


# --- the socket breaks ---


def test_a_socket_that_breaks_is_opened_again_and_nothing_is_lost(bare: str, visit: Visit) -> None:
    page = visit(f"{bare}{LESSON}&step=3&at=2")
    cut(page, "sqrt_1:0")
    answered(page)
    place = page.locator(".gl-place").inner_text()
    for turn, value in enumerate(("1.9", "1.8")):
        page.evaluate("window.broken = sockets.labs; broken.close()")
        exact(page, "noise_high").fill(value)
        page.wait_for_function(f"location.search.includes('noise_high={value}')")
        assert page.evaluate("sockets.labs !== broken && sockets.labs.readyState === 1")
        expect(page.locator(".gl-notes")).not_to_contain_text(LOST)
        expect(edge(page, "sqrt_1:0")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".gl-place")).to_have_text(place)
        assert asked(page)["cuts"] == "sqrt_1:0", turn


def test_what_was_refused_can_be_asked_again(bare: str, open_page: OpenPage) -> None:
    page = with_drawers(open_page(f"{bare}{LESSON}&step=3", script=SPY))
    page.evaluate("""() => {
      const socket = sockets.labs;
      socket.send = (text) => {
        delete socket.send;
        const data = JSON.stringify({ seq: parseInt(text), kind: "refused", text: "Try again." });
        setTimeout(() => socket.dispatchEvent(new MessageEvent("message", { data })));
      };
    }""")
    exact(page, "noise_high").fill("1.9")
    expect(page.locator(".gl-notes")).to_contain_text("Try again.")
    count = page.evaluate("sent.labs.length")
    page.evaluate("placed()")  # the page is drawn anew, and the hand rests
    assert page.evaluate("sent.labs.length") == count
    exact(page, "noise_high").fill("1.9")
    page.wait_for_function("location.search.includes('noise_high=1.9')")
    expect(page.locator(".gl-notes")).not_to_contain_text("Try again.")


def test_who_is_offline_is_told_and_goes_on_where_they_were(app: Server, visit: Visit) -> None:
    page = visit(f"{app.url}{LESSON}&step=3")
    before = cells(page)
    page.context.set_offline(True)
    expect(page.locator(".gl-notes")).to_contain_text(LOST)
    control(page, "x").fill("4")
    page.wait_for_timeout(1000)
    assert cells(page) == before
    page.context.set_offline(False)
    page.wait_for_function("location.search.includes('x=4')")
    assert [row[0] for row in cells(page)] == ["4"]
    expect(page.locator(".gl-notes")).not_to_contain_text(LOST)
    next_button(page).click()
    is_at_step(page, 4)


def test_a_training_goes_on_after_its_socket_broke(bare: str, visit: Visit) -> None:
    page = trains(visit(f"{bare}/reversal?lesson=moons&step=3&seeds=4&steps=20000"))
    button(page, "start").click()
    reaches(page, 5)
    page.evaluate("sockets.labs.close()")
    before = done(page)
    reaches(page, before + 5)
    button(page, "pause").click()
    expect(page.locator(".gl-trainer .gl-trained")).not_to_contain_text("lost")
    assert done(page) > before


def test_a_run_that_met_a_mistake_of_ours_is_over_and_another_begins(
    bare: str, visit: Visit
) -> None:
    page = trains(visit(f"{bare}/reversal?lesson=moons&step=3&seeds=4&steps=20000"))
    button(page, "start").click()
    reaches(page, 5)
    button(page, "pause").click()
    expect(page.locator(".gl-trainer")).to_have_attribute("data-state", "paused")
    aside = json.dumps({"seq": 0, "kind": "failed", "text": RUN_LOST})
    heard = "data => sockets.labs.dispatchEvent(new MessageEvent('message', { data }))"
    page.evaluate(heard, aside)
    expect(page.locator(".gl-notes")).to_contain_text(RUN_LOST)
    button(page, "start").click()
    expect(page.locator(".gl-notes")).not_to_contain_text(RUN_LOST)
    reaches(page, 5)


# --- left and come back to ---


def test_a_lesson_that_is_come_back_to_is_as_it_was_left_and_a_teacher_s_link_has_it(
    app: Server, open_page: OpenPage
) -> None:
    page = with_drawers(open_page(f"{app.url}{LESSON}&step=3", script=SPY))
    exact(page, "noise_high").fill("1.7")
    control(page, "x").fill("-3, 0.5")
    cut(page, "sqrt_1:0")
    answered(page)
    page.get_by_text(says("step_by_step")).click()
    backward_is_at(page, 1, of=4)  # opened, it goes to the first step, a moment later
    page.keyboard.press("End")
    backward_is_at(page, 4, of=4)
    page.locator(".gl-stepper").get_by_role("button", name=says("back")).click()
    page.wait_for_function("/cuts=sqrt_1:0&at=3/.test(location.search)")
    left, rows = asked(page), cells(page)

    to_lesson(page, "The place that works")
    page.wait_for_url("**/stop_gradient?*")
    with_drawers(page)
    is_at_step(page, 3)
    expect(exact(page, "noise_high")).to_have_value("1.7")
    expect(edge(page, "sqrt_1:0")).to_have_attribute("aria-pressed", "true")
    backward_is_at(page, 3, of=4)
    assert cells(page) == rows
    page.wait_for_function("location.search.includes('noise_high')")
    assert asked(page) == left
