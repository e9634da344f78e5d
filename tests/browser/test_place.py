"""A place on a map is chosen with the mouse: two controls follow, and the paths from there."""

import re

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


def start(page: Page) -> tuple[float, float]:
    w, b = (page.locator(f"[data-control={name}] .gl-exact").input_value() for name in ("w", "b"))
    return float(w), float(b)


def over(page: Page, right: float, down: float) -> tuple[float, float]:
    """Pixels of a place on the map, as shares of it from its upper left corner."""
    area = page.locator("[data-figure=map] .nsewdrag").bounding_box()
    return area["x"] + right * area["width"], area["y"] + down * area["height"]


def settled(page: Page) -> None:
    page.wait_for_function("/[?&]w=.*[?&]b=/.test(location.search)", timeout=20_000)


def test_a_click_sets_both_weights_and_the_address(bare, open_page):
    page = shown(open_page(bare + LESSON, height=1400))
    table = page.locator("[data-figure=map] .gl-plot").get_attribute("aria-label")
    page.mouse.click(*over(page, 0.25, 0.5))
    settled(page)
    w, b = start(page)
    assert w == pytest.approx(4.0, abs=0.05)
    assert b == pytest.approx(-2.5, abs=0.05)
    label = page.locator("[data-figure=map] .gl-plot").get_attribute("aria-label")
    assert label != table
    assert re.search(rf"From w {w:g}, b −{-b:g}", label)


def test_the_start_follows_a_mouse_that_is_held_down_and_stays_on_the_map(bare, open_page):
    page = shown(open_page(bare + LESSON, height=1400))
    zoom = "document.querySelector('[data-figure=map] .gl-plot')._fullLayout.xaxis.range"
    before = page.evaluate(zoom)
    query = page.evaluate("location.search")
    mark = "[data-figure=map] .scatterlayer .trace .point"
    before_drag = page.locator(mark).get_attribute("transform")
    page.mouse.move(*over(page, 0.2, 0.3))
    page.mouse.down()
    first = start(page)
    for step in range(1, 9):
        page.mouse.move(*over(page, 0.2 + 0.05 * step, 0.3 + 0.05 * step))
        page.wait_for_timeout(60)
    assert start(page) > first
    assert page.evaluate("location.search") == query, "the address is written on release"
    page.wait_for_function(
        "([mark, seen]) => document.querySelector(mark).getAttribute('transform') !== seen",
        arg=[mark, before_drag],
    )
    x, y = over(page, 0.5, 0.5)
    page.mouse.move(x + 2000, y)
    page.mouse.up()
    settled(page)
    assert start(page)[0] == 7.0, "beyond the edge is the edge"
    assert page.evaluate(zoom) == before


def test_a_control_that_a_link_holds_is_not_moved(bare, open_page):
    page = shown(open_page(bare + LESSON + "&fix=w", height=1400))
    w, _ = start(page)
    page.mouse.click(*over(page, 0.75, 0.75))
    page.wait_for_function("location.search.includes('b=')")
    assert start(page) == (w, pytest.approx(-3.0, abs=0.05))


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
