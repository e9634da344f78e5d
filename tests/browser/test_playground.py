"""The playground: written, pasted, refused, undone, linked; then in the app."""

import itertools
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.playground.document.as_text import to_text
from lessons.playground.document.presets import WORDS as PRESETS
from lessons.playground.document.presets import preset, presets
from lessons.playground.document.words import WORDS as DOCUMENT
from lessons.playground.language.words import WORDS as LANGUAGE
from pages.labs.words import WORDS as LAB_WORDS
from pages.ui.words import WORDS
from tests.browser.looking import (
    FOCUSABLE,
    MORE,
    SPY,
    answered,
    becomes,
    box_of,
    cells,
    control,
    edge,
    look,
    node,
    open_drawers,
    press_on,
    ready,
    says,
)
from tests.conftest import OpenPage
from tests.support.server import Server

pytestmark = pytest.mark.browser

PAGE = "/playground"
FIRST = to_text(preset("noise_leaks")).rstrip("\n")


@pytest.fixture
def page(bare: str, open_page: OpenPage) -> Page:
    page = ready(open_page(bare + PAGE, script=SPY))
    open_table(page)
    return page


def open_table(page: Page) -> None:
    open_drawers(page, "table")
    page.locator("[data-table]").wait_for()


def program(page: Page) -> Locator:
    return control(page, "program", "textarea")


def high(page: Page) -> Locator:
    """The handle of the upper end of the noise."""
    return page.get_by_role("slider", name=LAB_WORDS("high_of", name="u"), exact=True)


def error(page: Page, name: str = "program") -> Locator:
    return page.locator(f'[data-control="{name}"] .gl-error')


def opener(page: Page) -> Locator:
    """The button that opens the list of presets."""
    return control(page, "preset", "button")


def titles(trick: str) -> list[str]:
    """The presets of a trick, by the name of its text, and the one of none."""
    return [one.title for one in presets() if one.trick in (PRESETS(trick), "")]


def write(page: Page, text: str) -> None:
    """Replace the program and run it, as a keyboard does."""
    program(page).fill(text)
    program(page).press("Control+Enter")


def shows(page: Page, row: str, column: str, value: str) -> None:
    """Wait until a number of the table is that."""
    page.wait_for_function(
        """([row, column, value]) => {
            const table = document.querySelector('[data-table]');
            const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
            const place = heads.findIndex((head) => head.endsWith(column));
            return [...table.tBodies[0].rows].some((line) =>
                line.cells[0].textContent === row && line.cells[place].textContent === value);
        }""",
        arg=[row, column, value],
    )


def test_pasted_code_becomes_the_text_with_its_inputs(bare: str, open_page: OpenPage) -> None:
    page = ready(open_page(bare + PAGE))
    open_drawers(page, "code")
    code = "import torch\n\ndef f(a):\n    q = torch.round(a)\n    return a + (q - a).detach()"
    write(page, code)
    text = (
        "# Read from your code\na = input([0.5, 1, 2])  # not in your code\n"
        "q = torch.round(a)\nout = a + (q - a).detach()\nshow(out, a)"
    )
    expect(program(page)).to_have_value(text)
    expect(program(page)).to_be_focused()
    expect(control(page, "in.a.values")).to_be_visible()
    expect(page.locator(".gt-code")).to_contain_text("torch.round(a)")
    program(page).evaluate("area => (area.scrollLeft = 100)")
    undo, redo = (page.get_by_role("button", name=LAB_WORDS(name)) for name in ("undo", "redo"))
    undo.click()
    expect(program(page)).to_have_value(code)
    assert program(page).evaluate("area => area.scrollLeft") == 0
    page.get_by_role("button", name=says("run")).click()
    expect(program(page)).to_have_value(text)
    undo.click()
    expect(program(page)).to_have_value(code)
    redo.click()
    expect(program(page)).to_have_value(text)
    write(page, text.replace("show(out", "loss = 3 * out\nshow(loss"))
    expect(page.locator(".gt-code")).to_contain_text("3 * out")
    program(page).press("Control+End")
    page.keyboard.type("  # my")
    page.wait_for_timeout(700)
    expect(program(page)).to_have_value(re.compile(r"show\(loss, a\)  # my$"))


