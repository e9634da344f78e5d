"""The playground: written, pasted, refused, undone, linked, with its goals; then in the app."""

import pytest
from playwright.sync_api import Page, expect

from lessons.playground.document.presets import preset
from lessons.playground.document.words import WORDS as DOCUMENT
from lessons.playground.language.words import WORDS as LANGUAGE
from pages.labs.words import WORDS as LAB_WORDS
from pages.ui.words import WORDS
from tests.browser.looking import (
    FOCUSABLE,
    MORE,
    SPY,
    answered,
    cells,
    control,
    edge,
    look,
    node,
    open_drawers,
    ready,
    says,
)

pytestmark = pytest.mark.browser

PAGE = "/playground"


@pytest.fixture
def page(bare, open_page) -> Page:
    page = ready(open_page(bare + PAGE, script=SPY))
    open_table(page)
    open_drawers(page, MORE)
    page.locator("details.gl-group").evaluate_all("all => all.forEach(one => (one.open = true))")
    return page


def open_table(page: Page) -> None:
    open_drawers(page, "table")
    page.locator("[data-table]").wait_for()


def program(page: Page):
    return control(page, "program", "textarea")


def error(page: Page, name: str = "program"):
    return page.locator(f'[data-control="{name}"] .gl-error')


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


def test_pasted_code_becomes_the_program_and_its_inputs_unfold_once(bare, open_page):
    page = ready(open_page(bare + PAGE))
    open_drawers(page, "table", "code")
    inputs = page.locator("details.gl-group").first
    expect(inputs).not_to_have_attribute("open", "")
    write(
        page, "import torch\n\ndef f(a):\n    q = torch.round(a)\n    return a + (q - a).detach()"
    )
    body = "q = torch.round(a)\nout = a + (q - a).detach()"
    expect(program(page)).to_have_value(body)
    expect(program(page)).to_be_focused()
    expect(inputs).to_have_attribute("open", "")
    expect(control(page, "in.a.values")).to_be_visible()
    expect(page.locator(".gt-code")).to_contain_text("torch.round(a)")
    inputs.locator("summary").click()
    program(page).press("Control+End")
    page.keyboard.type("\nloss = 3 * out")
    program(page).press("Control+Enter")
    expect(page.locator(".gt-code")).to_contain_text("3 * out")
    expect(inputs).not_to_have_attribute("open", "")
    page.keyboard.type("\nloss = mean(out")
    expect(program(page)).to_have_value(f"{body}\nloss = 3 * out\nloss = mean(out")


def test_an_error_points_at_its_place_and_picture_and_text_stay(page):
    before = cells(page)
    text = "y = x**2\nz = sqrt(yyyy)\nclean = y"
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


def test_half_a_program_waits_and_tab_leaves_the_field_and_runs_it(page):
    shows(page, "x₁", "autograd", "−1.04595")
    program(page).focus()
    program(page).fill("y = x**2\nz = 7 * x")
    page.wait_for_timeout(700)
    shows(page, "x₁", "autograd", "−1.04595")
    expect(page.get_by_role("button", name=says("run"))).to_be_enabled()
    program(page).press("Tab")
    expect(program(page)).not_to_be_focused()
    expect(page.locator(".gl-notes")).to_contain_text(DOCUMENT("intended_gone", name="clean"))
    shows(page, "x₁", "autograd", "7")
    # What is wrong in a closed drawer opens it, and the picture is that of before.
    control(page, "low").fill("9")
    control(page, "low").press("Tab")
    expect(control(page, "low")).to_have_attribute("aria-invalid", "true")
    page.locator(".gl-tab", has_text=MORE).click()
    expect(control(page, "low")).to_be_hidden()
    write(page, "y = x**2\nz = 7 * x * 2")
    expect(page.locator(".gl-lab.gl-old")).to_be_visible()
    expect(control(page, "low")).to_be_visible()


