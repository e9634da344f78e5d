"""What new learners stumbled over, seen as they saw it: by keyboard, on a phone, zoomed in."""

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.outputs.catalogue import find
from pages.ui.words import WORDS
from tests.browser.looking import (
    PATIENT,
    becomes,
    box_of,
    is_at_step,
    look,
    next_button,
    on,
    ran,
    ready,
    says,
    tiles,
)
from tests.conftest import OpenPage
from tests.support.amount import also
from tests.support.server import Server

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
CODE = ".gt-code, .stMarkdown .stCode pre"
ENDS = "[document.documentElement, document.querySelector('.stMain')]"


def heading(page: Page) -> Locator:
    return page.locator(".st-key-words h2")


def test_by_keyboard_to_the_question_and_along_the_dots(app: Server, open_page: OpenPage) -> None:
    page = ready(open_page(app.url + "/stop_gradient?lesson=right_place&step=1", script=PATIENT))
    look(page, 1920, "light")
    left = [box_of(page.locator(one).first)["x"] for one in (".st-key-header a", "h1", "nav a")]
    assert max(left) - min(left) < 20, "a wide window begins at one line"
    look(page, 1280, "light")
    page.evaluate("window.stays = true")
    on(page, 2)
    expect(page.locator(".st-key-words")).to_be_focused()
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); }")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name=says("skip_to_question"))
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(tiles(page).first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-verdict")).to_be_focused()
    # Each dot is a link with its step's title: a question that is answered is said to be.
    dots = page.get_by_role("navigation", name=WORDS("steps")).get_by_role("link")
    names = dots.evaluate_all("links => links.map((link) => link.getAttribute('aria-label'))")
    titles = [step.title for step in find("right_place").prose.steps]
    kinds = {0: "step", 1: "step_answered", 3: "step_asks"}
    for index, kind in kinds.items():
        assert names[index] == says(kind, number=index + 1, title=titles[index])
    assert min(box_of(dot)["height"] for dot in dots.all()) >= 24
    dots.nth(1).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(dots.nth(4)).to_be_focused()
    page.keyboard.press("Enter")
    is_at_step(page, 5)
    page.wait_for_function("location.search.includes('step=5')")
    on(page, 6)
    page.get_by_label(WORDS("your_answer")).fill("0.25")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-onward a")).to_be_in_viewport()
    assert page.evaluate("window.stays"), "the page was never left"


def test_a_phone(app: Server, open_page: OpenPage) -> None:
    page = ready(
        open_page(app.url + "/gone_missing?lesson=cut_by_accident", **PHONE, script=PATIENT)
    )
    on(page, 2)
    small = "parts => parts.filter((one) => one.getBoundingClientRect().height < 44).length"
    targets = ".st-key-tiles button, .st-key-turn button, .st-key-turn nav a"
    assert page.locator(targets).evaluate_all(small) == 0
    # The stage stays at the top while the text scrolls under it.
    stage = page.locator(".gl-stage :is(.gl-picture, .gl-view:not(.gl-graph))")
    top = box_of(stage)["y"]
    assert box_of(stage)["height"] <= 0.4 * PHONE["height"]
    tiles(page).last.scroll_into_view_if_needed()
    for part in (tiles(page).last, stage):
        expect(part).to_be_in_viewport(ratio=0.9)
    assert 60 <= box_of(stage)["y"] <= top
    tiles(page).last.click()
    expect(page.locator(".st-key-verdict")).to_be_in_viewport()
    on(page, 3)  # and from far below to the new step's beginning
    expect(heading(page)).to_be_in_viewport(ratio=1)
    field = page.locator(".st-key-question input")
    size = field.evaluate("one => getComputedStyle(one).fontSize")
    assert size == "16px", "iOS zooms in on what is smaller"
    # At 200 % and 400 % nothing is lost at the side, and the text has room.
    for width, height in ((640, 400), (320, 256)):
        page.set_viewport_size({"width": width, "height": height})
        fits = f"width => {ENDS}.every((one) => one.scrollWidth <= width)"
        page.wait_for_function(fits, arg=width)  # charts take their new width one by one
        heading(page).scroll_into_view_if_needed()
        expect(heading(page)).to_be_in_viewport(ratio=1)
        seen = heading(page).evaluate("""one => {
          const { left, top } = one.getBoundingClientRect();
          return one.contains(document.elementFromPoint(left + 5, top + 10));
        }""")
        assert seen, "something lies over it"


def test_on_a_phone_a_chart_leaves_room_for_a_long_caption(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + "/stop_gradient?lesson=noise_leaks&step=2", **PHONE))
    stage = page.locator(".gl-stage > .gl-view")
    assert stage.evaluate("one => one.scrollHeight <= one.clientHeight")


