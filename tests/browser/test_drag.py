"""What a hand drags: tips, lines and points in charts, numbers in the text; by mouse, keyboard and
finger."""

import math
import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import (
    MORE,
    SPY,
    asked,
    box_of,
    caught_up,
    control,
    exact,
    open_drawers,
    pull,
    ready,
    says,
)
from tests.conftest import OpenPage
from tests.support.amount import also
from tests.support.present import present

pytestmark = pytest.mark.browser

VECTOR = "/clipping?lesson=value_or_norm&step=1&g1=3&g2=1"
PLACE = """([figure, x, y]) => {
  const plot = document.querySelector(`[data-figure=${figure}] .gl-plot`);
  const {left, top} = plot.getBoundingClientRect();
  const {xaxis, yaxis} = plot._fullLayout;
  return [left + xaxis._offset + xaxis.c2p(x), top + yaxis._offset + yaxis.c2p(y)];
}"""
RANGES = """() => ['xaxis', 'yaxis'].map(
  (name) => String(
    document.querySelector('[data-figure=arrows] .gl-plot')._fullLayout[name].range))"""


def shown(page: Page, *figures: str) -> Page:
    """The same page, with these charts and all controls in sight."""
    ready(page)
    for name in figures:
        if not page.locator(f":is(.gl-stage, .gl-below) [data-figure={name}]").count():
            open_drawers(page, name)
        page.locator(f"[data-figure={name}] .nsewdrag").first.wait_for()
    return open_drawers(page, MORE)


def at(page: Page, figure: str, x: float, y: float) -> tuple[float, float]:
    """Where a place of a chart is in the window, once Plotly itself has drawn it."""
    page.locator(f"[data-figure={figure}] .gl-plot").scroll_into_view_if_needed()
    caught_up(page)
    return tuple(page.evaluate(PLACE, [figure, x, y]))


def test_a_tip_and_a_number_of_the_text_set_the_lab(bare: str, open_page: OpenPage) -> None:
    page = shown(open_page(bare + VECTOR), "arrows")
    plot = page.locator("[data-figure=arrows] .gl-plot")
    first, second = (page.locator(f'[data-number="{name}:.3g"]').first for name in ("g1", "g2"))
    tip, there = at(page, "arrows", 3, 1), at(page, "arrows", 2, 2)
    page.mouse.move(tip[0] + 3, tip[1])
    expect(plot).to_have_attribute("data-drag", "xy")
    ranges = page.evaluate(RANGES)
    pull(page, tip, there[0] - tip[0], there[1] - tip[1])
    expect(second).not_to_have_text("1")  # while the hand is down
    assert page.evaluate(RANGES) == ranges, "the axes move under the hand"
    assert "g1=" not in page.url, "the address is written on release"
    page.mouse.up()
    page.wait_for_function("location.search.includes('g1=')")
    moved = [float(exact(page, name).input_value()) for name in ("g1", "g2")]
    assert moved == pytest.approx([2, 2], abs=0.1)
    assert [first.inner_text(), second.inner_text()] == [f"{one:g}" for one in moved]

    expect(first).to_have_attribute("aria-valuenow", f"{moved[0]:g}")
    first.press_sequentially("-2")
    expect(exact(page, "g1")).to_have_value(f"{moved[0]:g}")  # not yet
    first.press("End")
    expect(exact(page, "g1")).to_have_value("4")
    expect(first).to_have_text("4")  # the text moves no more
    box = box_of(first)
    pull(page, (box["x"] + 4, box["y"] + 8), -75)  # a quarter of the range
    page.mouse.up()
    expect(exact(page, "g1")).to_have_value("2")
    page.evaluate("placed({fix: ['g1']})")  # as a teacher's link does
    expect(first).not_to_have_attribute("role", "spinbutton")


POINT = """([figure, index]) => {
  const plot = document.querySelector(`[data-figure=${figure}] .gl-plot`);
  const trace = plot.data.find(({meta}) => meta?.part === 'points');
  return [trace.x[index], trace.y[index]];
}"""


