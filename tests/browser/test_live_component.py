"""A lesson's lab under a hand and a keyboard: sliders, fields, charts, table and drawers."""

import math
import time
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.outputs.catalogue import find
from lessons.outputs.plain_torch import plain_torch
from pages.labs.words import VIEWS
from tests.browser.looking import (
    MORE,
    SPY,
    answered,
    box_of,
    caught_up,
    control,
    exact,
    open_drawers,
    ready,
    says,
)
from tests.conftest import OpenPage
from tests.support.browser import PATIENCE

pytestmark = pytest.mark.browser

LAB = "/stop_gradient?lesson=noise_leaks&step=5&draws=200"
CURVE = "[data-figure=curves] .scatterlayer .js-line"
# Every animation frame: which charts in sight have nothing drawn; and every answer drawn.
WATCH = r"""() => {
  window.empty = [];
  window.drawn = new Set();
  const lab = document.querySelector(".gl-lab");
  new MutationObserver(() => drawn.add(lab.dataset.seq)).observe(lab, { attributes: true });
  const look = () => {
    for (const figure of document.querySelectorAll("[data-figure]")) {
      const marks = [...figure.querySelectorAll(".scatterlayer .js-line")];
      if (!marks.some((mark) => mark.getAttribute("d")?.length > 5)) empty.push(figure.className);
    }
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.fixture
def page(bare: str, open_page: OpenPage) -> Page:
    page = ready(open_page(bare + LAB, script=SPY))
    open_drawers(page, MORE, "curves")
    page.locator(CURVE).first.wait_for()
    return page


def bar(page: Page, name: str) -> Locator:
    return control(page, name, "input[type=range]")


def settled(page: Page) -> None:
    """Wait until the newest change has been answered, and Plotly has drawn it."""
    answered(page)
    caught_up(page)


def line(page: Page) -> list[str]:
    """The curves as drawn: what the learner sees, in short."""
    return list(page.locator(CURVE).evaluate_all("all => all.map(one => one.getAttribute('d'))"))


def test_a_drag_is_followed_in_place_and_the_last_value_wins(page: Page) -> None:
    page.evaluate(WATCH)
    page.evaluate("window.svg = document.querySelector('[data-figure=curves] svg.main-svg')")
    length = page.evaluate("history.length")
    bar(page, "noise_high").scroll_into_view_if_needed()
    box = box_of(bar(page, "noise_high"))

    def move(share: float) -> None:
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)

    move(0.5)
    page.mouse.down()
    start = time.monotonic()
    while page.evaluate("drawn.size") < 15:
        spent = time.monotonic() - start
        assert spent < PATIENCE
        move(0.7 + 0.2 * math.sin(3 * spent))
    move(0.9)
    page.mouse.up()
    settled(page)
    assert page.evaluate("empty") == []
    assert page.evaluate("svg === document.querySelector('[data-figure=curves] svg.main-svg')")
    value = exact(page, "noise_high").input_value()
    assert float(value) > 1.5
    page.wait_for_function("value => location.search.includes(`noise_high=${value}`)", arg=value)
    assert page.evaluate("history.length") == length, "Back would replay the drag"
    seen = line(page)
    page.reload()
    open_drawers(ready(page), "curves")
    settled(page)
    assert line(page) == seen


def test_zoom_is_drawn_on_demand_outlives_an_answer_and_a_button_ends_it(page: Page) -> None:
    reach = "document.querySelector('[data-figure=curves] .gl-plot')._fullLayout.xaxis.range"
    area = page.locator("[data-figure=curves] .nsewdrag").first
    toolbar = page.locator("[data-figure=curves] .modebar")

    def press(name: str) -> None:
        area.hover()
        toolbar.get_by_role("button", name=name).click()

    def drag() -> None:
        box = box_of(area)
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 100, steps=5)
        page.mouse.up()

    page.locator("[data-figure=curves]").evaluate("one => one.scrollIntoView({ block: 'center' })")
    page.mouse.move(0, 0)  # away from where a drawer was opened
    whole = page.evaluate(reach)
    expect(toolbar).not_to_be_visible()
    drag()
    page.wait_for_timeout(300)
    assert page.evaluate(reach) == whole, "a plain drag zooms"
    press(says("zoom"))
    drag()
    page.wait_for_function(f"whole => {reach}[0] > whole[0]", arg=whole)
    zoomed, before = page.evaluate(reach), line(page)
    bar(page, "noise_high").press("ArrowRight")
    settled(page)
    assert line(page) != before
    assert page.evaluate(reach) == zoomed
    press(says("whole_view"))
    page.wait_for_function(f"whole => String({reach}) === String(whole)", arg=whole)
    drag()
    page.wait_for_timeout(300)
    assert page.evaluate(reach) == whole, "the whole view ends the zoom"


def test_fields_choices_and_a_click_on_a_point(page: Page) -> None:
    draws = exact(page, "draws")
    draws.fill("123")
    draws.press("Enter")
    settled(page)
    expect(draws).to_have_value("123")  # no place of the bar is so exact
    bar(page, "draws").press("ArrowRight")
    expect(draws).to_have_value("200")
    expect(bar(page, "draws")).to_have_attribute("aria-valuetext", "200")
    seed = control(page, "seed")
    for key in ("ArrowUp", "ArrowUp", "ArrowDown"):
        seed.press(key)
    expect(seed).to_have_value("1")
    seed.fill("77")
    page.wait_for_function("location.search.includes('seed=77')")  # after a short rest
    control(page, "dtype", "input:checked").press("ArrowRight")
    page.wait_for_function("location.search.includes('dtype=')")
    open_drawers(page, "curves")
    settled(page)
    point = page.locator("[data-figure=curves] .points path").last
    point.scroll_into_view_if_needed()
    box = box_of(point)
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(control(page, "point", "select")).to_have_value("3")
    page.wait_for_function("location.search.includes('point=3')")


def test_an_error_stands_beside_its_field_and_the_picture_stays(page: Page) -> None:
    before = line(page)
    number = exact(page, "noise_high")
    number.fill("two")
    number.press("Enter")
    alert = page.locator("[data-control=noise_high]").get_by_role("alert")
    expect(alert).to_contain_text("two")
    expect(number).to_have_attribute("aria-invalid", "true")
    assert alert.get_attribute("id") in (number.get_attribute("aria-describedby") or "").split()
    number.blur()
    bar(page, "noise_low").press("ArrowRight")  # another answer does not take the text away
    settled(page)
    expect(number).to_have_value("two")
    number.fill("1.3")
    number.press("Enter")
    expect(alert).to_be_empty()
    expect(number).not_to_have_attribute("aria-invalid", "true")
    settled(page)
    assert line(page) != before


def test_a_reset_takes_over_and_counting_goes_on_from_it_at_once(page: Page) -> None:
    bar(page, "noise_high").press("End")
    settled(page)
    page.evaluate(
        """() => {
          ordered({ values: { noise_high: "1.1" } });
          const bar = document.querySelector("[data-control=noise_high] input[type=range]");
          bar.stepUp();
          bar.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    page.wait_for_function("location.search.includes('noise_high=1.11')")
    expect(exact(page, "noise_high")).to_have_value("1.11")


def test_a_drawer_opens_in_place_and_closed_it_is_not_asked_for(page: Page) -> None:
    tab = page.get_by_role("button", name=VIEWS["curves"], exact=True)
    assert '"open":["curves"]' in page.evaluate("sent.labs.at(-1)")
    tab.press("Enter")
    expect(page.locator("[data-figure]")).to_have_count(0)
    expect(tab).to_be_focused()
    before = line(page)
    bar(page, "noise_high").press("End")
    answered(page)
    assert '"open":[]' in page.evaluate("sent.labs.at(-1)")
    tab.press("Enter")
    expect(tab).to_have_attribute("aria-expanded", "true")
    settled(page)
    assert line(page) != before  # as it is now, not as it was
    page.evaluate("placed({ step: 4 })")
    expect(page.locator("[data-figure]")).to_have_count(0)


def test_the_file_to_take_home_has_what_the_controls_say(page: Page) -> None:
    open_drawers(page, "code")
    exact(page, "noise_high").fill("1.25")
    answered(page)
    with page.expect_download() as download:
        page.get_by_role("link", name=says("download", name="noise_leaks.py")).click()
    lesson = find("noise_leaks")
    text = plain_torch(lesson, lesson.validate({"draws": "200", "noise_high": "1.25"}))
    assert Path(download.value.path()).read_text("utf-8") == text


def test_a_phone_scrolls_down_only_and_has_room_for_a_finger(
    bare: str, open_page: OpenPage
) -> None:
    page = ready(open_page(bare + LAB, width=390, height=844))
    open_drawers(page, "curves", "histogram", MORE)
    expect(page.locator("[data-figure]")).to_have_count(2)
    beyond, small = page.evaluate(
        """[[".gl-lab *", (box, one) => box.right > 390 && !one.closest(".gl-scroll, svg")],
            [".gl-lab :is(input, select)", (box) => box.height < 40]]
          .map(([parts, isWrong]) => [...document.querySelectorAll(parts)]
            .filter((one) => one.checkVisibility() && isWrong(one.getBoundingClientRect(), one))
            .map((one) => one.className))"""
    )
    assert beyond == []
    assert small == []