def test_inputs_and_noise_are_live(page):
    before = cells(page)
    control(page, "in.u.b", "input[type=range]").press("End")
    page.wait_for_function("location.search.includes('program=')")
    assert cells(page) != before
    control(page, "in.u.is", "input[value=normal]").check(force=True)
    expect(control(page, "in.u.b", ".gl-label")).to_contain_text(
        LAB_WORDS("deviation_of", name="u")
    )
    control(page, "inputs").fill("x, u, w")
    expect(control(page, "in.w.values")).to_be_visible()
    control(page, "in.x.entry", "input[type=range]").press("ArrowRight")
    expect(control(page, "in.x.values")).to_have_value("[-1.99, -1, 1]")


def test_a_rule_is_offered_and_not_refused_while_its_row_is_filled_in(page):
    op, rule = control(page, "override.1.op"), control(page, "override.1.rule")
    op.press_sequentially("mul")
    rule.focus()
    page.wait_for_timeout(700)  # what is typed is sent after a quarter of a second
    expect(error(page, "override.1.rule")).to_be_empty()
    expect(page.locator(".gl-lab.gl-old")).to_have_count(0)
    program(page).focus()
    expect(error(page, "override.1.rule")).to_contain_text(DOCUMENT("no_rule"))
    rule.press_sequentially("grad * in2, None")
    expect(error(page, "override.1.rule")).to_be_empty()
    control(page, "preset", "select").select_option(label=preset("halve").title)
    shows(page, "x₁", "autograd", "108")
    assert op.locator("xpath=..").locator("option").first.get_attribute("value")
    rule.fill("grad * 0.25")
    rule.press("Enter")
    shows(page, "x₁", "autograd", "54")
    rule.fill("gard")
    expect(error(page, "override.1.rule")).to_contain_text("grad")
    shows(page, "x₁", "autograd", "54")
    rule.fill("")
    op.fill("")
    op.press("Enter")
    shows(page, "x₁", "autograd", "216")


def test_the_scissors_rewrite_the_program_and_say_which_line(page):
    text, said = program(page).input_value(), page.locator(".gl-rewritten")
    expect(said).to_be_hidden()
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(program(page)).to_have_value(text.replace("y * u", "stop_gradient(y) * u"))
    expect(said).to_have_text(says("line_is_now", line=2, code="yu = stop_gradient(y) * u"))
    expect(node(page, "stop_gradient")).to_be_visible()
    shows(page, "x₁", "autograd", "None")
    expect(edge(page, "mul:0")).to_have_attribute("aria-pressed", "true")
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(program(page)).to_have_value(text)
    expect(said).to_have_text(says("line_is_now", line=2, code="yu = y * u"))
    shows(page, "x₁", "autograd", "−1.04595")
    control(page, "in.x.entry", "input[type=range]").press("End")
    expect(said).to_be_hidden()


def test_on_a_phone_a_run_leads_to_what_it_changed(page):
    see = page.locator(".gl-ran")
    page.set_viewport_size({"width": 1280, "height": 3000})
    write(page, "y = 4 * x")
    shows(page, "x₁", "autograd", "4")
    expect(see).to_be_hidden()  # one sees the charts change
    look(page, 390, "light")
    write(page, "y = 5 * x * (")
    expect(error(page)).not_to_be_empty()
    expect(see).to_be_hidden()
    write(page, "y = 5 * x")
    see.click()
    expect(see).to_be_hidden()
    expect(page.locator(".gl-stage")).to_be_in_viewport()
    write(page, "def f(x):\n    return 3 * x")
    see.click()
    said = DOCUMENT("pasted", inputs="x", output="out")
    expect(page.locator(".gl-notes").first).to_contain_text(said)
    assert 60 <= page.locator(".gl-notes").first.bounding_box()["y"] < 120


def test_the_address_restores_program_inputs_and_rules(page, open_page):
    write(page, "y = identity(x) * u\nz = y")
    control(page, "in.x.values").fill("4, 5")
    control(page, "override.1.op").fill("identity")
    control(page, "override.1.rule").fill("halve")
    page.locator("h1").click()
    control(page, "intended", "select").select_option("")
    shows(page, "x₂", "value", "5")
    expect(error(page)).to_be_empty()
    page.wait_for_function("location.search.includes('program=')")
    answered(page)
    first = cells(page)
    there = ready(open_page(page.url))
    open_table(there)
    assert cells(there) == first
    expect(program(there)).to_have_value("y = identity(x) * u\nz = y")
    expect(control(there, "override.1.rule")).to_have_value("halve")


