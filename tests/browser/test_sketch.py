"""A prediction that is drawn: by mouse, finger and keyboard, and what is said to it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.outputs.catalogue import find
from pages.ui.words import WORDS
from tests.browser.looking import PATIENT, box_of, ran, says
from tests.conftest import OpenPage
from tests.support.present import present
from tests.support.server import Server

pytestmark = pytest.mark.browser

PREDICT = "/stop_gradient?lesson=wrong_place&step=2"
LESSON = find("wrong_place")
SKETCH = LESSON.sketch(present(LESSON.prose.steps[1].question))


def ready(page: Page) -> Page:
    """The sketch is drawn; its button waits for a stroke."""
    page.locator(".gt-knob").first.wait_for()
    expect(commit_button(page)).to_be_disabled()
    expect(page.get_by_text(says("draw_first"))).to_be_visible()
    ran(page)
    return page


def commit_button(page: Page) -> Locator:
    return page.get_by_role("button", name=says("commit_sketch"))


def standing(page: Page) -> list[float]:
    handles = page.locator(".gt-knob")
    numbers = [one.get_attribute("aria-valuenow") for one in handles.all()]
    return [float(present(number)) for number in numbers]


def place(page: Page, index: int, y: float) -> tuple[float, float]:
    """Where in the window handle ``index`` would stand at this value."""
    lines = page.locator(".gt-sketch-chart .gt-zero, .gt-sketch-chart .gt-grid[y1]")
    chart = page.locator(".gt-sketch-chart")
    box = box_of(chart)
    scale = box["height"] / float(present(chart.get_attribute("viewBox")).split()[3])
    ends = [lines.nth(i).evaluate("line => line.y1.baseVal.value") for i in range(lines.count())]
    low, high = max(ends), min(ends)
    up = low + (y - SKETCH.low) / (SKETCH.high - SKETCH.low) * (high - low)
    handle = box_of(page.locator(".gt-knob").nth(index))
    return handle["x"] + handle["width"] / 2, box["y"] + up * scale


def commit(page: Page) -> None:
    commit_button(page).click()
    page.locator(".gt-sketch-chart.gt-still").wait_for()


def test_drawn_in_one_stroke_of_the_mouse_a_belief_is_told_from_what_is_so(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + PREDICT, script=PATIENT))
    box = box_of(commit_button(page))
    assert box["y"] + box["height"] <= 800, "the button is in sight"
    page.mouse.move(*place(page, 0, -1))
    page.mouse.down()
    for index, y in ((3, -1), (4, 1), (7, 1)):
        page.mouse.move(*place(page, index, y), steps=8)
    page.mouse.up()
    assert standing(page) == pytest.approx([-1] * 4 + [1] * 4, abs=0.2)
    commit(page)
    wrong = page.locator(".st-key-reply_wrong")
    expect(wrong).to_contain_text(WORDS("your_sketch", answer="The intended gradient"))
    expect(wrong).to_contain_text("0 of 8 handles")
    expect(wrong).to_contain_text(gap := re.compile(r"off by up to (1|0\.9\d?|1\.[12]) at x = "))
    expect(page.locator(".gt-sketch .gl-key")).to_contain_text(gap)
    expect(page.locator(".gt-still .gt-gap")).to_be_visible()
    expect(wrong.locator("p").first).to_be_in_viewport()
    expect(page.locator(".st-key-verdict")).to_be_focused()
    expect(page.locator(".st-key-words h2")).to_contain_text("the reciprocal of the noise factor")
    alt = present(page.locator(".gt-still").get_attribute("aria-label"))
    assert re.search(r"x = −2\.4: you −(1|0\.9|1\.1), gradient autograd gives −2;", alt)
    page.get_by_text(WORDS("sketch_as_numbers")).click()
    expect(page.get_by_role("table").get_by_role("row").nth(1)).to_contain_text("−2.4")


def test_beside_the_handles_a_finger_draws_only_across(app: Server, open_page: OpenPage) -> None:
    page = ready(open_page(app.url + PREDICT, width=390, height=640))
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def swipe(*places: tuple[float, float]) -> None:
        kinds = ["touchStart", *["touchMove"] * (len(places) - 1)]
        for kind, (x, y) in zip(kinds, places, strict=True):
            touch.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    text = box_of(page.locator(".st-key-words"))
    swipe(*[place(page, index, 1.5) for index in (1, 2, 3)])
    assert box_of(page.locator(".st-key-words")) == text, "the hint leaves, and nothing moves"
    assert standing(page) == pytest.approx([0, 1.5, 1.5, 1.5, 0, 0, 0, 0], abs=0.2)
    swipe(place(page, 6, -1.5))
    assert standing(page)[6] == pytest.approx(-1.5, abs=0.2), "a tap"
    drawn = standing(page)
    x, y = place(page, 4, -1.5)
    expect(page.locator(".gt-sketch-chart")).to_have_css("touch-action", "pan-y")
    swipe(*((x, y - up) for up in range(0, 180, 20)))
    assert standing(page) == drawn
    touch.detach()  # or other tests' mice are fingers, too


def test_a_finger_on_a_handle_does_not_scroll_and_the_keyboard_goes_on(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + PREDICT, width=390, height=844))
    page.locator(".gt-sketch-chart").scroll_into_view_if_needed()
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    top = page.locator(".stMain").evaluate("main => main.scrollTop")

    def send(kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", *place(page, 5, 0.0))
    for y in (0.5, 1.0, 1.5, 2.0):
        send("touchMove", *place(page, 5, y))
    send("touchEnd")
    touch.detach()
    assert standing(page) == pytest.approx([0, 0, 0, 0, 0, 2, 0, 0], abs=0.2)
    assert page.locator(".stMain").evaluate("main => main.scrollTop") == top
    box = box_of(page.locator(".gt-sketch-chart"))
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390

    # By keyboard alone all of it is drawn right, and a reload keeps it.
    page.locator(".gt-knob").first.focus()
    for index in range(len(SKETCH.x)):
        handle = page.locator(".gt-knob").nth(index)
        expect(handle).to_be_focused()
        end, way = ("Home", "Up") if index < 4 else ("End", "Down")
        for key in (end, *([f"Arrow{way}"] * 10 if index % 4 == 0 else [f"Page{way}"])):
            page.keyboard.press(key)
        expect(handle).to_have_attribute("aria-valuetext", "−2" if index < 4 else "2")
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-reply_right")).to_contain_text(WORDS("your_sketch", answer=""))
    expect(page.locator(".st-key-reply_right")).to_contain_text("8 of 8 handles")
    page.wait_for_function(r"/:g\w*=1/.test(document.cookie)")
    page.reload()
    page.locator(".gt-still").wait_for()
    expect(page.locator(".st-key-reply_right")).to_contain_text("8 of 8 handles")
