"""A page in a real browser, with the detector that says when something on it was painted."""

from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from lessons.contract.lesson import Lesson
from tests.bench.shared import everything_answered
from tests.browser.looking import open_drawers, ready

VIEWPORT: ViewportSize = {"width": 1280, "height": 2000}  # tall enough to have a whole lab in view
SIZE = f"{VIEWPORT['width']}×{VIEWPORT['height']} pixels, headless."
DETECTOR = Path(__file__).with_name("painted.js").read_text(encoding="utf-8")


def opened(
    browser: Browser | BrowserContext,
    url: str,
    *drawers: str,
    lesson: Lesson | None = None,
    script: str = "",
) -> Page:
    """Open a page, and these drawers of its lab, as a learner who has answered all of a lesson.

    Args:
        script: runs before the page's own scripts.
    """
    page = browser.new_page()
    page.set_viewport_size(VIEWPORT)
    if lesson:
        name, value = everything_answered(lesson)
        page.context.add_cookies([{"name": name, "value": value, "url": url}])
    page.add_init_script(script)
    page.goto(url)
    page.evaluate(DETECTOR)
    if drawers:
        open_drawers(ready(page), *drawers)
    return page


def pressed(page: Page, key: str, *selectors: str) -> float:
    """Press a key; return the milliseconds until all of these have changed and are painted."""
    page.evaluate("all => { window.times = painted.pressToPaint(all) }", selectors)
    page.keyboard.press(key)
    page.wait_for_timeout(250)  # so that cleaning up after it doesn't count as the next press
    return float(max(page.evaluate("window.times").values()))
