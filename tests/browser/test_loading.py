"""While a page loads no text shows before it is whole, however late its pieces come."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.looking import PATIENT, ran
from tests.support.amount import also
from tests.support.browser import new_page
from tests.support.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A first visit, on a phone: each piece of Streamlit's script has yet to come."""
    page = new_page(browser, viewport={"width": 390, "height": 844})
    yield page
    page.close()


FAIL = """(main) => {
  const error = document.createElement("div");
  error.className = "stException";
  main.append(error);
}"""


@pytest.mark.parametrize("fails", [False, *also(True)])
def test_a_text_shows_once_its_last_script_has_come_or_an_error_has(
    app: Server, page: Page, fails: bool
) -> None:
    page.add_init_script(PATIENT)
    waiting: list[Route] = []
    # What a lesson's title is made of.
    page.route("**/static/js/Html*", lambda route: waiting.append(route))
    page.goto(app.url + "/reversal?lesson=flip", wait_until="commit")
    page.wait_for_selector(".st-key-turn p", state="attached")
    ran(page)
    page.wait_for_timeout(300)
    whole = page.locator("html")
    assert (waiting != [], whole.get_attribute("data-whole")) == (True, "false")
    if fails:
        page.locator(".stMainBlockContainer").evaluate(FAIL)
    else:
        for route in waiting:
            route.continue_()
    expect(whole).to_have_attribute("data-whole", "true")


# Nobody's patience with a whole page ends; with a font's it does.
ONE_PAGE = """
const later = window.setTimeout;
window.setTimeout = (work, ms, ...more) => (ms === 6000 ? 0 : later(work, ms, ...more));
"""


def test_a_font_that_never_comes_is_waited_for_once(app: Server, page: Page) -> None:
    page.add_init_script(ONE_PAGE)
    page.route("**/*.woff2", lambda route: None)
    page.goto(app.url + "/reversal?lesson=flip", wait_until="commit")
    expect(page.locator("html")).to_have_attribute("data-whole", "true")
