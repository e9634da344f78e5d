"""A training in a real browser: it moves while one watches, takes a change, stops, is left."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.outputs.catalogue import find
from pages.labs.words import VIEWS
from tests.browser.looking import MORE, control, open_drawers, ready, says, trains
from tests.conftest import OpenPage
from tests.support.present import present

pytestmark = pytest.mark.browser

LESSON = "/reversal?lesson=moons&step=3&seeds=4&steps=20000"


def opened(open_page: OpenPage, url: str) -> Page:
    page = trains(ready(open_page(url, height=1400)))
    tabs = page.locator(".gl-tab").all_inner_texts()
    wanted = (VIEWS["table"], VIEWS["graph"], MORE)
    open_drawers(page, *(one for one in tabs if one in wanted))
    expect(button(page, "start")).to_be_visible()
    return page


def button(page: Page, name: str) -> Locator:
    return page.locator(".gl-trainer").get_by_role("button", name=says(name), exact=True)


def done(page: Page) -> int:
    return int(page.evaluate("document.querySelector('.gl-progress').value"))


def reaches(page: Page, step: int) -> None:
    page.wait_for_function(f"document.querySelector('.gl-progress').value >= {step}")


def test_start_watch_change_pause_reload(bare: str, open_page: OpenPage) -> None:
    page = opened(open_page, bare + LESSON)
    expect(page.get_by_role("button", name=says("start"))).to_have_count(1)
    line = page.locator("[data-figure=accuracy] .scatterlayer .js-line").last
    button(page, "start").click()
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
    button(page, "pause").click()
    expect(page.locator(".gl-trainer")).to_have_attribute("data-state", "paused")
    paused = done(page)
    expect(page.locator(".st-key-words")).to_contain_text(f"After step {paused} of")
    page.wait_for_timeout(600)
    assert done(page) == paused
    button(page, "go_on").click()
    reaches(page, paused + 1)
    page.reload()
    ready(page)
    expect(button(page, "start")).to_be_visible()
    expect(entry).to_have_value("3")
    assert done(page) == 0


MOMENT = """() => {
  const said = (name) => document.querySelector(`.st-key-words [data-number^="${name}:"]`);
  const chart = document.querySelector("[data-figure=accuracy] [aria-label]");
  // The step, and then the end of each line, that of the trick last.
  const told = chart.ariaLabel.match(/\\d+(\\.\\d+)?/g);
  return {
    bar: document.querySelector(".gl-progress").value,
    step: Number(said("step").textContent),
    target: said("trick_target").textContent,
    chart: Number(told[0]),
    chartTarget: Number(told.at(-1)),
    loud: said("step").closest("[aria-live], [role=status], [role=alert], [role=log]") !== null,
  };
}"""


def test_the_text_goes_along_with_the_charts_while_it_runs(bare: str, open_page: OpenPage) -> None:
    page = opened(open_page, bare + LESSON)
    button(page, "start").click()
    moments: list[dict[str, Any]] = []
    while len(moments) < 8:
        page.wait_for_function(
            "last => document.querySelector('.gl-progress').value > last",
            arg=moments[-1]["bar"] if moments else 0,
        )
        moments.append(page.evaluate(MOMENT))
    expect(button(page, "pause")).to_be_visible()
    for one in moments:
        assert one["bar"] == one["step"] == one["chart"]
        assert abs(float(one["target"]) - one["chartTarget"]) <= 0.01 + 1e-9, "both are rounded"
        assert not one["loud"], "a screen reader would read out every picture"
    assert len({one["target"] for one in moments}) > 2


def test_a_training_that_is_the_answer_waits_for_it(bare: str, open_page: OpenPage) -> None:
    page = opened(open_page, bare + "/reversal?lesson=moons&step=2&seeds=4&steps=20000")
    expect(button(page, "start")).to_be_disabled()
    expect(page.locator(".gl-trainer .gl-trained")).to_contain_text("skip the question first")
    page.evaluate("placed({ step: 3 })")  # skipped, it holds nothing more
    expect(button(page, "start")).to_be_enabled()
    page.evaluate("placed({ step: 2 })")
    expect(button(page, "start")).to_be_disabled()
    question = present(find("moons").prose.steps[1].question).name
    page.evaluate("name => placed({ answers: [name] })", question)  # it was answered
    expect(button(page, "start")).to_be_enabled()
    button(page, "start").click()
    reaches(page, 3)


def test_a_lab_that_looks_back_leaves_the_address_alone(bare: str, open_page: OpenPage) -> None:
    page = opened(open_page, bare + LESSON)
    page.evaluate("placed({ looks_back: true })")
    before = page.url
    entry = control(page, "seeds")
    for seeds in ("5", "6"):
        entry.fill(seeds)
        entry.press("Enter")
        page.wait_for_function(
            "seeds => document.querySelector('.gl-status').textContent.includes(seeds)",
            arg=f"{seeds} seeds",
        )
    assert page.url == before
