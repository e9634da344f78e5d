"""A training in a real browser: it moves while one watches, takes a change, stops, is left."""

import pytest
from playwright.sync_api import Page, expect

from lessons.outputs.catalogue import find
from tests.browser.looking import becomes, open_drawers, ready, trains

pytestmark = pytest.mark.browser

LESSON = "/reversal?lesson=moons&step=2&seeds=4"


def opened(open_page, url: str, **how) -> Page:
    page = trains(ready(open_page(url, height=1400, **how)))
    tabs = page.locator(".gl-tab").all_inner_texts()
    open_drawers(page, *(one for one in tabs if one in ("Table", "Graph", "More settings")))
    expect(button(page, "Start")).to_be_visible()
    return page


def button(page: Page, name: str):
    return page.locator(".gl-trainer").get_by_role("button", name=name, exact=True)


def done(page: Page) -> int:
    return int(page.evaluate("document.querySelector('.gl-progress').value"))


def reaches(page: Page, step: int, timeout: float = 60_000) -> None:
    page.wait_for_function(
        f"document.querySelector('.gl-progress').value >= {step}", timeout=timeout
    )


def test_start_watch_change_pause_reload(bare, open_page):
    page = opened(open_page, bare + LESSON)
    expect(page.get_by_role("button", name="Start")).to_have_count(1)
    line = page.locator("[data-figure=accuracy] .scatterlayer .js-line").last
    button(page, "Start").click()
    reaches(page, 5)
    drawn = line.get_attribute("d") or ""
    reaches(page, 25)
    expect(line).not_to_have_attribute("d", drawn)  # the curve grows
    entry = page.locator('[data-control="scale"] input:not([type=range])')
    entry.fill("3")
    entry.press("Enter")
    page.wait_for_function("location.search.includes('scale=3')")
    before = done(page)
    reaches(page, before + 5)  # it goes on, and did not begin anew
    button(page, "Pause").click()
    expect(page.locator(".gl-trainer")).to_have_attribute("data-state", "paused")
    paused = done(page)
    expect(page.locator(".st-key-words")).to_contain_text(f"After step {paused} of")
    page.wait_for_timeout(600)
    assert done(page) == paused
    button(page, "Go on").click()
    reaches(page, paused + 1)
    page.reload()
    ready(page)
    expect(button(page, "Start")).to_be_visible()
    expect(entry).to_have_value("3")
    assert done(page) == 0


def test_a_cut_in_the_graph_begins_a_new_run_that_is_cut(bare, open_page):
    page = opened(open_page, bare + LESSON + "&steps=30&schedule=fixed")

    def columns() -> list[list[str]]:
        rows = page.locator("[data-table] tbody tr")
        return [rows.nth(i).locator("td").all_inner_texts()[-2:] for i in range(rows.count())]

    button(page, "Start").click()
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("done", timeout=60_000)
    whole = columns()
    assert any(wired != alone for wired, alone in whole)
    page.locator('.gl-edge[data-id="domain_head:0"] .gl-gradient').click()
    page.wait_for_function("location.search.includes('cuts=domain_head:0')")
    page.wait_for_function("document.querySelector('.gl-progress').value === 0")
    button(page, "Start").click()
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("done", timeout=60_000)
    cut = columns()
    assert all(wired == alone for wired, alone in cut)
    assert [alone for _, alone in cut] == [alone for _, alone in whole]


def test_another_step_begins_no_run_by_itself(app, open_page):
    page = opened(open_page, app.url + LESSON)
    button(page, "Start").click()
    reaches(page, 3)
    page.locator(".st-key-next button").click()
    page.wait_for_function("location.search.includes('step=3')")
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("of 600")
    expect(button(page, "Start")).to_be_visible()
    becomes(page, lambda: done(page), 0)
    page.wait_for_timeout(1000)  # in which it would have begun
    assert done(page) == 0


