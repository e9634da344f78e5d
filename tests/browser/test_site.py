"""What leads from one page to another: the header, home, the course, the glossary, Teach."""

import re

import pytest
from playwright.sync_api import Page, expect

from lessons.outputs.catalogue import chapters, chapters_by_slug, find, lessons
from lessons.outputs.quiz import LENGTH
from pages.ui.words import WORDS
from tests.browser.looking import LAB, SPY, control, look, ran, ready, silent, to_lesson
from tests.conftest import OpenPage
from tests.support.server import Server

pytestmark = pytest.mark.browser


def header(page: Page) -> list[str]:
    parts = page.locator(".st-key-header").locator("a, .gt-here, .gt-search-open span")
    return [text.replace("\u00a0", " ") for text in parts.all_inner_texts()]  # at one moment


def stays(page: Page) -> Page:
    page.evaluate("window.stays = true")
    return page


def test_the_header_has_three_links_and_in_a_lesson_the_way_back_and_where_one_is(
    app: Server, open_page: OpenPage
) -> None:
    page = stays(ready(open_page(app.url)))
    assert header(page) == [WORDS("site"), WORDS("course"), WORDS("playground"), WORDS("search")]
    page.locator(".st-key-onward a").click()
    page.wait_for_url("**/stop_gradient?lesson=two_passes*")
    expect(page.locator(".gt-here")).to_have_text("Lesson 1 of 8 · Two passes")
    assert header(page) == ["← stop_gradient", "Lesson 1 of 8 · Two passes", WORDS("search")]
    to_lesson(page, "In place")
    page.wait_for_url("**/gone_missing?lesson=in_place*")
    expect(page.locator(".gt-here")).to_have_text("Lesson 2 of 7 · In place")
    page.set_viewport_size({"width": 1280, "height": 400})
    page.get_by_role("link", name="← Gone missing").click()
    page.wait_for_url("**/course?chapter=gone_missing")
    expect(page.locator(".st-key-chapter_gone_missing h2")).to_be_in_viewport()
    expect(page.get_by_role("heading", name=WORDS("course"))).not_to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 800})
    ran(page)
    page.get_by_role("link", name=WORDS("quiz_of", chapter="Gone missing")).click()
    expect(page.locator(".gt-here")).to_have_text(WORDS("quiz"))
    page.go_back()
    page.wait_for_url("**/course?chapter=gone_missing")
    assert page.evaluate("window.stays"), "the page was never left"


def test_each_symptom_leads_to_its_lesson(app: Server, open_page: OpenPage) -> None:
    page = stays(ready(open_page(app.url)))
    for slug in ("cut_by_accident", "collapse", "cliff", "straight_through"):
        card = page.locator(f".stColumn:has(img):has(a[href$='lesson={slug}'])")
        assert card.locator("img").evaluate("one => one.naturalWidth") == 150
    link = card.get_by_role("link")
    link.click()
    page.wait_for_url(f"**/{find(slug).chapter}?lesson={slug}*")
    expect(page.locator("h1")).to_have_text(re.sub(r"[`*]", "", find(slug).title))
    page.go_back()
    link.wait_for()
    ran(page)
    assert page.evaluate("window.stays"), "the page was never left"


def test_the_course_lists_every_lesson_and_ticks_what_is_done(
    app: Server, open_page: OpenPage
) -> None:
    page = open_page(app.url + "/course")
    rows = page.locator("[class*=st-key-chapter_] a[href*='lesson=']")
    expect(rows).to_have_count(len(lessons()))
    expect(rows.last).to_be_visible()  # a page hides its text until all of it is there
    for lesson, row in zip(lessons(), rows.all_inner_texts(), strict=True):
        assert re.sub(r"[`*]", "", lesson.title) in row
        assert (WORDS("trains_live") in row) == (lesson.lab.training is not None)
    quizzes = page.get_by_role("link", name=WORDS("quiz_of", chapter=""))
    expect(quizzes).to_have_count(len(chapters()))
    expect(page.get_by_role("link", name=WORDS("glossary"))).to_be_visible()
    expect(page.get_by_role("link", name=WORDS("teach"))).to_be_visible()
    name, done = "gradient_tricks_lab", "2!flip:7*/moons:3/reversal:4"
    page.context.add_cookies([{"name": name, "value": done, "url": app.url}])
    page.reload()
    expect(rows.filter(has_text=f"· {WORDS('done')}")).to_have_count(1)
    expect(rows.filter(has_text=f"· {WORDS('done')}")).to_contain_text("Flip")
    expect(rows.filter(has_text=WORDS("you_are_here"))).to_contain_text("Two domains")
    score = WORDS("right_of", right=4, all=LENGTH)
    expect(quizzes.filter(has_text=score)).to_contain_text(chapters_by_slug()["reversal"].title)
    question = rows.first.locator("em")
    expect(question).to_have_css("opacity", "0")
    rows.first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")  # a focus of the keyboard's
    expect(question).to_have_css("opacity", "1")
    page.goto(app.url)
    expect(page.locator(".st-key-onward a")).to_have_text(WORDS("go_on", lesson="Two domains"))


def test_the_course_leads_to_your_own_code_with_a_report_to_click_through(
    app: Server, open_page: OpenPage
) -> None:
    page = open_page(app.url + "/course")
    ran(page)
    page.get_by_role("link", name=WORDS("own_code")).click()
    expect(page.locator("h1")).to_have_text(WORDS("own_code"))
    report = page.frame_locator("iframe")
    for width in (1280, 390):
        look(page, width, "light")
        for code in page.locator(".st-key-to_copy .stCode").all():
            expect(code.get_by_role("button")).to_be_visible()
        report.get_by_role("link", name="argmin").click()
        expect(report.locator('.node[data-id="argmin"]')).to_be_focused()
    report.get_by_role("button", name="Start").click()
    expect(report.locator(".said")).to_contain_text("nothing has flowed back yet")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name=WORDS("open_report")).click()
    expect(opened.value.locator(".faults > li")).to_have_count(1)
    opened.value.close()


def test_the_preview_sets_what_the_link_and_the_frame_say(app: Server, open_page: OpenPage) -> None:
    page = open_page(app.url + "/teach", script=SPY)
    lesson = page.get_by_role("combobox", name=WORDS("lesson"))
    lesson.fill("Flip")
    lesson.press("Enter")
    inside = page.frame_locator(".gt-preview")
    inside.locator(f'{LAB} [data-control="scale"]').wait_for()
    (frame,) = [one for one in page.frames if one.parent_frame]
    control(frame, "scale", ".gl-exact").fill("2.5")
    for code in page.locator(".st-key-to_copy .stCode").all():
        expect(code).to_contain_text("scale=2.5")
        expect(code.get_by_role("button")).to_be_visible()
    assert control(frame, "scale", ".gl-exact").input_value() == "2.5", "it was not loaded again"
    locked = page.get_by_role("combobox", name=WORDS("lock"))
    silent(page)  # a run of the script closes the list
    locked.click()  # takes the focus out of the frame
    locked.fill("Scale")
    page.get_by_role("option").first.click()
    expect(inside.locator('[data-control="scale"] input').first).to_be_disabled()
    expect(inside.locator('[data-control="scale"] .gl-exact')).to_have_value("2.5")
