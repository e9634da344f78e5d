"""A place on a map is chosen while it trains; tests/browser/test_drag.py chooses one at rest."""

import pytest
from playwright.sync_api import Page

from tests.browser.looking import open_drawers, ready, trains

pytestmark = pytest.mark.browser

LESSON = "/clipping?lesson=cliff&step=4&seeds=1&path=20"


def shown(page: Page) -> Page:
    """The same page with the map and its two settings, once it trains."""
    open_drawers(trains(ready(page)), "Map", "More settings")
    page.locator("[data-figure=map] .nsewdrag").wait_for()
    page.locator("[data-figure=map]").scroll_into_view_if_needed()
    return page


def over(page: Page, right: float, down: float) -> tuple[float, float]:
    """Pixels of a place on the map, as shares of it from its upper left corner."""
    area = page.locator("[data-figure=map] .nsewdrag").bounding_box()
    return area["x"] + right * area["width"], area["y"] + down * area["height"]


def settled(page: Page) -> None:
    page.wait_for_function("/[?&]w=.*[?&]b=/.test(location.search)", timeout=20_000)


@pytest.mark.long
def test_limits_and_start_are_moved_while_the_descents_run(bare, open_page):
    page = shown(open_page(bare + LESSON.replace("seeds=1&", ""), height=1400))
    page.evaluate("""() => {
        window.moved = window.taken = 0;
        const figure = document.querySelector("[data-figure=shares]");
        new MutationObserver((changes) => {
          if ("behind" in figure.dataset) window.moved += changes.length;
          else window.taken += 1;
        }).observe(figure, { attributeFilter: ["data-behind"] });
    }""")
    steps = "document.querySelector('.gl-progress').value"
    page.locator(".gl-trainer .gl-go").click()
    page.wait_for_function(f"{steps} >= 5", timeout=60_000)
    entry = page.locator("[data-control=norm_limit] .gl-exact")
    entry.fill("0.2")
    entry.press("Enter")
    page.mouse.click(*over(page, 0.5, 0.25))
    settled(page)
    before = page.evaluate(steps)
    page.wait_for_function(f"{steps} > {before + 5}", timeout=60_000)
    page.locator(".gl-trainer .gl-go").click()
    page.wait_for_timeout(600)
    assert 5 < page.evaluate(steps) < 300
    assert "norm_limit=0.2" in page.url
    # Curves that grow are moved without Plotly; it draws once more when there is time.
    assert page.evaluate("window.moved") > 5
    assert page.evaluate("window.taken") <= 3
