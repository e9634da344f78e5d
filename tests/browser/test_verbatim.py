"""Text of a visitor's own, in places that render Markdown, in a real browser."""

from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Page, Request

pytestmark = pytest.mark.browser

HOSTILE = [
    "![](//a.bc/p.png)",
    "[Click](//evil.com)",
    "https://evil.com a@evil.com www.evil.com",
    "<b>x</b><img src=//a.bc/p.png>",
    "$x^2$ :red[y] **z** `c`",
    ":smile: :streamlit: :material/home: ->",
]
PLACES = ["/glossary?term=", "/stop_gradient?lesson="]
BUILT = "a, img, b, strong, code, del, span, .katex"


def alert(page: Page):
    return page.get_by_test_id("stAlert").get_by_test_id("stMarkdownContainer")


def expect_said(page: Page, text: str) -> None:
    """Streamlit fetches what renders Markdown when it is first needed: the box is there before."""
    page.wait_for_function(
        """text => document.querySelector("[data-testid=stAlert]")?.innerText
            .replaceAll("\\u200c", "").includes(text)""",
        arg=text,
    )


@pytest.mark.parametrize("place", [PLACES[0], pytest.param(PLACES[1], marks=pytest.mark.long)])
def test_an_address_shows_as_it_came(app, open_page, place):
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page = open_page(app.url + "/glossary")
    page.on("request", note)
    for text in HOSTILE:
        page.goto(app.url + place + quote(text))
        expect_said(page, f"“{text}”")
        assert alert(page).locator(BUILT).count() == 0
    page.remove_listener("request", note)
    assert not {urlsplit(url).hostname for url in asked} & {"a.bc", "evil.com"}


def test_a_prediction_that_is_refused_shows_as_it_came(app, open_page):
    page = open_page(app.url + "/reversal?lesson=flip&step=4")
    field = page.get_by_role("textbox", name="Your answer")
    for text in HOSTILE:
        field.fill(text)
        page.get_by_role("button", name="Answer", exact=True).click()
        start = text if len(text) <= 24 else text[:23]
        expect_said(page, start)
        assert alert(page).locator(BUILT).count() == 0
