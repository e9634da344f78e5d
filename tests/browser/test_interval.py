"""The slider with two handles, in the playground: by mouse, keyboard and finger."""

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.labs.words import WORDS
from tests.browser.looking import SPY, answered, box_of, control, exact, ready, rested
from tests.browser.test_drag import swipe
from tests.browser.test_playground import FIRST, program
from tests.conftest import OpenPage
from tests.support.present import present

pytestmark = pytest.mark.browser

NAME = "in.u.ends"


@pytest.fixture
def page(bare: str, open_page: OpenPage) -> Page:
    return ready(open_page(bare + "/playground", script=SPY))


def handles(page: Page) -> list[Locator]:
    names = WORDS("low_of", name="u"), WORDS("high_of", name="u")
    return [page.get_by_role("slider", name=name, exact=True) for name in names]


def place(page: Page, value: float) -> tuple[float, float]:
    """Where a handle is in the window when it says this number."""
    bar = handles(page)[0]
    box = box_of(control(page, NAME, ".gl-ends"))
    thumb = float(
        bar.evaluate("one => parseFloat(getComputedStyle(one).getPropertyValue('--gl-thumb'))")
    )
    low, high = (float(present(bar.get_attribute(name))) for name in ("min", "max"))
    along = thumb / 2 + (box["width"] - thumb) * (value - low) / (high - low)
    return box["x"] + along, box["y"] + box["height"] / 2


def shows(page: Page, low: float, high: float) -> None:
    """The numbers, to what a pixel is worth."""
    numbers = [float(one) for one in exact(page, NAME).input_value().split(", ")]
    assert numbers == pytest.approx([low, high], abs=0.03)


def test_a_mouse_drags_either_handle_up_to_the_other_and_undo_takes_a_drag_back(page: Page) -> None:
    control(page, NAME, ".gl-ends").scroll_into_view_if_needed()
    page.mouse.move(*place(page, -1))
    page.mouse.down()  # on the track: the nearer handle comes
    shows(page, -1, 1.1)
    page.mouse.move(*place(page, 1), steps=3)
    page.mouse.move(*place(page, 1.9), steps=3)
    expect(exact(page, NAME)).to_have_value("1.1, 1.1")
    page.mouse.up()
    expect(program(page)).to_have_value(FIRST.replace("0.9", "1.1"))
    answered(page)
    # Of two handles at one place it is the one that can go there.
    page.mouse.move(*place(page, 1.1))
    page.mouse.down()
    page.mouse.move(*place(page, 1.5), steps=3)
    page.mouse.up()
    shows(page, 1.1, 1.5)
    answered(page)
    undo = page.get_by_role("button", name=WORDS("undo"))
    for numbers in ("1.1, 1.1", "0.9, 1.1"):
        undo.click()
        expect(exact(page, NAME)).to_have_value(numbers)
        answered(page)
    expect(undo).to_have_attribute("aria-disabled", "true")


def test_keys_move_the_handle_that_has_the_focus_and_undo_takes_the_last_one_back(
    page: Page,
) -> None:
    low, high = handles(page)
    exact(page, NAME).focus()
    page.keyboard.press("Shift+Tab")
    expect(high).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(low).to_be_focused()
    for key, numbers in (("ArrowRight", "0.91"), ("Home", "-2"), ("ArrowUp", "-1.99")):
        page.keyboard.press(key)
        expect(exact(page, NAME)).to_have_value(f"{numbers}, 1.1")
        expect(low).to_have_attribute("aria-valuetext", numbers)
    ends, pictures = control(page, NAME, ".gl-ends"), set()
    for one in (low, high, exact(page, NAME)):
        one.focus()
        pictures.add(ends.screenshot())
    assert len(pictures) == 3, "the ring is around the handle that has the focus"
    low.focus()
    page.keyboard.press("End")
    expect(exact(page, NAME)).to_have_value("1.1, 1.1")
    answered(page)
    high.press("ArrowUp")
    page.get_by_role("button", name=WORDS("undo")).click()
    expect(exact(page, NAME)).to_have_value("1.1, 1.1")


def test_a_normal_noise_has_a_handle_for_its_mean_and_one_for_its_deviation(page: Page) -> None:
    program(page).fill(FIRST.replace("uniform(0.9, 1.1", "normal(0.5, 1"))
    program(page).press("Control+Enter")
    names = WORDS("mean_of", name="u"), WORDS("deviation_of", name="u")
    mean, deviation = (page.get_by_role("slider", name=name, exact=True) for name in names)
    for bar, key, numbers in (
        (deviation, "ArrowRight", "0.5, 1.01"),
        (mean, "ArrowLeft", "0.49, 1.01"),
        (mean, "End", "1.99, 1.01"),
        (deviation, "Home", "1.99, 0"),
    ):
        bar.press(key)
        expect(exact(page, NAME)).to_have_value(numbers)
    expect(program(page)).to_have_value(FIRST.replace("uniform(0.9, 1.1", "normal(1.99, 0"))


def test_a_finger_scrolls_over_the_track_and_drags_a_handle(bare: str, phone: Page) -> None:
    phone.goto(bare + "/playground")
    ready(phone)
    exact(phone, NAME).fill("0.8, 1.1")
    exact(phone, NAME).press("Enter")
    rested(phone)
    ends = control(phone, NAME, ".gl-ends")
    ends.scroll_into_view_if_needed()
    assert box_of(ends)["height"] >= 44
    assert abs(swipe(phone, place(phone, -1), 3, 80)) > 30
    phone.touchscreen.tap(*place(phone, -1))
    expect(exact(phone, NAME)).to_have_value("0.8, 1.1")
    start, end = place(phone, 0.75), place(phone, 0)
    assert swipe(phone, start, end[0] - start[0], 2) == 0
    shows(phone, 0.05, 1.1)
