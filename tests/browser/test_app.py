"""The app in a real browser, as a learner uses it."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from lessons.outputs.catalogue import chapters, find
from tests.browser.looking import LAB, asked, cells, control, look, ready, to_lesson

pytestmark = pytest.mark.browser

LESSON = "/stop_gradient?lesson=wrong_place&step=3"
STEPS = len(find("wrong_place").prose.steps)


def test_a_link_restores_the_screen_and_a_reload_keeps_it(app, open_page):
    there = open_page(app.url + LESSON + "&x=-3,0.5&noise_high=1.7&seed=4&draws=200")
    ready(there)
    first = cells(there)
    assert [row[0] for row in first] == ["−3", "0.5"]
    there.reload()
    ready(there)
    assert cells(there) == first
    expect(there.get_by_text(f"Step 3 of {STEPS}")).to_be_visible()
    elsewhere = open_page(there.url)
    assert cells(ready(elsewhere)) == first


def test_who_came_by_a_link_and_went_to_another_lesson_stays_there(app, open_page):
    page = ready(open_page(app.url + LESSON))
    to_lesson(page, "The place that works")
    page.wait_for_url("**/stop_gradient?lesson=right_place*")
    # A click before this would be on the page that is going.
    expect(page.locator("h1")).to_have_text(find("right_place").title)
    expect(page.locator(".gt-eyebrow")).to_contain_text("Step 1 of")
    ready(page)
    page.locator(".st-key-next button").click()
    expect(page.locator(".gt-eyebrow")).to_contain_text("Step 2 of")
    page.wait_for_url("**/stop_gradient?lesson=right_place&step=2*")
    page.go_back()
    page.wait_for_url("**/stop_gradient?lesson=wrong_place*")
    expect(page.locator("h1")).to_have_text(find("wrong_place").title)


def test_a_prediction_hides_the_curve_until_it_is_made(app, open_page):
    page = ready(open_page(app.url + "/stop_gradient?lesson=noise_leaks&step=2"))
    assert "?" in cells(page)[0]
    expect(page.get_by_role("button", name="Commit")).to_be_disabled()
    page.get_by_text("on every draw. The noise is data").click()
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_text("✗ You said")).to_be_visible()
    expect(page.get_by_text("What torch computes:")).to_be_visible()
    page.wait_for_function("!document.querySelector('[data-table]').innerText.includes('?')")


def test_a_number_is_typed_graded_counted_and_forgotten_on_demand(app, open_page):
    page = ready(open_page(app.url + "/reversal?lesson=flip&step=4"))
    field = page.get_by_label("Your prediction")
    field.fill("twelve")
    page.get_by_role("button", name="Commit to this number").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("not a number")
    field.fill("-6")
    page.get_by_role("button", name="Commit to this number").click()
    expect(page.get_by_text("✗ You said: −6")).to_be_visible()
    expect(page.get_by_text("What torch computes: 12")).to_be_visible()
    page.wait_for_function(r"/flip:4:t\w*=0/.test(document.cookie)")
    page.goto(app.url + "/course")
    count = "0 of 1 predictions right at first try"
    expect(page.locator(".st-key-progress")).to_contain_text(count)
    page.wait_for_function("localStorage.gradient_tricks_lab_first?.includes('=2!flip:4')")
    page.get_by_role("button", name="Forget my progress").click()
    page.get_by_role("button", name="Forget it all").click()
    page.wait_for_function("!document.cookie.includes('flip')")
    assert page.evaluate("localStorage.gradient_tricks_lab_first") is None
    page.reload()
    expect(page.locator(".gt-chapter")).to_have_count(len(chapters()))
    expect(page.get_by_text(count)).to_have_count(0)


def test_a_term_says_what_it_means_on_focus_and_links_to_the_glossary(app, open_page):
    page = ready(open_page(app.url + "/reversal?lesson=flip&step=1"))
    term = page.locator(".gt-term", has_text="upstream gradient")
    definition = page.locator("#gt-def-upstream-gradient")
    expect(definition).to_be_hidden()
    term.focus()
    expect(term).to_be_focused()
    expect(definition).to_be_visible()
    assert term.get_attribute("aria-describedby") == definition.get_attribute("id")
    page.goto(app.url + "/" + term.get_attribute("href"))
    expect(page.locator(".gt-asked dt")).to_have_text("upstream gradient")
    page.evaluate("window.stays = true")
    page.locator(".gt-asked").get_by_role("link").first.click()
    page.wait_for_url("**/*?lesson=*")
    assert page.evaluate("window.stays"), "the link is followed in the session"


def test_search_goes_to_a_step_by_keyboard_and_keeps_what_is_set(app, open_page):
    page = ready(open_page(app.url + "/reversal?lesson=flip&scale=1.5"))
    page.get_by_role("button", name="Search").wait_for()
    page.keyboard.press("/")
    dialog = page.get_by_role("dialog", name="Search the course")
    page.keyboard.type("qwxyz <b>")
    expect(dialog.get_by_role("status")).to_have_text("0 results")
    page.get_by_label("Search the course").last.fill("identity moves")
    expect(dialog.get_by_role("link").first).to_contain_text("The identity now comes after")
    for width, theme in ((1280, "light"), (390, "dark")):
        look(page, width, theme)
        found = Axe().run(page, context=".gt-search-dialog")
        assert [(v["id"], v["nodes"][0]["html"]) for v in found.response["violations"]] == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/override_map?lesson=clip_identity*")
    expect(page.get_by_role("heading", name="The identity now comes after")).to_be_visible()
    ready(page)
    page.get_by_role("button", name="Search").click()
    page.get_by_label("Search the course").last.fill("gradient reversal layer reverse")
    dialog.get_by_role("link").first.click()
    page.wait_for_url("**/reversal?lesson=flip*")
    expect(control(page, "scale", "input:not([type=range])")).to_have_value("1.5")


def test_a_teachers_link_hides_and_fixes_controls(app, open_page):
    teacher = open_page(app.url + "/teach")
    hide, fix = (teacher.get_by_role("combobox", name=name) for name in ("Hide", "Lock"))
    lesson = teacher.get_by_role("combobox", name="Lesson")
    lesson.fill("Flip")
    lesson.press("Enter")
    link = teacher.get_by_role("link", name="Open it in a new tab")
    expect(link).to_have_attribute("href", re.compile("lesson=flip"))
    for box, label in ((hide, "Inputs x"), (fix, "Scale λ")):
        box.click()
        expect(teacher.get_by_role("option").first).to_be_visible()
        expect(teacher.get_by_role("option", name="Select all")).to_have_count(0)
        box.fill(label)
        box.press("Enter")
        box.press("Escape")
        expect(link).to_have_attribute("href", re.compile("hide=x"))
        expect(teacher.get_by_role("option")).to_have_count(0)
        teacher.wait_for_selector(".stApp[data-test-script-state=notRunning]")
    expect(link).to_have_attribute("href", re.compile("hide=x&fix=scale"))
    page = ready(open_page(link.get_attribute("href")))
    expect(control(page, "x")).to_be_hidden()
    expect(control(page, "scale", "input[type=range]")).to_be_disabled()
    expect(control(page, "beside", "input[type=range]")).to_be_enabled()
    control(page, "beside", "input[type=range]").press("ArrowRight")
    page.wait_for_function("location.search.includes('beside=2.1')")
    assert asked(page)["hide"] == "x"
    assert asked(page)["fix"] == "scale"


def test_the_back_button_leaves_the_page(app, open_page):
    page = open_page(app.url + "/")
    ready(page)
    page.locator(".st-key-start a").click()
    page.wait_for_url("**/stop_gradient*")
    # Neither home's lab, which may still be there, nor the first picture, which hears nothing.
    lab = page.locator(LAB, has=page.locator("[data-control=stopped]"))
    lab.locator("[data-control=x] input").first.fill("3, 4", timeout=90_000)
    page.wait_for_function("location.search.includes('x=')")
    page.go_back()
    page.wait_for_function("location.pathname === '/'")


def test_themes_differ_in_paper_and_curves_and_the_menu_overrules_the_system(app, open_page):
    seen = {}
    look = """() => [
        getComputedStyle(document.querySelector('.stApp')).backgroundColor,
        [...document.querySelectorAll('[data-figure=gradient] .js-line')].at(-1).style.stroke,
    ]"""
    page = ready(open_page(app.url + LESSON, theme="dark"))
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.reload()
        seen[theme] = ready(page).evaluate(look)
    assert seen["light"][0] != seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]
    page.get_by_test_id("stMainMenu").get_by_role("button").click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    page.wait_for_function(
        f"dark => JSON.stringify(({look})()) === JSON.stringify(dark)", arg=seen["dark"]
    )
