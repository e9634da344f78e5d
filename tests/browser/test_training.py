"""A training in a real browser: it moves while one watches, takes a change, stops, is left."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lessons.outputs.catalogue import find
from tests.bench.usage import cpu_seconds
from tests.browser.looking import becomes, caught_up, control, ready, to_lesson, trains

pytestmark = pytest.mark.browser

LESSON = "/reversal?lesson=moons&step=2&seeds=4"
# Each picture of a training some milliseconds after it came: after the frame that was asked for.
LATE = """
window.WebSocket = class extends WebSocket {
  set onmessage(hear) {
    super.onmessage = (event) => {
      const isPicture = typeof event.data !== "string" && new Uint32Array(event.data, 4, 1)[0];
      if (isPicture) setTimeout(hear, 40, event);
      else hear(event);
    };
  }
};
"""
# In which of the browser's frames each of these first looked otherwise than now.
CHANGES = """(names) => {
  const look = (name) => document.querySelector(name).innerHTML;
  const before = names.map(look);
  window.changes = {};
  let frame = 0;
  const see = () => {
    frame += 1;
    names.forEach((name, at) => {
      if (!(name in changes) && look(name) !== before[at]) changes[name] = frame;
    });
    if (Object.keys(changes).length < names.length) requestAnimationFrame(see);
    else window.all = true;
  };
  requestAnimationFrame(see);
}"""


def opened(open_page, url: str, **how) -> Page:
    page = trains(ready(open_page(url, height=1400, **how)))
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


def test_what_a_key_changes_in_a_training_at_rest_is_drawn_at_once(bare, open_page):
    address = "/stop_gradient?lesson=noise_layer&step=2"
    page = trains(ready(open_page(bare + address, height=3200, script=LATE)))
    caught_up(page)
    control(page, "strength", "input[type=range]").focus()
    page.evaluate(CHANGES, ["[data-figure=noise]", "[data-table]"])
    page.keyboard.press("ArrowRight")
    page.wait_for_function("window.all")
    changes = page.evaluate("changes")
    assert len(set(changes.values())) == 1, changes


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


# Whether the bar has gone back: so short a run is over before anybody looks.
BEGUN = """() => {
  const bar = document.querySelector('.gl-progress');
  window.begun = false;
  new MutationObserver(() => { begun ||= bar.value < bar.max; })
    .observe(bar, { attributeFilter: ["value"] });
}"""


def test_another_step_begins_no_run_by_itself(app, open_page):
    page = opened(open_page, app.url + LESSON)
    button(page, "Start").click()
    reaches(page, 3)
    page.locator(".st-key-next button").click()
    expect(page.locator(".gt-eyebrow")).to_contain_text("Step 3 of")
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("of 600")
    expect(button(page, "Start")).to_be_visible()
    becomes(page, lambda: done(page), 0)
    page.wait_for_timeout(1000)  # in which it would have begun
    assert done(page) == 0


@pytest.mark.long  # on a commit test_wire.py has a run that ends
def test_it_ends_by_itself_and_the_text_tells_how(bare, open_page):
    page = opened(open_page, bare + LESSON + "&steps=12")
    button(page, "Start").click()
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("done", timeout=60_000)
    expect(page.locator(".st-key-words")).to_contain_text("After step 12 of 12")
    page.evaluate(BEGUN)
    button(page, "Train again").click()
    page.wait_for_function("begun", timeout=60_000)
    expect(button(page, "Train again")).to_be_visible(timeout=60_000)
    assert done(page) == 12


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


@pytest.mark.long
def test_turning_to_the_next_step_while_it_runs_is_in_the_address_and_goes_on(app, open_page):
    page = opened(open_page, app.url + "/clipping?lesson=cliff&step=4&seeds=2&steps=5000")
    button(page, "Start").click()
    reaches(page, 3)
    page.locator(".st-key-next button").click()
    page.wait_for_function("() => location.search.includes('step=5')")
    before = done(page)
    reaches(page, before + 3)


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


def ordered(page: Page, name: str, **values: str) -> None:
    """The page sets the lab, as a commit or another step does."""
    order = {"id": name, "first": False, "values": values, "cuts": None, "graph_step": None}
    page.evaluate("order => placed({ orders: [order] })", order)


@pytest.mark.long
def test_a_commit_that_sets_nothing_of_the_training_leaves_the_run_as_it_is(bare, open_page):
    page = opened(open_page, bare + "/override_map?lesson=guided_relu&step=7&rate=0.01")
    button(page, "Start").click()
    reaches(page, 2)
    ordered(page, "looks", randomised="1")
    page.wait_for_function("location.search.includes('randomised=1')")
    reaches(page, done(page) + 2)
    expect(button(page, "Pause")).to_be_visible()
    ordered(page, "the same", rate="0.010")
    reaches(page, done(page) + 2)
    expect(button(page, "Pause")).to_be_visible()
    ordered(page, "another", rate="0.02")
    expect(button(page, "Go on")).to_be_visible()


def test_a_control_that_would_tell_is_held_whatever_the_address_says(bare, open_page):
    url = bare + "/override_map?lesson=guided_relu&step=4&seeds=2&randomised=1"
    page = opened(open_page, url)
    held = page.locator('[data-control="randomised"] input').first
    expect(held).to_be_disabled()
    expect(held).to_have_value("0")
    expect(page.locator("[data-figure=alike]")).to_have_count(0)
    commit(page, question_of("guided_relu", 4))
    expect(held).to_be_enabled(timeout=60_000)
    held.fill("1")
    held.press("Enter")
    expect(page.locator("[data-figure=alike]")).to_have_count(1, timeout=60_000)


SHOWN = """name => {
  const plot = document.querySelector(`[data-figure=${name}] .js-plotly-plot`);
  return plot.data.filter((one) => one.visible !== false).length;
}"""


def test_a_training_draws_nothing_that_a_question_covers(bare, open_page):
    page = opened(open_page, bare + "/clipping?lesson=cliff&step=3&seeds=2&steps=60")
    button(page, "Start").click()
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("done", timeout=60_000)
    table = page.locator(".gl-scroll table")
    said = "no clipping: its mean, its area and its name"
    becomes(page, lambda: page.evaluate(SHOWN, "shares"), 3, said)
    expect(table.locator("tbody tr").first).to_contain_text("?")
    commit(page, question_of("cliff", 3))
    expect(table.locator("tbody tr").first).not_to_contain_text("?", timeout=60_000)
    becomes(page, lambda: page.evaluate(SHOWN, "shares"), 9, "three means, areas and names")


def test_the_keyboard_alone_starts_and_pauses_it(bare, open_page):
    page = opened(open_page, bare + LESSON)
    button(page, "Start").focus()
    page.keyboard.press("Enter")
    reaches(page, 3)
    page.keyboard.press("Space")
    expect(button(page, "Go on")).to_be_focused()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the kernel's table")
@pytest.mark.long  # on a commit tests/server/test_trainings.py has it, where the line is closed
@pytest.mark.parametrize("way", ["Glossary", "Flip", "about:blank"])
def test_leaving_the_page_ends_it_within_a_second(app, open_page, way):
    """By one of Streamlit's links; by one between lessons; by going elsewhere."""
    page = opened(open_page, app.url + LESSON.replace("seeds=4", "seeds=20"))

    def train() -> None:
        button(page, "Start").click()
        reaches(page, 3)

    def nobody_trains() -> None:
        time.sleep(1.0)
        start = cpu_seconds(app)
        time.sleep(1.5)
        assert cpu_seconds(app) - start < 0.3, "it still trains"

    def another_page_is_drawn(title: str) -> None:
        expect(page.locator("h1")).to_have_text(title)
        page.wait_for_selector('.stApp[data-test-script-state="notRunning"]')

    train()
    if way == "Course":
        page.locator(".st-key-header").get_by_role("link").first.click()
        another_page_is_drawn("Course")
    elif way == "Flip":
        to_lesson(page, "Flip")
        another_page_is_drawn(find("flip").title)
    else:
        page.goto(way)
    nobody_trains()
