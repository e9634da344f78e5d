"""The text of a lesson as it is read: beside the part of the lab it speaks of, and not cut off."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import LAB, look

pytestmark = pytest.mark.browser

CODE = ".gt-code.gt-wrap, .stMarkdown .stCode pre"


def sideways(page: Page) -> list[str]:
    """The code blocks that can only be read by scrolling sideways, by their first line."""
    return page.evaluate(
        """blocks => [...document.querySelectorAll(blocks)]
            .filter(one => one.scrollWidth > one.clientWidth + 1)
            .map(one => one.innerText.split("\\n")[0])""",
        CODE,
    )


def test_the_text_stays_beside_a_graph_that_the_page_has_scrolled_to(app, open_page):
    page = open_page(f"{app.url}/clipping?lesson=where_to_clip&step=3")
    page.wait_for_selector(LAB)
    page.get_by_role("button", name="Skip the question").click()
    title = page.get_by_role("heading", name="Predict: in the graph")
    expect(title).to_be_visible()
    expect(page.locator(".gl-outlined")).to_be_in_viewport(ratio=0.6)
    expect(title).to_be_in_viewport()
    expect(page.get_by_role("button", name="Commit to this number")).to_be_in_viewport()


@pytest.mark.parametrize(
    "address",
    [
        "/reversal?lesson=two_players&step=5",  # a bug whose code has long names
        # Code in the text.
        pytest.param("/override_map?lesson=type_not_name&step=1", marks=pytest.mark.long),
    ],
)
def test_no_code_beside_a_lab_has_to_be_scrolled_sideways(app, open_page, address):
    page = open_page(app.url + address)
    page.wait_for_selector(LAB)
    page.locator(CODE).first.wait_for()
    for width in (1280, 390):
        look(page, width, "light")
        assert sideways(page) == [], width
