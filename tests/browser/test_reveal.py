"""An answer on the page: the stage shows the case asked, the keyboard is at the verdict."""

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.contract.covering import COVERED
from lessons.outputs.catalogue import find
from pages.ui.words import WORDS
from tests.browser.looking import PATIENT, is_at_step, on, ready, says, tiles
from tests.conftest import OpenPage
from tests.support.present import present
from tests.support.server import Server

pytestmark = pytest.mark.browser


def equation(page: Page) -> Locator:
    return page.locator(".gl-stage .gl-equation")


def test_an_answer_uncovers_the_stage_and_becomes_the_heading_and_then_comes_the_bug(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + "/stop_gradient?lesson=two_passes&step=4", script=PATIENT))
    expect(equation(page)).to_have_text("gradient of x = ?")
    expect(page.locator(".gl-stepper")).to_be_hidden()
    expect(page.locator(".gl-edge[role=button]")).to_have_count(0)
    tiles(page).filter(has_text="the two do the same").press("Enter")
    verdict = page.locator(".st-key-verdict")
    expect(verdict).to_be_focused()
    expect(verdict).to_be_in_viewport()
    expect(verdict.locator(".st-key-reply_wrong")).to_contain_text(
        WORDS("you_said", answer="16: the two")
    )
    expect(page.locator(".st-key-words h2")).to_have_text("48: this block stops nothing.")
    expect(tiles(page)).to_have_count(0)
    expect(equation(page)).to_have_text("gradient of x = 32 + 16 = 48")

    on(page, 5)
    code = page.get_by_label(WORDS("code_with_bug"))
    fails = page.get_by_text(WORDS("assertion_fails").replace("*", ""))
    for part in (code, fails, *tiles(page).all()):
        expect(part).to_be_in_viewport(ratio=1)
    expect(page.locator(".gl-lab:visible")).to_have_count(0)
    tall = code.locator(".gt-row").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert max(tall) < 1.5 * min(tall), "a line wraps"
    expect(page.get_by_label(WORDS("assertion"), exact=True)).to_be_visible()
    lesson = find("two_passes")
    bug = present(lesson.bug)
    thread = page.locator(".st-key-words").get_by_role("link", name=bug.source)
    expect(thread).to_have_count(0)
    tiles(page).filter(has_text="Keep the graph").press("Enter")
    expect(verdict).to_be_focused()
    expect(verdict).to_contain_text(WORDS("you_tried", fix="Keep the graph"))
    fixed = page.get_by_label(WORDS("code_with_fix")).locator("ins")
    expect(fixed).to_contain_text("retain_graph=True")
    expect(thread).to_have_count(0)
    (question,) = (one for one in lesson.prose.questions if one.kind == "bug")
    keys = [option.key for option in question.options if option.key != "retain"]
    tiles(page).nth(keys.index(bug.right())).click()
    expect(thread).to_be_visible()


def test_what_a_question_covers_can_be_seen_without_an_answer(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + "/stop_gradient?lesson=noise_leaks&step=2", script=PATIENT))
    stage = page.locator(".gl-stage")
    expect(stage.locator(".gl-title")).not_to_contain_text("intended")
    expect(stage.locator(".annotation-text")).to_have_text(COVERED)
    stage.get_by_role("button", name=says("uncover")).click()
    expect(stage.locator(".gl-title")).to_contain_text("intended")
    expect(stage.locator(".annotation-text")).to_have_count(0)
    expect(tiles(page).first).to_be_visible()
    page.locator(".st-key-turn nav a").first.click()
    is_at_step(page, 1)
    expect(stage.locator(".annotation-text")).to_have_text(f"{COVERED} in step 2")
