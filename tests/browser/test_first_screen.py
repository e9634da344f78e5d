"""The first screen of home and of every lesson: one stage, little to choose from, nothing jumps."""

import pytest
from playwright.sync_api import Browser, Page

from lessons.outputs.catalogue import lessons
from tests.browser.looking import (
    FOCUSABLE,
    SHIFTS,
    SPY,
    on,
    ran,
    ready,
)
from tests.conftest import OpenPage
from tests.support.amount import also
from tests.support.browser import new_page
from tests.support.server import Server

pytestmark = pytest.mark.browser

PLACES = {"home": "/"} | {one.slug: f"/{one.chapter}?lesson={one.slug}" for one in lessons()}
SIZES = (1280, 800), (390, 844)
OFTEN = [("home", *SIZES[0]), ("two_passes", *SIZES[1])]
SELDOM = [(name, *size) for name in PLACES for size in SIZES if (name, *size) not in OFTEN]
STEPS = {one.slug: len(one.prose.steps) for one in lessons()}
STAGES = """() => [...document.querySelectorAll(
    ".gl-drawing, .gl-stage > .gl-view:not(.gl-graph), .gl-drawers > *, .st-key-stage")]
  .filter((one) => one.checkVisibility())
  .map((one) => {
    const { top, bottom, height } = one.getBoundingClientRect();
    return (Math.min(bottom, innerHeight) - Math.max(top, 0)) / height;
  })"""

BELOW = """() => {
  const bar = document.querySelector(".st-key-turn")?.getBoundingClientRect().top;
  return [...document.querySelectorAll(".gl-head :is(.gl-control, .gl-trainer)")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().bottom > bar)
    .map((one) => one.textContent);
}"""
"""The controls in reach of the stage that are out of sight."""
NAMES = """() => Math.min(...[...document.querySelectorAll(".gl-svg")]
  .filter((one) => one.checkVisibility())
  .map((one) => (18 * one.getBoundingClientRect().width) / one.viewBox.baseVal.width), 99)"""
"""How large the names in a graph are, in pixels."""


def first_screen(page: Page, width: int, most: int = 20) -> None:
    """One stage is in sight, and there are at most so many things to choose from."""
    (share,) = page.evaluate(STAGES)
    assert share > 0.9, "all of it is in sight"
    found = page.evaluate(FOCUSABLE)
    assert len(found) <= most, found
    if width == 1280:
        assert page.evaluate(BELOW) == []
        assert page.evaluate("document.querySelector('.stMain').scrollHeight") <= 1500


@pytest.mark.parametrize(("name", "width", "height"), [*OFTEN, *also(*SELDOM)])
def test_one_stage_is_in_sight_with_little_to_choose_from_and_nothing_jumps(
    app: Server, browser: Browser, name: str, width: int, height: int
) -> None:
    # A first visit: each piece of Streamlit's script has yet to come.
    page = new_page(browser, viewport={"width": width, "height": height})
    page.add_init_script(SHIFTS)
    page.goto(app.url + PLACES[name])
    ready(page)
    ran(page)
    page.wait_for_timeout(500)  # what comes late
    first_screen(page, width, 30 if name == "home" else 20)
    shifts = page.evaluate("shifts")
    assert sum(value for value, pressed, _ in shifts if not pressed) <= 0.02, shifts
    page.close()


@pytest.mark.parametrize("slug", ["hooks", *also(*sorted(STEPS.keys() - {"hooks"}))])
def test_next_moves_little(app: Server, open_page: OpenPage, slug: str) -> None:
    page = ready(open_page(app.url + PLACES[slug], script=SHIFTS + SPY))
    ran(page)
    page.wait_for_timeout(500)  # what comes late
    first_screen(page, 1280)
    for step in range(2, STEPS[slug] + 1):
        page.evaluate("() => { shifts.length = 0; sent = {}; }")
        on(page, step)
        page.wait_for_timeout(500)
        shifts = page.evaluate("shifts")
        assert sum(value for value, *_ in shifts) <= 0.05, (step, shifts)
        asked = [text for text in page.evaluate("sent.labs ?? []") if " ask " in text]
        assert len(asked) <= 1, "it passes through no settings in between"
        assert page.evaluate(NAMES) >= 15, step