@pytest.mark.parametrize(
    ("address", "figure", "name"),
    [
        ("/stop_gradient?lesson=two_passes&step=6", "curves", "x"),
        ("/playground", "forward", "in.x.values"),
    ],
)
def test_a_point_goes_along_x_and_its_number_follows(
    bare: str, open_page: OpenPage, address: str, figure: str, name: str
) -> None:
    page = shown(open_page(bare + address), figure)

    def numbers() -> list[float]:
        return [float(one) for one in control(page, name).input_value().strip("[]").split(",")]

    before = numbers()
    pull(page, at(page, figure, *page.evaluate(POINT, [figure, 0])), -3000, 40)
    low = page.evaluate(
        f"document.querySelector('[data-figure={figure}] .gl-plot')._fullLayout.xaxis.range[0]"
    )
    page.mouse.up()
    page.wait_for_function("location.search.includes('x')")
    assert numbers() == [pytest.approx(low, abs=0.01), *before[1:]]  # no further than the axis


# A page that was swiped may go on scrolling for a while.
# A busy machine draws seldom: so many pictures in which nothing has moved, too.
UNTIL_STILL = """async () => {
  const main = document.querySelector('.stMain');
  for (let still = 0, before = -1; still < 10; ) {
    await new Promise((done) => setTimeout(() => requestAnimationFrame(done), 30));
    still = main.scrollTop === before ? still + 1 : 0;
    before = main.scrollTop;
  }
}"""


def swipe(page: Page, start: tuple[float, float], x: float, y: float) -> float:
    """Swipe a finger so far, and return by how much the page scrolled.

    The events themselves say how fast it goes, because a busy machine hears of them later.
    """
    scrolled = "document.querySelector('.stMain').scrollTop"
    before = page.evaluate(scrolled)
    begun = time.time()
    touch = page.context.new_cdp_session(page)

    def send(kind: str, ms: float, *points: dict[str, float]) -> None:
        event = {"type": kind, "touchPoints": list(points), "timestamp": begun + ms / 1000}
        touch.send("Input.dispatchTouchEvent", event)

    send("touchStart", 0, {"x": start[0], "y": start[1]})
    for step in range(1, 7):
        there = {"x": start[0] + x * step / 6, "y": start[1] + y * step / 6}
        send("touchMove", 25 * step, there)
        page.wait_for_timeout(25)
    send("touchEnd", 25 * 7)
    touch.detach()
    page.wait_for_timeout(300)
    page.evaluate(UNTIL_STILL)
    return float(page.evaluate(scrolled) - before)


def test_a_finger_drags_what_it_is_on_and_scrolls_everywhere_else(bare: str, phone: Page) -> None:
    phone.goto(bare + VECTOR)
    shown(phone, "arrows")
    tip = at(phone, "arrows", 3, 1)
    assert swipe(phone, (tip[0] + 15, tip[1] + 12), -10, -60) == 0
    second = float(exact(phone, "g2").input_value())
    assert second > 1.3
    for place in ((-0.5, 2.8), (0.3, 1.5)):  # the second is on the square
        assert swipe(phone, at(phone, "arrows", *place), 0, -80) > 30
    assert float(exact(phone, "g2").input_value()) == second
    assert exact(phone, "limit").input_value() == "1.5"
    assert swipe(phone, at(phone, "arrows", 1.5, 0.6), 40, 5) == 0
    assert float(exact(phone, "limit").input_value()) > 1.8


def test_a_finger_scrolls_over_a_slider_and_drags_its_thumb(bare: str, phone: Page) -> None:
    phone.goto(bare + VECTOR)
    shown(phone, "arrows")
    bar, number = control(phone, "g2"), exact(phone, "g2")
    bar.scroll_into_view_if_needed()

    def along(part: float) -> tuple[float, float]:
        box = box_of(bar)
        return box["x"] + part * box["width"], box["y"] + box["height"] / 2

    assert abs(swipe(phone, along(0.1), 3, 80)) > 30
    assert number.input_value() == "1"
    phone.touchscreen.tap(*along(0.9))
    assert number.input_value() == "1"
    low, high, value = (
        float(bar.evaluate(f"bar => bar.{name}")) for name in ("min", "max", "value")
    )
    felt = """bar => {
      const { left, top, width, height } = bar.getBoundingClientRect();
      const places = Array.from({ length: width }, (_, along) => left + along);
      return places.filter((x) => document.elementFromPoint(x, top + height / 2) === bar).length;
    }"""
    assert bar.evaluate(felt) >= 44, "of the bar, a finger feels the thumb alone"
    x, y = along((value - low) / (high - low))
    assert abs(swipe(phone, (x + 15, y), 3, 80)) > 30
    assert number.input_value() == "1", "a scroll that began beside the thumb's middle"
    assert swipe(phone, along((value - low) / (high - low)), 60, 2) == 0
    assert float(number.input_value()) > 1


