"""The app in a real browser, as a learner uses it."""

import json
import re
import subprocess
import sys
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from lessons.outputs.catalogue import find

pytestmark = pytest.mark.browser

PAGES = ["/", "/stop_gradient", "/override_map", "/reversal", "/clipping"]
LAB = '.gl-lab[data-ready="true"]'
LESSON = "/stop_gradient?lesson=wrong_place&step=3"
STEPS = len(find("wrong_place").prose.steps)


def ready(page: Page) -> Page:
    page.wait_for_selector(LAB)
    return page


def control(page: Page, name: str, part: str = "input"):
    return page.locator(f'[data-control="{name}"] {part}').first


def cells(page: Page) -> list[list[str]]:
    rows = page.locator("[data-table] tbody tr")
    return [rows.nth(i).locator("td, th").all_inner_texts() for i in range(rows.count())]


def asked(page: Page) -> dict[str, str]:
    return {name: text for name, (text,) in parse_qs(urlsplit(page.url).query).items()}


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
    page.locator(".st-key-lessons").get_by_role("link", name="The place that works").click()
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


def test_what_is_set_goes_into_the_address_without_a_new_history_entry(app, open_page):
    page = ready(open_page(app.url + LESSON))
    entries = page.evaluate("history.length")
    control(page, "x").fill("4, -4")
    control(page, "noise_high", "input[type=range]").press("ArrowRight")
    page.wait_for_function(
        "location.search.includes('noise_high=1.51') && location.search.includes('x=')"
    )
    assert asked(page)["x"] == "4, -4"
    assert float(asked(page)["noise_high"]) == pytest.approx(1.51)  # the step sets 1.5
    assert page.evaluate("history.length") == entries


def test_dragging_moves_the_plot_while_the_mouse_is_down(app, open_page):
    page = ready(open_page(app.url + LESSON))
    page.evaluate("""() => {
        window.node = document.querySelector('[data-figure=gradient] .gl-plot');
        window.empty = 0; window.seen = new Set();
        const look = () => {
            if (!window.node.querySelector('.trace path')) window.empty += 1;
            window.seen.add(document.querySelector('.gl-lab').dataset.seq);
            requestAnimationFrame(look);
        };
        look();
    }""")
    slider = control(page, "noise_high", "input[type=range]").bounding_box()
    x, y = slider["x"] + 0.6 * slider["width"], slider["y"] + slider["height"] / 2
    before = cells(page)
    page.mouse.move(x, y)
    page.mouse.down()
    address = page.url
    for step in range(40):
        page.mouse.move(x + 2 * step, y)
        page.wait_for_timeout(20)
    assert len(page.evaluate("[...window.seen]")) >= 5
    assert cells(page) != before
    assert page.url == address, "the address is written on release, not while dragging"
    page.mouse.up()
    page.wait_for_function("location.search.includes('noise_high')")
    assert page.evaluate("window.empty") == 0
    assert page.evaluate(
        "document.querySelector('[data-figure=gradient] .gl-plot') === window.node"
    )


def test_zoom_is_kept_when_the_numbers_change(app, open_page):
    page = ready(open_page(app.url + LESSON))
    plot = page.locator("[data-figure=gradient] .gl-plot")
    area = plot.bounding_box()
    page.mouse.move(area["x"] + 120, area["y"] + 60)
    page.mouse.down()
    page.mouse.move(area["x"] + 320, area["y"] + 200, steps=8)
    page.mouse.up()
    page.wait_for_function(
        "document.querySelector('[data-figure=gradient] .gl-plot')._fullLayout.xaxis.range[1] < 0"
    )
    zoomed = plot.evaluate("node => node._fullLayout.xaxis.range")
    control(page, "noise_high", "input[type=range]").press("ArrowRight")
    page.wait_for_function("location.search.includes('noise_high')")
    assert plot.evaluate("node => node._fullLayout.xaxis.range") == zoomed


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x", "a, b", "not a number"),
        ("x", "", "empty"),
        ("x", "1," * 9_999 + "1", "at most|characters"),
        ("x", "NaN", "not a number"),
        ("draws", "-3", "outside"),
        ("noise_low", "1.9", "above"),
    ],
)
def test_bad_input_is_refused_beside_its_field_and_the_picture_stays(
    app, open_page, name, text, said
):
    page = ready(open_page(app.url + LESSON))
    before = cells(page)
    field = control(page, name, "input:not([type=range])")
    field.fill(text)
    error = page.locator(f'[data-control="{name}"] .gl-error')
    expect(error).to_contain_text(re.compile(said))
    assert cells(page) == before
    assert page.locator("[data-figure=gradient] .trace").count() > 0
    expect(field).to_have_value(text)