def test_an_error_points_at_its_place_and_picture_and_text_stay(page: Page) -> None:
    before = cells(page)
    text = "x = input([-2, -1, 1])\nz = sqrt(yyyy)\nshow(z, x)"
    write(page, text)
    expect(error(page)).to_contain_text(LANGUAGE("at_place", line=2, column=10, said=""))
    mark = page.locator(".gl-caret")
    expect(mark).to_be_visible()
    assert mark.evaluate("node => node.style.getPropertyValue('--gl-length')") == "4"
    expect(page.locator(".gl-numbers .gl-wrong")).to_have_text("2")
    # The mark lies in the second line, over the first character of the wrong name.
    where = page.evaluate("""() => {
        const box = (node) => node.getBoundingClientRect();
        const area = document.querySelector('textarea.gl-code');
        const style = getComputedStyle(area);
        const canvas = document.createElement('canvas').getContext('2d');
        canvas.font = style.font;
        const left = parseFloat(style.paddingLeft), row = parseFloat(style.lineHeight);
        const mark = box(document.querySelector('.gl-caret')), field = box(area);
        return [(mark.left - field.left - left) / canvas.measureText('0').width,
                (mark.top - field.top - parseFloat(style.paddingTop)) / row];
    }""")
    assert where == pytest.approx([9, 1], abs=0.15)
    assert cells(page) == before
    expect(page.locator(".gl-notes")).to_contain_text(LAB_WORDS("last_picture"))
    page.reload()
    ready(page)
    expect(program(page)).to_have_value(text)
    expect(error(page)).to_contain_text(LANGUAGE("at_place", line=2, column=10, said=""))


def test_half_a_program_waits_and_tab_leaves_the_field_and_runs_it(page: Page) -> None:
    shows(page, "x₁", "autograd", "−1.04595")
    program(page).focus()
    program(page).fill("y = x**2\nz = 7 * x")
    page.wait_for_timeout(700)
    shows(page, "x₁", "autograd", "−1.04595")
    expect(page.get_by_role("button", name=says("run"))).to_be_enabled()
    program(page).press("Tab")
    expect(program(page)).not_to_be_focused()
    shows(page, "x₁", "autograd", "7")


def test_inputs_and_noise_are_live_and_stand_in_the_text(page: Page) -> None:
    high(page).press("End")
    text = FIRST.replace("1.1", "2")
    expect(program(page)).to_have_value(text)
    page.wait_for_function("location.search.includes('program=')")
    control(page, "in.x.entry", "input[type=range]").press("ArrowRight")
    text = text.replace("-2,", "-1.99,")
    expect(program(page)).to_have_value(text)
    expect(control(page, "in.x.values")).to_have_value("[-1.99, -1, 1]")
    write(page, text.replace("uniform", "normal").replace("show", "w = input(3)\nshow"))
    expect(error(page)).to_contain_text(DOCUMENT("inputs_first"))
    control(page, "in.x.entry", "input[type=range]").press("ArrowRight")
    expect(error(page)).to_contain_text(DOCUMENT("inputs_first"))
    write(page, "w = input(3)\n" + text.replace("uniform", "normal"))
    expect(control(page, "in.u.ends", ".gl-label")).to_contain_text(
        LAB_WORDS("spread_of", name="u")
    )
    expect(control(page, "in.w.values")).to_be_visible()


def test_the_scissors_rewrite_the_program_and_say_which_line(page: Page) -> None:
    text, said = program(page).input_value(), page.locator(".gl-rewritten")
    expect(said).to_be_hidden()
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(program(page)).to_have_value(text.replace("y * u", "stop_gradient(y) * u"))
    expect(said).to_have_text(says("line_is_now", line=4, code="yu = stop_gradient(y) * u"))
    expect(node(page, "stop_gradient")).to_be_visible()
    shows(page, "x₁", "autograd", "None")
    expect(edge(page, "mul:0")).to_have_attribute("aria-pressed", "true")
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(program(page)).to_have_value(text)
    expect(said).to_have_text(says("line_is_now", line=4, code="yu = y * u"))
    shows(page, "x₁", "autograd", "−1.04595")
    control(page, "in.x.entry", "input[type=range]").press("End")
    expect(said).to_be_hidden()