def test_the_bar_of_the_backward_pass_is_scrubbed_by_finger_and_by_keys(
    bare: str, phone: Page
) -> None:
    phone.goto(bare + "/stop_gradient?lesson=wrong_place&step=3&at=0")
    ready(phone)
    bar = phone.get_by_role("slider", name=says("backward_pass"))
    bar.scroll_into_view_if_needed()
    box = box_of(bar)
    assert box["height"] >= 44
    steps = int(present(bar.get_attribute("max")))
    expect(bar).to_have_attribute("aria-valuetext", says("step_of", step=0, all=steps))
    # From the thumb at the bar's start, aslant and soon off the bar: nothing scrolls.
    start = (box["x"] + 9, box["y"] + 22)
    assert swipe(phone, start, 0.6 * box["width"], -0.5 * box["width"]) == 0
    reached = float(bar.input_value())
    assert 0 < reached < steps
    assert reached == int(reached), "with no motion there are whole steps alone"
    assert phone.locator(".gl-node[data-step=current]").get_attribute("data-id")
    place = says("step_at", step=f"{reached:g}", all=steps, node="")
    expect(bar).to_have_attribute("aria-valuetext", re.compile(f"^{re.escape(place)}."))

    bar.press("ArrowLeft")
    expect(bar).to_have_value(f"{reached - 1:g}")
    bar.press("ArrowUp")
    expect(bar).to_have_value(f"{reached:g}")
    bar.press("End")
    expect(bar).to_have_value(str(steps))
    bar.press("ArrowRight")
    expect(bar).to_have_value(str(steps))
    bar.press("Home")
    expect(bar).to_have_attribute("aria-valuetext", says("step_of", step=0, all=steps))


def test_a_number_that_maths_is_split_around_is_a_handle(bare: str, phone: Page) -> None:
    phone.goto(bare + "/override_map?lesson=clip_identity&step=1")  # “With k = 3 the true”
    shown(phone)
    factor = phone.locator('[data-number="factor:.3g"]').first
    expect(factor).to_have_role("spinbutton")
    factor.press("ArrowUp")
    expect(exact(phone, "factor")).to_have_value("3.1")
    phone.wait_for_function("location.search.includes('factor=3.1')")
    caught_up(phone)  # nothing moves any more
    box = box_of(factor)
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert swipe(phone, middle, 40, 3) == 0
    assert float(exact(phone, "factor").input_value()) > 3.2
    expect(factor).to_have_text(f"{float(exact(phone, 'factor').input_value()):.3g}")


def test_the_input_that_the_text_speaks_of_is_a_handle_for_its_place_in_the_list(
    bare: str, open_page: OpenPage
) -> None:
    page = shown(open_page(bare + "/reversal?lesson=flip&step=1&x=-1.5,-0.5,1"))
    x, inputs = page.locator('[data-number="x:.3g"]').first, control(page, "x")
    expect(x).to_have_attribute("aria-valuenow", "1")
    x.press("ArrowUp")
    expect(inputs).to_have_value("-1.5, -0.5, 1.1")
    x.press_sequentially("-2")
    x.press("Enter")
    x.press("End")  # a list's entry has no end
    expect(inputs).to_have_value("-1.5, -0.5, -2")
    expect(page).to_have_url(re.compile("-0.5,.*-2$"))  # the lab has answered, nothing moves
    box = box_of(x)
    pull(page, (box["x"] + 4, box["y"] + 8), 50)  # a sixth of what a drag goes through
    page.mouse.up()
    expect(inputs).to_have_value("-1.5, -0.5, -1")
    expect(x).to_have_text("−1")