@pytest.mark.parametrize(
    "query",
    [
        "lesson=no_such_lesson",
        "lesson=wrong_place&step=999",
        "lesson=wrong_place&step=-1",
        "lesson=wrong_place&x=a&draws=1e99&noise_low=9",
        "lesson=wrong_place&evil=%3Cscript%3Ealert(1)%3C/script%3E",
        "lesson=wrong_place&x=" + "1," * 9_000,
        "lesson=wrong_place&device=cuda:7",
        "lesson=" + "x" * 3000,
        "&".join(f"p{i}={i}" for i in range(500)),
    ],
    ids=lambda query: query[:40],
)
def test_a_hostile_address_is_said_and_does_no_harm(app, open_page, query):
    page = ready(open_page(f"{app.url}/stop_gradient?{query}"))
    assert len(cells(page)) >= 1
    assert page.locator('[data-testid="stException"]').count() == 0
    body = page.locator("body").inner_text()
    if "evil" in query:
        assert "evil" in body
    if "cuda" in query:
        assert "no device cuda:7" in body
    if "x=a" in query:
        assert "not a number" in body


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
    expect(page.get_by_text("✗ You said: −6. ")).to_be_visible()
    expect(page.get_by_text("What torch computes: 12")).to_be_visible()
    page.wait_for_function("document.cookie.includes('flip:4:twice=0')")
    page.goto(app.url + "/")
    ready(page)
    count = "0 of 1 predictions right at first try"
    expect(page.locator(".st-key-progress")).to_contain_text(count)
    page.get_by_role("button", name="Forget my progress").click()
    page.get_by_role("button", name="Forget it all").click()
    page.wait_for_function("!document.cookie.includes('flip')")
    page.reload()
    ready(page)
    expect(page.get_by_text(count)).to_have_count(0)


def test_a_term_says_what_it_means_on_focus_and_links_to_the_glossary(app, open_page):
    page = ready(open_page(app.url + "/reversal?lesson=flip&step=1"))
    term = page.locator(".gt-term", has_text="upstream gradient")
    said = page.locator("#gt-def-upstream-gradient")
    expect(said).to_be_hidden()
    page.locator(".gt-term", has_text="reversal layer").focus()
    page.keyboard.press("Tab")
    expect(term).to_be_focused()
    expect(said).to_be_visible()
    assert term.get_attribute("aria-describedby") == said.get_attribute("id")
    page.goto(app.url + "/" + term.get_attribute("href"))
    expect(page.locator(".gt-asked dt")).to_have_text("upstream gradient")
    page.locator(".gt-asked").get_by_role("link", name="Flip").click()
    page.wait_for_url("**/reversal?lesson=flip*")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_search_goes_to_a_step_by_keyboard_and_keeps_what_is_set(app, open_page, width, theme):
    page = ready(open_page(app.url + "/reversal?lesson=flip&scale=1.5", width=width, theme=theme))
    page.get_by_role("button", name="Search").wait_for()
    page.keyboard.press("/")
    dialog = page.get_by_role("dialog", name="Search the course")
    page.keyboard.type("Place MOVED <b>")
    expect(dialog.get_by_role("status")).to_have_text("0 results")
    page.get_by_label("Search the course").last.fill("identity moves")
    expect(dialog.get_by_role("link")).to_have_count(1)
    found = Axe().run(page, context=".gt-search-dialog")
    assert [(v["id"], v["nodes"][0]["html"]) for v in found.response["violations"]] == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/override_map?lesson=clip_identity*")
    expect(page.get_by_role("heading", name="Predict: the identity moves")).to_be_visible()
    ready(page)
    page.get_by_role("button", name="Search").click()
    page.get_by_label("Search the course").last.fill("gradient reversal layer reverse")
    dialog.get_by_role("link").first.click()
    page.wait_for_url("**/reversal?lesson=flip*")
    expect(control(page, "scale", "input:not([type=range])")).to_have_value("1.5")


def test_a_teachers_link_hides_and_holds_controls(app, open_page):
    teacher = open_page(app.url + "/teach")
    hide, hold = (teacher.get_by_role("combobox", name=name) for name in ("Hide", "Hold"))
    lesson = teacher.get_by_role("combobox", name="Lesson")
    lesson.fill("Flip")
    lesson.press("Enter")
    link = teacher.get_by_role("link", name="Preview in a new tab")
    expect(link).to_have_attribute("href", re.compile("lesson=flip"))
    for box, label in ((hide, "Inputs x"), (hold, "Scale λ")):
        box.wait_for()
        box.fill(label)
        box.press("Enter")
        box.press("Escape")
        expect(link).to_have_attribute("href", re.compile("hide=x"))
    expect(link).to_have_attribute("href", re.compile("hide=x&fix=scale"))
    page = ready(open_page(link.get_attribute("href")))
    expect(control(page, "x")).to_be_hidden()
    expect(control(page, "scale", "input[type=range]")).to_be_disabled()
    expect(control(page, "beside", "input[type=range]")).to_be_enabled()
    control(page, "beside", "input[type=range]").press("ArrowRight")
    page.wait_for_function("location.search.includes('beside=2.1')")
    assert asked(page)["hide"] == "x"
    assert asked(page)["fix"] == "scale"


