"""The app in a real browser, as a learner uses it."""

import pytest
from playwright.sync_api import expect

from lessons.outputs.catalogue import find
from lessons.outputs.glossary import find_term, lessons_of, terms
from pages.ui.words import WORDS
from tests.browser.looking import SPY, is_at_step, on, ran, ready, says, silent, to_lesson
from tests.conftest import OpenPage
from tests.support.present import present
from tests.support.server import Server

pytestmark = pytest.mark.browser

LESSON = "/stop_gradient?lesson=wrong_place&step=3"


BACK_AND_FORWARD = """() => {
  addEventListener("popstate", () => {
    setTimeout(() => history.forward(), 30);
    addEventListener("popstate", () => (window.forward = true), { once: true });
  }, { once: true });
  history.back();
}"""


def test_back_leads_to_the_step_before_and_at_last_out_of_the_lesson(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + LESSON, script=SPY))
    # To lose the connection right after Next does not undo the step.
    page.evaluate("""() => {
      window.stays = true;
      document.querySelector(".st-key-next button").click();
      dispatchEvent(new PopStateEvent("popstate")); // as live/page/tab.js does
    }""")
    page.wait_for_url("**/*step=4*")
    to_lesson(page, "The place that works")
    page.wait_for_url("**/stop_gradient?lesson=right_place*")
    # A click before this would be on the page that is going.
    expect(page.locator("h1")).to_have_text(find("right_place").title)
    ready(page)
    is_at_step(page, 1)
    page.wait_for_url("**/*step=1*")
    on(page, 2)
    on(page, 3)
    page.locator('.st-key-turn nav a[aria-label^="Step 5:"]').click()  # the bug, without a lab
    is_at_step(page, 5)
    for step in (3, 2):
        page.go_back()
        is_at_step(page, step)
        page.wait_for_url(f"**/stop_gradient?lesson=right_place&step={step}*")
    page.go_forward()
    is_at_step(page, 3)
    page.wait_for_url("**/*step=3*")
    page.evaluate(BACK_AND_FORWARD)  # before the step behind is there
    page.wait_for_function("window.forward")
    silent(page)
    is_at_step(page, 3)
    for step in (2, 1):
        page.go_back()
        is_at_step(page, step)
    page.go_back()
    page.wait_for_url("**/course*")
    expect(page.locator("h1")).to_have_text(WORDS("course"))
    assert page.evaluate("window.stays"), "the page was never left"


def test_a_term_says_what_it_means_and_leads_to_the_glossary_and_back(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + "/reversal?lesson=flip&step=1"))
    term = page.locator(".gt-term", has_text="upstream gradient")
    expect(term).to_have_attribute("title", present(find_term("upstream-gradient")).text)
    page.goto(f"{app.url}/{term.get_attribute('href')}")
    expect(page.locator(".gt-glossary dt").first).to_have_text("upstream gradient")
    expect(page.locator(".gt-glossary dt")).to_have_count(len(terms()))
    links = page.locator(".gt-glossary a")
    expect(links).to_have_count(sum(bool(lessons_of(term)) for term in terms()))
    ran(page)
    page.evaluate("window.stays = true")
    links.first.click()
    page.wait_for_url("**/*?lesson=*")
    assert page.evaluate("window.stays"), "the link is followed in the session"


def test_search_goes_to_a_step_by_keyboard(app: Server, open_page: OpenPage) -> None:
    page = ready(open_page(app.url + "/reversal?lesson=flip"))
    button = page.get_by_role("button", name=WORDS("search"))
    button.focus()
    page.keyboard.press("/")
    dialog = page.get_by_role("dialog", name=says("search_course"))
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("qwxyz <b>")
    expect(dialog.get_by_role("status")).to_have_text(says.counted("results", 0))
    page.get_by_label(says("search_course")).last.fill("identity now comes after")
    expect(dialog.get_by_role("link").first).to_contain_text("The identity now comes after")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/override_map?lesson=clip_identity*")
    expect(page.get_by_role("heading", name="The identity now comes after")).to_be_visible()


def test_themes_differ_in_paper_and_curves_and_the_menu_overrules_the_system(
    app: Server, open_page: OpenPage
) -> None:
    seen = {}
    look = """() => [
        getComputedStyle(document.querySelector('.stApp')).backgroundColor,
        [...document.querySelectorAll('[data-figure=curves] .js-line')].at(-1).style.stroke,
    ]"""
    page = ready(open_page(app.url + "/stop_gradient?lesson=wrong_place", theme="dark"))
    seen["dark"] = page.evaluate(look)
    page.emulate_media(color_scheme="light")
    page.reload()
    seen["light"] = ready(page).evaluate(look)
    assert seen["light"][0] != seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]
    page.get_by_test_id("stMainMenu").get_by_role("button").click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    page.wait_for_function(
        f"dark => JSON.stringify(({look})()) === JSON.stringify(dark)", arg=seen["dark"]
    )
