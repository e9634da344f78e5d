"""What a learner sees where the charts' script does not come."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looking import MORE, control, open_drawers, rows, says
from tests.support.browser import new_context
from tests.support.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Not of `open_page`: here an error in the console is expected."""
    context = new_context(browser, viewport={"width": 1280, "height": 800}, bypass_csp=True)
    context.route("**/plotly-*.js", lambda route: route.abort())
    yield context.new_page()
    context.close()


def test_a_note_says_that_charts_are_missing_and_the_rest_works(app: Server, page: Page) -> None:
    page.goto(app.url + "/stop_gradient?lesson=wrong_place")
    note = page.locator(".gl-notes .gl-note", has_text=says("charts_missing"))
    expect(note).to_have_count(1)
    before = rows(page)
    open_drawers(page, MORE)
    control(page, "x").fill("3, 4")
    page.wait_for_function("location.search.includes('x=')")
    assert rows(page) != before
    expect(note).to_have_count(1)
