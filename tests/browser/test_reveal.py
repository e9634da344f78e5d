"""What a commit does on the page: the lab shows the case asked, the keyboard is at the verdict."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import control, ran, ready, still
from tests.browser.test_accessibility import broken

pytestmark = pytest.mark.browser

BLOCK = "/stop_gradient?lesson=two_passes&step=4"


def answer(page: Page, label: str, button: str) -> None:
    """By keyboard, as somebody does who has no mouse."""
    page.get_by_role("radio", name=label).press("Space")
    press = page.get_by_role("button", name=button)
    expect(press).to_be_enabled()
    press.press("Enter")


def test_a_commit_shows_the_case_and_the_bug_after_it_has_the_page_to_itself(app, open_page):
    page = ready(open_page(app.url + BLOCK))
    stopped = control(page, "stopped", "select")
    expect(stopped).to_have_value("first")
    expect(page.locator("td.gl-asked")).to_have_count(0)

    answer(page, "9, as with", "Commit to this answer")
    verdict = page.locator(".st-key-verdict")
    expect(verdict).to_be_focused()
    expect(verdict.get_by_text("You said: 9")).to_be_in_viewport()
    shown = verdict.locator(".gt-compared")
    expect(shown).to_contain_text("torch computes27")
    expect(shown).to_contain_text("you said9")
    wide = shown.locator("i").evaluate_all("bars => bars.map(bar => bar.offsetWidth)")
    assert wide[0] == pytest.approx(3 * wide[1], abs=2), "the bars have one scale"
    expect(stopped).to_have_value("no_grad")
    expect(page.locator("td.gl-asked")).to_have_text(["27"])
    callout = page.locator('[data-figure="gradient"] .annotation')
    expect(callout).to_have_text("asked: 27")
    expect(callout).to_be_in_viewport()

    still(page)
    assert broken(page, ".st-key-verdict") == []

    page.get_by_role("button", name="Next: Find the bug").click()
    code = page.get_by_label("The code with the bug")
    expect(code).to_be_visible()
    expect(stopped).to_have_value("first")  # what the commit changed is as it was
    ran(page)
    tall = code.locator(".gt-row").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert max(tall) < 1.5 * min(tall), "a line wraps"
    page.get_by_role("heading", name="Find the bug").evaluate("title => title.scrollIntoView()")
    for part in (code, page.get_by_text("Run the assertion on this fix")):
        expect(part).to_be_in_viewport(ratio=1)
    expect(page.get_by_label("The assertion", exact=True)).to_be_hidden()
    below = page.locator(".st-key-bug").evaluate(
        "bug => document.querySelector('.gl-lab').getBoundingClientRect().top - "
        "bug.getBoundingClientRect().bottom"
    )
    assert below > 0, "the lab stands beside the bug"

    page.get_by_text("The assertion", exact=True).click()
    expect(page.get_by_label("The assertion", exact=True)).to_be_visible()
    first = page.get_by_role("radio").first.evaluate("radio => radio.closest('label').innerText")
    answer(page, first, "Run the assertion on this fix")
    expect(verdict).to_be_focused()
    expect(verdict.get_by_text("You tried:")).to_be_in_viewport()


def test_who_passes_a_question_finds_the_lab_as_the_commit_leaves_it(app, open_page):
    page = ready(open_page(app.url + "/stop_gradient?lesson=right_place&step=2"))
    expect(page.get_by_role("radio").first).to_be_visible()
    exact = control(page, "noise_high", ".gl-exact")
    exact.fill("3")
    exact.press("Enter")
    expect(page).to_have_url(re.compile("noise_high=3"))
    page.get_by_role("button", name="Skip the question").click()
    expect(page.locator(".gt-eyebrow")).to_contain_text("Step 3 of")
    expect(exact).to_have_value("1.1")