def test_of_a_tall_graph_the_step_is_in_sight_on_a_phone(bare: str, phone: Page) -> None:
    """Within its box, to the last Next."""
    clear = """(id) => {
        const at = document.querySelector('.gl-node[data-step="current"]');
        const { top, bottom } = at.getBoundingClientRect();
        const box = document.querySelector(".gl-drawing").getBoundingClientRect();
        return at.dataset.id === id && top >= box.top - 1 && bottom <= box.bottom + 1;
    }"""
    phone.goto(bare + "/stop_gradient?lesson=wrong_place&step=3")
    ready(phone)
    for index, node in enumerate(("sqrt", "sqrt", "add", "stop_gradient", "pow")):
        if index:
            phone.locator(".gl-stepper").get_by_role("button", name=says("next")).tap()
        phone.wait_for_function(clear, arg=node)


@pytest.mark.long
def test_another_page_begins_at_its_top_however_far_down_the_one_before_was_left(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + "/playground"))
    scrolled = "document.querySelector('.stMain').scrollTop"
    titles = {WORDS("course"): WORDS("course"), "Flip": "gradient reversal layer"}
    down = "() => { const main = document.querySelector('.stMain'); main.scrollTo(0, 600);"
    down += " return main.scrollTop === 600; }"
    # As where the next page is drawn before the one before is gone: there is always room.
    page.add_style_tag(content=".stMain::after { content: ''; flex: none; height: 4000px }")
    for name in titles:
        page.wait_for_function(down)
        page.get_by_role("link", name=name).first.click()
        expect(page.locator("h1")).to_contain_text(titles[name])
        becomes(page, lambda: page.evaluate(scrolled), 0, name)
        page.wait_for_timeout(1000)  # in which it would go there again
        assert page.evaluate(scrolled) == 0, name


@pytest.mark.long
def test_the_next_lesson_of_a_chapter_begins_at_its_top(app: Server, open_page: OpenPage) -> None:
    page = open_page(app.url + "/reversal?lesson=flip&step=6", 390, 844)
    next_button(page).click()
    expect(page.locator(".st-key-onward a")).to_be_visible()
    main = page.locator(".stMain")
    becomes(
        page, lambda: main.evaluate("one => { one.scrollTo(0, 300); return one.scrollTop; }"), 300
    )
    page.locator(".st-key-onward a").click()
    expect(page.locator("h1")).not_to_contain_text("gradient reversal layer")
    becomes(page, lambda: main.evaluate("one => one.scrollTop"), 0)


# A bug whose code has long names, and code in the text.
@pytest.mark.parametrize(
    "address",
    ["/reversal?lesson=two_players&step=4", *also("/override_map?lesson=type_not_name&step=1")],
)
def test_no_code_has_to_be_scrolled_sideways(
    app: Server, open_page: OpenPage, address: str
) -> None:
    page = open_page(app.url + address)
    page.locator(".gt-code").first.wait_for()
    ran(page)
    sideways = """blocks => [...document.querySelectorAll(blocks)]
        .filter(one => one.scrollWidth > one.clientWidth + 1)
        .map(one => one.innerText.split("\\n")[0])"""
    for width in (1280, 390):
        look(page, width, "light")
        becomes(page, lambda: page.evaluate(sideways, CODE), [], width)