def test_undo_and_redo_cross_a_preset_a_typed_change_and_a_cut(page):
    names = LAB_WORDS("undo"), LAB_WORDS("redo")
    undo, redo = (page.get_by_role("button", name=name) for name in names)
    control(page, "preset", "select").select_option(label=preset("wrong_place").title)
    texts = [preset("noise_leaks").program, preset("wrong_place").program]
    expect(program(page)).to_have_value(texts[1])
    answered(page)
    texts.append(texts[1].replace("x**2", "x**4"))
    write(page, texts[2])
    shows(page, "y", "value", "16, 1, 1")
    answered(page)
    edge(page, "sqrt:0").focus()
    page.keyboard.press("Enter")
    expect(program(page)).not_to_have_value(texts[-1])
    answered(page)
    texts.append(program(page).input_value())
    for word, places in ((undo, (2, 1, 0)), (redo, (1, 2, 3))):
        for place in places:
            word.click()
            expect(program(page)).to_have_value(texts[place])
            answered(page)
        expect(word).to_have_attribute("aria-disabled", "true")
    shows(page, "y", "value", "16, 1, 1")


def test_a_goal_is_turned_to_and_ticked_once_it_is_reached(page):
    goals = page.locator(".gl-goals")
    after = goals.get_by_role("button", name=says("next_goal"))
    title, text = page.locator(".gl-goals-title"), page.locator(".gl-goal-text")
    expect(title).to_have_text(says("goals_reached", reached=0, all=12))
    first = text.inner_text()
    goals.get_by_role("button", name=says("previous_goal")).click()
    expect(goals).to_contain_text(says("goal_place", number=12, all=12))
    after.press("Enter")
    expect(text).to_have_text(first)
    write(page, "z = stop_gradient(x**2)")
    expect(title).to_have_text(says("goals_reached", reached=1, all=12))
    expect(page.locator(".gl-goal-state")).to_have_text(says("goal_reached"))


# --- in the app ---


def test_its_first_screen_has_few_things_to_reach_and_the_keyboard_meets_them_in_order(
    app, open_page
):
    page = ready(open_page(app.url + PAGE))
    found = page.evaluate(FOCUSABLE)
    assert len(found) <= 20, found
    parts = ("head", "notes", "stage", "goals", "tabs")
    order = page.locator(".gl-lab > *").evaluate_all("all => all.map((one) => one.className)")
    assert [name for name in order if name[3:] in parts] == [f"gl-{name}" for name in parts]
    page.set_viewport_size({"width": 390, "height": 844})
    tops = [page.locator(f".gl-{name}").bounding_box()["y"] for name in parts if name != "notes"]
    assert tops == sorted(tops)


@pytest.mark.long
def test_the_first_undo_after_coming_back_is_heard(app, open_page):
    page = ready(open_page(app.url + PAGE))
    text = program(page).input_value()
    for power in ("4", "6"):
        write(page, text.replace("x**2", f"x**{power}"))
        page.wait_for_function("location.search.includes('program=')")
    page.locator(".st-key-header").get_by_role("link", name=WORDS("course")).click()
    expect(page.locator(".gl-lab")).to_have_count(0)
    page.locator(".st-key-header").get_by_role("link", name=WORDS("playground")).click()
    ready(page)
    page.get_by_role("button", name=LAB_WORDS("undo")).click()
    expect(program(page)).to_have_value(text.replace("x**2", "x**4"))


def test_a_lesson_opens_its_program_here_and_again(app, open_page):
    page = ready(open_page(f"{app.url}/reversal?lesson=flip"))
    for _ in range(2):
        page.get_by_role("button", name=MORE).click()
        page.get_by_role("link", name=WORDS("open_in_playground")).click()
        page.wait_for_url("**/playground*")
        expect(program(page)).to_have_value("y = flip_gradient(x, 2)\nout = y**3 + 2 * x")
        write(page, "y = 7 * x")
        page.wait_for_timeout(500)
        page.go_back()
        page.wait_for_url("**/reversal*")
        ready(page)
