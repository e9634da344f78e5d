"""The playground's lab: written, run, refused, undone, linked."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from lessons.playground import preset
from tests.browser.looking import SPY, answered, asked, cells, control, edge, look, node, ready

pytestmark = pytest.mark.browser

PAGE = "/playground"


@pytest.fixture
def page(bare, open_page) -> Page:
    page = ready(open_page(bare + PAGE, script=SPY))
    open_table(page)
    page.locator("details.gl-group").evaluate_all("all => all.forEach(one => (one.open = true))")
    return page


def open_table(page: Page) -> None:
    page.locator(".gl-tab", has_text="Table").click()
    page.locator("[data-table]").wait_for()


def program(page: Page):
    return control(page, "program", "textarea")


def write(page: Page, text: str) -> None:
    """Replace the program and run it, as a keyboard does."""
    program(page).fill(text)
    program(page).press("Control+Enter")


def number(page: Page, row: str, column: str) -> str:
    columns = page.locator("[data-table] thead th").all_inner_texts()
    place = next(i for i, name in enumerate(columns) if name.endswith(column))
    return next(row_[place] for row_ in cells(page) if row_[0] == row)


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


def test_an_edited_program_is_run_and_its_numbers_change(page):
    write(page, "y = 5 * x\nclean = y")
    expect(page.locator('[data-control="program"] .gl-error')).to_be_empty()
    control(page, "output", "select").evaluate("node => node.closest('details').open = true")
    control(page, "output", "select").select_option("")
    shows(page, "x₁", "autograd", "5")
    expect(page.locator(".st-key-code .gt-code")).to_contain_text("5 * x")


def test_a_pasted_function_is_replaced_by_its_body_while_the_field_has_the_focus(page):
    text = "import torch\n\ndef f(x):\n    q = torch.round(x)\n    return x + (q - x).detach()"
    write(page, text)
    body = "q = torch.round(x)\nout = x + (q - x).detach()"
    expect(program(page)).to_have_value(body)
    expect(program(page)).to_be_focused()
    shows(page, "x₁", "autograd", "1")
    page.keyboard.press("Control+End")
    page.keyboard.type("\nloss = mean(out")
    expect(program(page)).to_have_value(f"{body}\nloss = mean(out")


def test_an_error_points_at_its_place_and_picture_and_text_stay(page):
    before = cells(page)
    text = "y = x**2\nz = sqrt(yy)\nclean = y"
    write(page, text)
    error = page.locator('[data-control="program"] .gl-error')
    expect(error).to_contain_text("Line 2, column 10")
    expect(error).to_contain_text("Did you mean y?")
    mark = page.locator(".gl-caret")
    expect(mark).to_be_visible()
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
    expect(program(page)).to_have_value(text)
    expect(page.locator(".gl-notes")).to_contain_text("last program that ran")
    page.reload()
    ready(page)
    expect(program(page)).to_have_value(text)
    expect(error).to_contain_text("Line 2, column 10")


def test_half_a_program_waits_and_tab_leaves_the_field_and_runs_it(page):
    shows(page, "x₁", "autograd", "−1.04595")
    program(page).focus()
    program(page).fill("y = x**2\nz = 7 * x")
    page.wait_for_timeout(700)
    assert number(page, "x₁", "autograd") == "−1.04595"
    expect(page.get_by_role("button", name="Run")).to_be_enabled()
    program(page).press("Tab")
    expect(page.locator('[data-control="program"] textarea')).not_to_be_focused()
    expect(page.locator(".gl-notes")).to_contain_text("There’s no clean any more")
    shows(page, "x₁", "autograd", "7")
    # What is wrong in a folded group opens it, and the picture is that of before.
    control(page, "low", "input").evaluate("node => node.closest('details').open = true")
    control(page, "low").fill("9")
    control(page, "low").press("Tab")
    control(page, "low").evaluate("node => node.closest('details').open = false")
    write(page, "y = x**2\nz = 7 * x * 2")
    expect(page.locator(".gl-lab.gl-old")).to_be_visible()
    expect(control(page, "low")).to_be_visible()


def test_inputs_noise_and_seed_are_live(page):
    before = number(page, "z", "value")
    bar = control(page, "in.u.b", "input[type=range]")
    bar.press("End")
    page.wait_for_function("location.search.includes('program=')")
    assert number(page, "z", "value") != before
    control(page, "in.u.is", "input[value=normal]").check(force=True)
    expect(control(page, "in.u.b", ".gl-label")).to_contain_text("standard deviation")
    control(page, "inputs").fill("x, u, w")
    expect(control(page, "in.w.values")).to_be_visible()
    control(page, "in.x.entry", "input[type=range]").press("ArrowRight")
    expect(control(page, "in.x.values")).to_have_value("[-1.99, -1, 1]")


def test_a_rule_is_offered_and_hung_on_an_op(page):
    control(page, "preset", "select").select_option(label=preset("halve").title)
    shows(page, "x₁", "autograd", "108")
    offers = control(page, "override.1.op", "datalist option")
    assert offers.first.get_attribute("value") in ("mul", "square", "identity")
    control(page, "override.1.rule").fill("grad * 0.25")
    control(page, "override.1.rule").press("Enter")
    shows(page, "x₁", "autograd", "54")
    control(page, "override.1.rule").fill("gard")
    error = page.locator('[data-control="override.1.rule"] .gl-error')
    expect(error).to_contain_text("grad")
    shows(page, "x₁", "autograd", "54")
    control(page, "override.1.rule").fill("")
    control(page, "override.1.op").fill("")
    control(page, "override.1.op").press("Enter")
    shows(page, "x₁", "autograd", "216")


def test_a_row_of_the_table_is_not_refused_while_it_is_filled_in(page):
    error = page.locator('[data-control="override.1.rule"] .gl-error')
    op, rule = control(page, "override.1.op"), control(page, "override.1.rule")
    op.press_sequentially("mul")
    rule.focus()
    page.wait_for_timeout(700)  # what is typed is sent after a quarter of a second
    expect(error).to_be_empty()
    expect(page.locator(".gl-lab.gl-old")).to_have_count(0)
    program(page).focus()
    expect(error).to_contain_text("Write a rule")
    rule.press_sequentially("grad * in2, None")
    expect(error).to_be_empty()
    rule.fill("clip")
    expect(page.locator('[data-control="override.1.rule"] .gl-help')).to_contain_text(
        "clamp(grad, -0.1, 0.1)"
    )


def test_a_cut_says_which_line_of_the_program_it_rewrote(page):
    said = page.locator(".gl-rewritten")
    expect(page.locator(".gl-detail")).to_contain_text("Click an edge to cut it")
    expect(said).to_be_hidden()
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(said).to_have_text("Line 2 of the program now says: yu = stop_gradient(y) * u")
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(said).to_have_text("Line 2 of the program now says: yu = y * u")
    control(page, "in.x.entry", "input[type=range]").press("End")
    expect(said).to_be_hidden()


def test_the_graph_says_which_entry_it_shows(page):
    write(page, "w = sum(x)\nz = w * x")
    entries = page.locator(".gl-entries")
    expect(entries).to_have_text("Showing the first input, x = −2.")
    expect(page.locator(".gl-words")).to_contain_text("A gradient into a tensor with one number is")
    control(page, "in.x.values").fill("4")
    control(page, "in.x.values").press("Enter")
    expect(entries).to_be_hidden()


def test_on_a_phone_a_run_leads_to_what_it_changed(page):
    see = page.locator(".gl-ran")
    page.set_viewport_size({"width": 1280, "height": 3000})
    write(page, "y = 4 * x")
    shows(page, "x₁", "autograd", "4")
    expect(see).to_be_hidden()  # one sees the charts change
    look(page, 390, "light")
    # As the app's style has it: the program, then what is said of it, then the stage.
    order = ".gl-lab { display: flex; flex-direction: column } .gl-head { order: -2 }"
    page.add_style_tag(content=f"{order} .gl-notes {{ order: -1 }}")
    write(page, "y = 5 * x * (")
    expect(page.locator('[data-control="program"] .gl-error')).not_to_be_empty()
    expect(see).to_be_hidden()
    write(page, "y = 5 * x")
    see.click()
    expect(see).to_be_hidden()
    expect(page.locator(".gl-stage")).to_be_in_viewport()
    write(page, "def f(x):\n    return 3 * x")
    see.click()
    expect(page.locator(".gl-notes").first).to_contain_text("Your code is the program now.")
    assert 60 <= page.locator(".gl-notes").first.bounding_box()["y"] < 120


def test_the_mark_is_as_long_as_the_word_that_is_meant(page):
    write(page, "y = clip(x, -1, 1)")
    mark = page.locator(".gl-caret")
    expect(mark).to_be_visible()
    assert mark.evaluate("node => node.style.getPropertyValue('--gl-length')") == "4"


def test_the_address_restores_program_inputs_and_rules(page, open_page):
    write(page, "y = identity(x) * u\nz = y")
    control(page, "in.x.values").fill("4, 5")
    control(page, "override.1.op").fill("identity")
    control(page, "override.1.rule").fill("halve")
    page.locator("h1").click()
    control(page, "intended", "select").evaluate("node => node.closest('details').open = true")
    control(page, "intended", "select").select_option("")
    shows(page, "x₂", "value", "5")
    expect(page.locator('[data-control="program"] .gl-error')).to_be_empty()
    page.wait_for_function("location.search.includes('program=')")
    answered(page)
    first = cells(page)
    there = ready(open_page(page.url))
    open_table(there)
    assert cells(there) == first
    expect(program(there)).to_have_value("y = identity(x) * u\nz = y")
    expect(control(there, "override.1.rule")).to_have_value("halve")


@pytest.mark.long  # on a commit test_wire.py goes further
def test_undo_and_redo(page):
    text = program(page).input_value()
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    expect(undo).to_have_attribute("aria-disabled", "true")
    write(page, text.replace("x**2", "x**4"))
    shows(page, "y", "value", "16, 1, 1")
    undo.click()
    expect(program(page)).to_have_value(text)
    shows(page, "y", "value", "4, 1, 1")
    redo.click()
    shows(page, "y", "value", "16, 1, 1")
    control(page, "preset", "select").select_option(label=preset("flip").title)
    expect(program(page)).to_have_value(preset("flip").program)
    assert asked(page) == {"preset": "flip"} or page.wait_for_url("**preset=flip*") is None
    undo.click()
    shows(page, "y", "value", "16, 1, 1")
    undo.click()
    shows(page, "y", "value", "4, 1, 1")


def test_a_click_on_an_edge_rewrites_the_program_and_another_mends_it(page):
    text = program(page).input_value()
    expect(edge(page, "mul:0")).to_have_attribute("role", "button")
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(program(page)).to_have_value(text.replace("y * u", "stop_gradient(y) * u"))
    expect(node(page, "stop_gradient")).to_be_visible()
    shows(page, "x₁", "autograd", "None")
    expect(edge(page, "mul:0")).to_have_attribute("aria-pressed", "true")
    edge(page, "mul:0").focus()
    page.keyboard.press("Enter")
    expect(program(page)).to_have_value(text)
    shows(page, "x₁", "autograd", "−1.04595")
    page.get_by_role("button", name="Undo").click()
    shows(page, "x₁", "autograd", "None")


def test_the_graph_follows_the_inputs_and_its_step_is_in_the_address(page, open_page):
    value = node(page, "sqrt").locator(".gl-value")
    before = value.text_content()
    control(page, "in.x.entry", "input[type=range]").press("End")
    expect(value).not_to_have_text(before)
    page.locator("summary", has_text="Step by step").click()
    page.get_by_role("button", name="Back", exact=True).click()
    page.wait_for_function("location.search.includes('at=')")
    step = page.locator(".gl-place").text_content()
    there = ready(open_page(page.url))
    expect(there.locator(".gl-place")).to_have_text(step)


# The server hears all three on every commit, in test_whole_app.py.
@pytest.mark.parametrize(
    "query",
    [
        "program=@@@",
        *(
            pytest.param(one, marks=pytest.mark.long)
            for one in ("preset=%3Cscript%3E", "program=" + "A" * 30_000)
        ),
    ],
)
def test_what_an_address_asks_in_vain_is_said(bare, open_page, query):
    page = ready(open_page(f"{bare}{PAGE}?{query}"))
    expect(page.locator(".gl-stage svg").first).to_be_visible()
    expect(page.locator(".gl-notes")).to_contain_text("What is shown is")


@pytest.mark.parametrize(
    "query", ["?preset=three_outputs", pytest.param("", marks=pytest.mark.long)]
)
def test_it_passes_axe_in_both_themes_and_nothing_is_cut_off_on_a_phone(bare, open_page, query):
    page = ready(open_page(bare + PAGE + query))
    write(page, "y = sqrt(")
    expect(page.locator('[data-control="program"] .gl-error')).not_to_be_empty()
    for width, theme in ((1280, "light"), (390, "dark")):
        look(page, width, theme)
        found = Axe().run(page, context=".stMainBlockContainer")
        assert [
            (v["id"], v["nodes"][0]["html"][:200], v["nodes"][0]["failureSummary"][:300])
            for v in found.response["violations"]
        ] == []
        ends = "[document.documentElement, document.querySelector('.stMain')]"
        assert max(page.evaluate(f"{ends}.map((one) => one.scrollWidth)")) <= width