def test_on_a_phone_a_run_leads_to_what_it_changed(page: Page) -> None:
    see = page.locator(".gl-ran")
    page.set_viewport_size({"width": 1280, "height": 3000})
    write(page, "y = 4 * x")
    shows(page, "x₁", "autograd", "4")
    expect(see).to_be_hidden()  # one sees the charts change
    page.set_viewport_size({"width": 390, "height": 480})
    write(page, "y = 5 * x * (")
    expect(error(page)).not_to_be_empty()
    expect(see).to_be_hidden()
    write(page, "y = 5 * x")
    see.click()
    expect(see).to_be_hidden()
    expect(page.locator(".gl-stage")).to_be_in_viewport()
    opener(page).scroll_into_view_if_needed()
    write(page, "def f(x):\n    return 3 * x")
    see.click()
    said = DOCUMENT("pasted", inputs="x", output="out")
    expect(page.locator(".gl-notes").first).to_contain_text(said)
    assert 60 <= box_of(page.locator(".gl-notes").first)["y"] < 120


def test_the_address_restores_the_text(page: Page, open_page: OpenPage) -> None:
    text = (
        "x = input([4, 5])\n"
        'with gradient_override_map({"identity": lambda op, grad: grad * 0.5}):\n'
        "    y = identity(x) * 2\nshow(y, x)"
    )
    write(page, text)
    shows(page, "y", "value", "8, 10")
    page.wait_for_function("location.search.includes('program=')")
    there = ready(open_page(page.url))
    open_table(there)
    shows(there, "x₂", "autograd", "1")
    expect(program(there)).to_have_value(text)


def test_undo_and_redo_cross_a_slider_a_preset_a_typed_change_a_rule_and_a_cut(page: Page) -> None:
    names = LAB_WORDS("undo"), LAB_WORDS("redo")
    undo, redo = (page.get_by_role("button", name=name) for name in names)
    texts = [FIRST]

    def noted() -> None:
        expect(program(page)).not_to_have_value(texts[-1])
        answered(page)
        texts.append(program(page).input_value())

    high(page).press("End")
    noted()
    write(page, "y = x * (")
    expect(error(page)).not_to_be_empty()
    noted()
    opener(page).click()
    page.locator(".gl-preset", has_text=titles("stop_gradient")[1]).click()
    noted()
    write(page, texts[-1].replace("x**2", "x**4"))
    noted()
    control(page, "rule.op", "input[value=sqrt]").check(force=True)
    answered(page)
    control(page, "rule", "input[value=halve]").check(force=True)
    noted()
    edge(page, "sqrt:0").focus()
    page.keyboard.press("Enter")
    noted()
    for word, places in ((undo, [*range(len(texts) - 1)][::-1]), (redo, [*range(1, len(texts))])):
        for place in places:
            word.click()
            expect(program(page)).to_have_value(texts[place])
            answered(page)
        expect(word).to_have_attribute("aria-disabled", "true")