CLIFF_MAP = "/clipping?lesson=cliff&step=5&path=21"


def over(page: Page, right: float, down: float) -> tuple[float, float]:
    """Pixels of a place on the map, as shares of it from its upper left corner."""
    page.locator("[data-figure=map]").scroll_into_view_if_needed()
    area = box_of(page.locator("[data-figure=map] .nsewdrag"))
    return area["x"] + right * area["width"], area["y"] + down * area["height"]


def test_a_click_and_a_drag_on_the_map_set_both_weights(bare: str, open_page: OpenPage) -> None:
    page = shown(open_page(bare + CLIFF_MAP, height=1400, script=SPY), "map")
    plot = page.locator("[data-figure=map] .gl-plot")

    def start() -> list[float]:
        return [float(exact(page, name).input_value()) for name in "wb"]

    before = plot.get_attribute("aria-label")
    page.mouse.click(*over(page, 0.25, 0.5))
    page.wait_for_function("/[?&]w=.*[?&]b=/.test(location.search)")
    assert start() == pytest.approx([4, -2.5], abs=0.05)
    expect(plot).not_to_have_attribute("aria-label", before)

    mark = page.locator("[data-figure=map] .scatterlayer .trace .point").first
    zoom = "document.querySelector('[data-figure=map] .gl-plot')._fullLayout.xaxis.range"
    place, query, reach = mark.get_attribute("transform"), asked(page), page.evaluate(zoom)
    start_at, there, beyond = over(page, 0.25, 0.5), over(page, 0.55, 0.7), over(page, 6, 0.3)
    pull(page, start_at, there[0] - start_at[0], there[1] - start_at[1])
    expect(mark).not_to_have_attribute("transform", place)
    assert asked(page) == query, "the address is written on release"
    page.mouse.move(*beyond)
    page.mouse.up()
    page.wait_for_function("location.search.includes('w=7&')")
    page.wait_for_function("""sent.labs.findLast((one) => / ask /.test(one))
        .includes('"moving":false')""")  # the whole paths, which a drag shortens
    assert start()[0] == 7.0, "beyond the edge is the edge"
    assert page.evaluate(zoom) == reach

    page.evaluate("placed({fix: ['w']})")  # as a teacher's link does
    expect(exact(page, "w")).to_be_disabled()
    page.mouse.click(*over(page, 0.75, 0.75))
    page.wait_for_function("/b=-(3|2.9)/.test(location.search)")
    assert start() == [7, pytest.approx(-3.0, abs=0.05)]


LIMIT = "/clipping?lesson=where_to_clip&step=2"
LEAK = "/in_the_wild?lesson=critic_leak&step=99"


@pytest.mark.parametrize(
    ("address", "figure", "start", "end", "name", "expected"),
    [
        (LIMIT, "gradient", (3.5, 3), (3.5, 7), "limit", 7),
        ("/gone_missing?lesson=scaled&step=99&scale=65536", "length", (16, -6), (10, -6),
         "scale", 1024),
        *also(
            ("/reversal?lesson=two_players&step=1", "plane", (0.47, 0.17), (0.3, 0.5), "turn", 59),
            (LEAK, "updates", (0, 0.5), (0, 0.8), "v", 0.8),
            (LEAK, "updates", (40, 1), (40, 0.7), "reward", 0.7),
        ),
    ],
    ids=["length", "scale", "angle", "start", "level"],
)  # fmt: skip
def test_dragging_a_drawn_setting_sets_its_control(
    bare: str,
    open_page: OpenPage,
    address: str,
    figure: str,
    start: tuple[float, int],
    end: tuple[float, int],
    name: str,
    expected: int,
) -> None:
    page = shown(open_page(bare + address), figure)
    here, there = at(page, figure, *start), at(page, figure, *end)
    before = exact(page, name).input_value()
    pull(page, here, there[0] - here[0], there[1] - here[1])
    page.mouse.up()
    expect(exact(page, name)).not_to_have_value(before)
    set_to = float(exact(page, name).input_value())
    assert math.isclose(set_to, expected, rel_tol=0.12), set_to