def test_the_line_of_the_trick_is_marked_in_the_code(app, open_page):
    page = ready(open_page(app.url + LESSON))
    expect(page.locator(".gt-code mark")).to_have_text("    yu_fixed = stop_gradient(yu - y) + y\n")


SLOW = f"{LESSON}&x={','.join(str(1 + place / 100) for place in range(64))}"
"""With as many inputs a million draws take some seconds."""


def test_slow_work_shows_progress_and_can_be_stopped(app, open_page):
    page = ready(open_page(app.url + SLOW))
    control(page, "draws", "input:not([type=range])").fill("1000000")
    stop = page.locator(".gl-work").get_by_role("button", name="Stop", exact=True)
    stop.wait_for()
    expect(page.locator(".gl-work")).to_contain_text("% done, about")
    before = page.get_by_role("progressbar", name="Computing").evaluate("bar => bar.value")
    page.wait_for_function(
        "before => document.querySelector('.gl-work progress').value > before", arg=before
    )
    began = time.monotonic()
    stop.click()
    expect(page.locator(".gl-notes")).to_contain_text("Stopped")
    assert time.monotonic() - began < 3
    expect(stop).to_be_hidden()
    control(page, "draws", "input:not([type=range])").fill("100")
    expect(page.locator(".gl-status")).to_contain_text("100 draws")


def test_a_newer_wish_interrupts_slow_work(app, open_page):
    page = ready(open_page(app.url + SLOW))
    control(page, "draws", "input:not([type=range])").fill("1000000")
    page.locator(".gl-work").wait_for()
    control(page, "draws", "input:not([type=range])").fill("50")
    expect(page.locator(".gl-status")).to_contain_text("50 draws", timeout=4000)
    expect(page.locator(".gl-notes")).not_to_contain_text("Stopped")


def test_keyboard_alone_reaches_the_slider_and_moves_it(app, open_page):
    page = ready(open_page(app.url + LESSON))
    before = cells(page)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(
            "document.activeElement.type === 'range' &&"
            "document.activeElement.closest('[data-control=noise_high]') !== null"
        ):
            break
    else:
        pytest.fail("Tab never reached the slider")
    for key in ("ArrowRight", "PageUp", "End", "Home", "PageDown", "ArrowLeft"):
        page.keyboard.press(key)
    page.keyboard.press("End")
    page.wait_for_function("location.search.includes('noise_high=2')")
    assert cells(page) != before


def test_the_downloaded_file_runs_and_agrees_with_the_screen(app, open_page, tmp_path):
    page = ready(open_page(app.url + LESSON + "&x=-2,3&u=1.21,1.44"))
    page.get_by_text("Take it with you").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    file = tmp_path / "exported.py"
    download.value.save_as(file)
    done = subprocess.run([sys.executable, "-I", file], capture_output=True, text=True, check=True)
    gradients = json.loads(done.stdout)["trick_gradient"]
    column = page.locator("[data-table] thead th").all_inner_texts().index("autograd")
    shown = [float(row[column].replace("−", "-")) for row in cells(page)]
    assert shown == pytest.approx(gradients, rel=1e-4)


def test_the_back_button_leaves_the_page(app, open_page):
    page = open_page(app.url + "/")
    ready(page)
    page.locator("a", has_text="stop_gradient").first.click()
    page.wait_for_url("**/stop_gradient*")
    page.locator("[data-control=stopped]").wait_for(state="attached")
    page.locator("[data-control=x] input").first.fill("3, 4")
    page.wait_for_function("location.search.includes('x=')")
    page.go_back()
    page.wait_for_function("location.pathname === '/'")


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_cut_off_on_a_phone(app, open_page, path):
    page = ready(open_page(app.url + path, width=390, height=844))
    wide = page.evaluate("""() => {
        const main = document.querySelector('.stMain');
        return [document.documentElement.scrollWidth, main.scrollWidth];
    }""")
    assert max(wide) <= 390


def test_themes_differ_in_paper_and_curves(app, open_page):
    seen = {}
    for theme in ("light", "dark"):
        page = ready(open_page(app.url + LESSON, theme=theme))
        seen[theme] = page.evaluate("""() => [
            getComputedStyle(document.querySelector('.stApp')).backgroundColor,
            [...document.querySelectorAll('[data-figure=gradient] .js-line')].at(-1).style.stroke,
        ]""")
    assert seen["light"][0] != seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]
