"""The text of a lesson as it is read: beside the part of the lab it speaks of, and not cut off."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import becomes, look, ready

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
    page = ready(open_page(f"{app.url}/clipping?lesson=where_to_clip&step=3"))
    page.get_by_role("button", name="Skip the question").click()
    title = page.get_by_role("heading", name="A clip at h, in the graph")
    expect(title).to_be_visible()
    expect(page.locator(".gl-outlined")).to_be_in_viewport(ratio=0.6)
    expect(title).to_be_in_viewport()
    expect(page.get_by_role("button", name="Commit to this number")).to_be_in_viewport()


@pytest.mark.long
def test_another_page_begins_at_its_top_however_far_down_the_one_before_was_left(app, open_page):
    page = ready(open_page(f"{app.url}/in_the_wild?lesson=codebook"))
    scrolled = "document.querySelector('.stMain').scrollTop"
    titles = {"Course": "Course", "Flip": "gradient reversal layer", "← Reversal": "Course"}
    # As where the next page is drawn before the one before is gone: there is always room.
    page.add_style_tag(content=".stMain::after { content: ''; flex: none; height: 4000px }")
    page.goto(app.url + "/playground")
    ready(page)
    for name in titles:
        down = "main => (main.scrollTo(0, 600), main.scrollTop)"
        assert page.locator(".stMain").evaluate(down) == 600
        page.get_by_role("link", name=name).first.click()
        expect(page.locator("h1")).to_contain_text(titles[name])
        becomes(page, lambda: page.evaluate(scrolled), 0, name)
        page.wait_for_timeout(1000)  # in which it would go there again
        assert page.evaluate(scrolled) == 0, name


def test_the_code_in_a_step_comes_with_it(app, open_page):
    """Streamlit's own code block is a script that comes later and moves what stands below."""
    page = ready(open_page(f"{app.url}/stop_gradient?lesson=two_passes"))
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.locator(".st-key-next button").click()
    expect(page.locator(".st-key-words .gt-code")).to_contain_text("first = stop_gradient(x)")
    page.get_by_test_id("stRadio").wait_for()
    assert not [one for one in fetched if "SyntaxHighlighter" in one]


@pytest.mark.parametrize(
    "address",
    [
        "/reversal?lesson=two_players&step=5",  # a bug whose code has long names
        # Code in the text.
        pytest.param("/override_map?lesson=type_not_name&step=1", marks=pytest.mark.long),
    ],
)
def test_no_code_beside_a_lab_has_to_be_scrolled_sideways(app, open_page, address):
    page = ready(open_page(app.url + address))
    page.locator(CODE).first.wait_for()
    for width in (1280, 390):
        look(page, width, "light")
        becomes(page, lambda: sideways(page), [], width)