def test_a_preset_is_found_by_its_trick(page: Page) -> None:
    tricks, rows = page.locator(".gl-groups input"), page.locator(".gl-preset strong")
    opener(page).press("Enter")
    expect(tricks.nth(0)).to_be_focused()
    expect(rows).to_have_text(titles("stop_gradient"))
    page.keyboard.press("ArrowRight")
    expect(rows).to_have_text(titles("straight_through"))
    page.keyboard.press("Escape")
    expect(rows.first).to_be_hidden()
    expect(opener(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(tricks.nth(0)).to_be_focused()  # the list is open
    tricks.nth(3).check(force=True)
    expect(rows).to_have_text(titles("reversal"))
    page.locator(".gl-preset").nth(1).press("Enter")
    expect(program(page)).to_have_value(to_text(preset("flip_twice")).rstrip("\n"))
    expect(opener(page)).to_have_text(titles("reversal")[1])
    expect(opener(page)).to_be_focused()
    page.wait_for_function("location.search.endsWith('preset=flip_twice')")


# --- in the app ---


@pytest.mark.parametrize("asked", ["", "?preset=right_place"])  # its graph stands upright
def test_program_inputs_and_charts_are_in_sight_and_no_drawer_is_open(
    app: Server, open_page: OpenPage, asked: str
) -> None:
    page = ready(open_page(app.url + PAGE + asked))
    page.locator(".gl-below .main-svg").nth(1).wait_for()
    expect(page.locator(".gl-tab[aria-expanded=true]")).to_have_count(0)
    parts = [program(page), page.locator(".gl-stage"), *page.locator(".gl-below .gl-plot").all()]
    parts += [control(page, "in.x.entry", "input[type=range]"), control(page, "in.x.values")]
    assert len(parts) == 6
    for part in parts:
        expect(part).to_be_in_viewport(ratio=1)


def test_its_first_screen_has_few_things_to_reach_and_the_keyboard_meets_them_in_order(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url + PAGE))
    found = page.evaluate(FOCUSABLE)
    assert len(found) <= 24, found
    parts = ("head", "notes", "stage", "below", "tabs")
    order = page.locator(".gl-lab > *").evaluate_all("all => all.map((one) => one.className)")
    assert [name for name in order if name[3:] in parts] == [f"gl-{name}" for name in parts]
    page.set_viewport_size({"width": 390, "height": 844})
    seen = [program(page), *(page.locator(f".gl-{name}") for name in parts[2:])]
    tops = [box_of(one)["y"] for one in seen]
    assert tops == sorted(tops)
    # A slider's number is above its bar, and comes after it.
    stops = [top for top in page.evaluate(STOPS) if top]
    assert all(after > before - 60 for before, after in itertools.pairwise(stops)), stops


BELOW = """() => [...document.querySelectorAll(".gl-below .gl-plot")].map((one) =>
    Math.round(one.getBoundingClientRect().top + document.querySelector(".stMain").scrollTop))"""


@pytest.mark.parametrize("width", [1280, 390])
def test_an_edit_keeps_the_direction_of_the_graph_and_what_is_below_it_in_place(
    app: Server, open_page: OpenPage, width: int
) -> None:
    page = ready(open_page(app.url + PAGE))
    look(page, width, "light")
    page.locator(".gl-below .main-svg").nth(1).wait_for()
    graph = page.locator(".gl-graph")

    def is_level() -> bool:
        first, second = (box_of(node(page, name)) for name in ("x", "pow"))
        return abs(first["y"] - second["y"]) < 20

    before, level = page.evaluate(BELOW), is_level()
    assert level == (width > 640)
    press_on(page, "mul:0", "Enter")
    expect(node(page, "stop_gradient")).to_be_visible()
    assert is_level() == level
    becomes(page, lambda: page.evaluate(BELOW), before)
    write(page, program(page).input_value().replace("sqrt(yu)", "sqrt(yu) + torch.sin(x) * u"))
    expect(node(page, "sin")).to_be_visible()
    expect(page.locator(".gl-equation")).not_to_be_empty()
    assert is_level() == level
    becomes(page, lambda: page.evaluate(BELOW), before)
    opener(page).click()
    page.locator(".gl-preset", has_text=titles("stop_gradient")[2]).click()
    expect(graph).to_have_attribute("data-upright", "")  # that one is too wide


STOPS = """() => [...document.querySelectorAll(
    ".gl-lab :is(a[href], button, input, select, textarea, summary, [tabindex='0'])"
  )].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().top)"""


def test_a_lesson_opens_its_program_here_and_again(app: Server, open_page: OpenPage) -> None:
    page = ready(open_page(f"{app.url}/reversal?lesson=flip"))
    for _ in range(2):
        page.get_by_role("button", name=MORE).click()
        page.get_by_role("link", name=WORDS("open_in_playground")).click()
        page.wait_for_url("**/playground*")
        expect(program(page)).to_have_value(
            re.compile(r"y = flip_gradient\(x, 2\)\nout = y\*\*3 \+ 2 \* x\nshow\(out, x\)$")
        )
        write(page, "y = 7 * x")
        page.wait_for_timeout(500)
        page.go_back()
        page.wait_for_url("**/reversal*")
        page.wait_for_selector(".st-key-lab_flip .gl-lab[data-ready]")  # the playground has gone