MOMENT = """() => {
  const said = (name) => document.querySelector(`.st-key-words [data-number^="${name}:"]`);
  const alt = document.querySelector("[data-figure=accuracy] [aria-label]").ariaLabel;
  return {
    bar: document.querySelector(".gl-progress").value,
    step: Number(said("step").textContent),
    target: said("trick_target").textContent,
    chart: Number(/After step (\\d+)/.exec(alt)[1]),
    chartTarget: Number(/target (\\d+)%/.exec(alt)[1]) / 100,
    loud: said("step").closest("[aria-live], [role=status], [role=alert], [role=log]") !== null,
  };
}"""


def test_the_text_goes_along_with_the_charts_while_it_runs(bare, open_page):
    page = opened(open_page, bare + LESSON)
    button(page, "Start").click()
    moments = []
    while len(moments) < 8:
        page.wait_for_function(
            "last => document.querySelector('.gl-progress').value > last",
            arg=moments[-1]["bar"] if moments else 0,
        )
        moments.append(page.evaluate(MOMENT))
    expect(button(page, "Pause")).to_be_visible()
    for one in moments:
        assert one["bar"] == one["step"] == one["chart"]
        assert abs(float(one["target"]) - one["chartTarget"]) <= 0.01 + 1e-9, "both are rounded"
        assert not one["loud"], "a screen reader would read out every picture"
    assert len({one["target"] for one in moments}) > 2


def question_of(lesson: str, step: int) -> str:
    return find(lesson).prose.steps[step - 1].question.name


def commit(page: Page, question: str) -> None:
    """The page says that this was answered."""
    page.evaluate("name => placed({ answers: [name] })", question)


def test_what_a_run_would_answer_waits_for_the_answer(bare, open_page):
    page = opened(open_page, bare + "/reversal?lesson=moons&step=1&seeds=4")
    expect(button(page, "Start")).to_be_disabled()
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("Answer the question first")
    page.evaluate("placed({ step: 2 })")  # skipped, it holds nothing more
    expect(button(page, "Start")).to_be_enabled(timeout=60_000)
    page.evaluate("placed({ step: 1 })")
    expect(button(page, "Start")).to_be_disabled()
    commit(page, question_of("moons", 1))
    expect(button(page, "Start")).to_be_enabled(timeout=60_000)
    button(page, "Start").click()
    reaches(page, 3)


def test_a_control_that_would_tell_is_held_whatever_the_address_says(bare, open_page):
    url = bare + "/override_map?lesson=guided_relu&step=4&seeds=2&randomised=1"
    page = opened(open_page, url)
    held = page.locator('[data-control="randomised"] input').first
    expect(held).to_be_disabled()
    expect(held).to_have_value("0")
    expect(page.get_by_role("button", name="Alike", exact=True)).to_have_count(0)
    commit(page, question_of("guided_relu", 4))
    expect(held).to_be_enabled(timeout=60_000)
    held.fill("1")
    held.press("Enter")
    expect(page.get_by_role("button", name="Alike", exact=True)).to_have_count(1, timeout=60_000)


SHOWN = """name => {
  const plot = document.querySelector(`[data-figure=${name}] .js-plotly-plot`);
  return plot.data.filter((one) => one.visible !== false).length;
}"""


def test_a_training_draws_nothing_that_a_question_covers(bare, open_page):
    page = opened(open_page, bare + "/clipping?lesson=cliff&step=3&seeds=2&steps=60")
    open_drawers(page, "Shares")
    page.locator("[data-figure=shares] .js-plotly-plot").wait_for()
    button(page, "Start").click()
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("done", timeout=60_000)
    table = page.locator(".gl-scroll table")
    said = "no clipping: its mean, its area and its name"
    becomes(page, lambda: page.evaluate(SHOWN, "shares"), 3, said)
    expect(table.locator("tbody tr").first).to_contain_text("?")
    commit(page, question_of("cliff", 3))
    expect(table.locator("tbody tr").first).not_to_contain_text("?", timeout=60_000)
    becomes(page, lambda: page.evaluate(SHOWN, "shares"), 9, "three means, areas and names")
