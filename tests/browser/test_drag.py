"""What a hand drags: tips, lines and points in charts, numbers in the text; by mouse, keyboard and
finger."""

import re
import time

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.looking import caught_up, control, exact, ready
from tests.browser.test_accessibility import broken

pytestmark = pytest.mark.browser

VECTOR = "/clipping?lesson=value_or_norm&step=1"
PLACE = """([figure, x, y]) => {
  const plot = document.querySelector(`[data-figure=${figure}] .gl-plot`);
  const {left, top} = plot.getBoundingClientRect();
  const {xaxis, yaxis} = plot._fullLayout;
  return [left + xaxis._offset + xaxis.c2p(x), top + yaxis._offset + yaxis.c2p(y)];
}"""
RANGES = """() => ['xaxis', 'yaxis'].map(
  (name) => String(
    document.querySelector('[data-figure=arrows] .gl-plot')._fullLayout[name].range))"""


def at(page: Page, figure: str, x: float, y: float) -> tuple[float, float]:
    """Where a place of a chart is in the window, once Plotly itself has drawn it."""
    page.locator(f"[data-figure={figure}] .gl-plot").scroll_into_view_if_needed()
    caught_up(page)
    return tuple(page.evaluate(PLACE, [figure, x, y]))


def pull(page: Page, start: tuple[float, float], across: float, down: float) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + across, start[1] + down, steps=6)


def test_a_tip_a_limit_and_a_number_of_the_text_set_the_lab(bare, open_page):
    page = ready(open_page(bare + VECTOR))
    plot = page.locator("[data-figure=arrows] .gl-plot")
    first, second = (page.locator(f'[data-number="{name}:.3g"]') for name in ("g1", "g2"))
    tip = at(page, "arrows", 3, 1)
    page.mouse.move(tip[0] + 3, tip[1])
    expect(plot).to_have_attribute("data-drag", "xy")
    ranges = page.evaluate(RANGES)
    pull(page, tip, -62, -62)
    expect(second).not_to_have_text("1")  # while the hand is down
    assert page.evaluate(RANGES) == ranges, "the axes move under the hand"
    assert "g1=" not in page.url, "the address is written on release"
    page.mouse.up()
    page.wait_for_function("location.search.includes('g1=')")
    moved = [float(exact(page, name).input_value()) for name in ("g1", "g2")]
    assert moved == pytest.approx([3 - 62 * 3.86 / 291, 1 + 62 * 3.86 / 291], abs=0.25)
    assert [first.inner_text(), second.inner_text()] == [f"{one:g}" for one in moved]

    pull(page, at(page, "arrows", 0, 1.5), 0, -2000)
    page.mouse.up()
    expect(exact(page, "limit")).to_have_value("5")  # the slider's end

    expect(first).to_have_attribute("aria-valuenow", f"{moved[0]:g}")
    first.press("ArrowUp")
    expect(exact(page, "g1")).to_have_value(f"{moved[0] + 0.1:.1f}")
    first.press_sequentially("-2")
    expect(exact(page, "g1")).to_have_value(f"{moved[0] + 0.1:.1f}")  # not yet
    first.press("Enter")
    expect(exact(page, "g1")).to_have_value("-2")
    expect(first).to_have_text("−2")
    first.press("End")
    expect(exact(page, "g1")).to_have_value("4")
    expect(first).to_have_text("4")  # the text moves no more
    box = first.bounding_box()
    pull(page, (box["x"] + 4, box["y"] + 8), -75, 0)  # a quarter of the range
    page.mouse.up()
    expect(exact(page, "g1")).to_have_value("2")
    assert broken(page, ".st-key-words") == []
    page.evaluate("placed({fix: ['g1']})")  # as a teacher's link does
    expect(first).not_to_have_attribute("role", "spinbutton")


def test_a_point_goes_along_x_and_its_number_follows(bare, open_page):
    page = ready(open_page(bare + "/stop_gradient?lesson=two_passes&step=1"))
    pull(page, at(page, "forward", -1, 1), -3000, 40)
    low = page.evaluate(
        "document.querySelector('[data-figure=forward] .gl-plot')._fullLayout.xaxis.range[0]"
    )
    expect(control(page, "x")).to_have_value(f"-2, {low:g}, 3")  # no further than the axis
    page.mouse.up()
    page.wait_for_function("location.search.includes('x=')")
    expect(control(page, "point", "select")).to_have_value("2")


EDGE = """([figure, at, role, yaxis]) => {
  // Where both edges of a role's band are over x = `at`, in the window: the upper one first.
  const plot = document.querySelector(`[data-figure=${figure}] .gl-plot`);
  const {left, top} = plot.getBoundingClientRect();
  const {xaxis, [yaxis]: axis} = plot._fullLayout;
  const trace = plot.data.find((one) => one.meta?.part === 'band' && (one.yaxis ?? 'y') === (
    yaxis === 'yaxis2' ? 'y2' : 'y') && (one.fill === 'toself') === (role !== 'true'));
  const near = Array.from(trace.x, (x, i) => [Math.abs(x - at), trace.y[i]]);
  const least = Math.min(...near.map(([away]) => away).filter(Number.isFinite));
  const ys = near.filter(([away]) => away < least + 1e-6).map(([, y]) => y);
  const x = left + xaxis._offset + xaxis.c2p(trace.x[near.findIndex(([away]) => away === least)]);
  return [Math.max(...ys), Math.min(...ys)].map((y) => [x, top + axis._offset + axis.c2p(y)]);
}"""


def edges(page: Page, figure: str, x: float, role: str = "trick", axis: str = "yaxis"):
    at(page, figure, 0, 0)  # in sight, and drawn by Plotly itself
    return page.evaluate(EDGE, [figure, x, role, axis])


def noise(page: Page) -> tuple[float, float]:
    return tuple(float(exact(page, f"noise_{end}").input_value()) for end in ("low", "high"))


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


def swipe(
    page: Page, touch: CDPSession, start: tuple[float, float], x: float, y: float, rest: float = 0
) -> float:
    """A finger rests so many ms and goes so far; by how much the page has scrolled.

    How long it rests and how fast it goes the events themselves say: a busy machine hears of them
    later.
    """
    scrolled = "document.querySelector('.stMain').scrollTop"
    before = page.evaluate(scrolled)
    begun = time.time()

    def send(kind: str, ms: float, *points: dict[str, float]) -> None:
        event = {"type": kind, "touchPoints": list(points), "timestamp": begun + ms / 1000}
        touch.send("Input.dispatchTouchEvent", event)

    send("touchStart", 0, {"x": start[0], "y": start[1]})
    page.wait_for_timeout(rest)
    for step in range(1, 7):
        there = {"x": start[0] + x * step / 6, "y": start[1] + y * step / 6}
        send("touchMove", rest + 25 * step, there)
        page.wait_for_timeout(25)
    send("touchEnd", rest + 25 * 7)
    page.wait_for_timeout(300)
    page.evaluate(UNTIL_STILL)
    return page.evaluate(scrolled) - before


TOUCHED = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_a_finger_drags_what_it_is_on_and_scrolls_everywhere_else(bare, browser: Browser):
    with browser.new_context(**TOUCHED) as context:
        page = context.new_page()
        touch = context.new_cdp_session(page)
        page.goto(bare + VECTOR)
        ready(page)
        tip = at(page, "arrows", 3, 1)
        assert swipe(page, touch, (tip[0] + 15, tip[1] + 12), -10, -60) == 0
        second = float(exact(page, "g2").input_value())
        assert second > 1.3
        assert swipe(page, touch, at(page, "arrows", -0.5, 2.8), 0, -80) > 30
        assert float(exact(page, "g2").input_value()) == second

        page.goto(bare + "/stop_gradient?lesson=noise_leaks&step=4&noise_high=1.9")
        ready(page)
        upper, _ = edges(page, "forward", 2)
        # A swipe that begins on an edge scrolls; a finger that has rested there drags it.
        set_ = noise(page)
        assert swipe(page, touch, upper, 4, -60) > 30
        assert noise(page) == set_
        upper, _ = edges(page, "forward", 2)
        assert swipe(page, touch, (upper[0], upper[1] - 9), 4, 15, rest=300) == 0
        assert noise(page)[0] == 0.9
        assert 0.95 < noise(page)[1] < 1.8
        assert swipe(page, touch, at(page, "forward", -2, 0.2), 0, -80) > 30


@pytest.mark.long
def test_a_finger_sets_where_training_starts_on_the_map_and_scrolls_over_it(bare, browser: Browser):
    with browser.new_context(**TOUCHED) as context:
        page = context.new_page()
        touch = context.new_cdp_session(page)
        page.goto(bare + "/clipping?lesson=cliff&step=1")
        ready(page)
        start = [exact(page, name).input_value() for name in "wb"]
        assert swipe(page, touch, at(page, "map", 3, -2), 3, -80) > 30
        assert [exact(page, name).input_value() for name in "wb"] == start
        assert swipe(page, touch, at(page, "map", 3, -2), 60, 2) == 0
        assert exact(page, "w").input_value() != start[0]


def test_the_edges_of_a_band_follow_the_hand_and_set_the_noise(bare, open_page):
    page = ready(open_page(bare + "/stop_gradient?lesson=wrong_place&step=5&noise_high=1.5"))
    plot = page.locator("[data-figure=gradient] .gl-plot")
    sliders = [control(page, f"noise_{end}") for end in ("low", "high")]
    # The trick's gradient is 1/√u here: its outer edge is the end of the noise that is nearer to 0.
    upper, _ = edges(page, "gradient", 1.5)
    ranges = plot.evaluate("one => String(one._fullLayout.yaxis.range)")
    page.mouse.move(*upper)
    expect(plot).to_have_attribute("data-drag", "y")
    pull(page, upper, 0, -20)
    page.wait_for_function("document.querySelector('[data-control=noise_low] input').value < 0.8")
    assert plot.evaluate("one => String(one._fullLayout.yaxis.range)") == ranges
    page.mouse.up()
    page.wait_for_function("location.search.includes('noise_low=')")
    assert [one.input_value() for one in sliders] == [f"{end:g}" for end in noise(page)]
    assert noise(page)[1] == 1.5
    assert edges(page, "gradient", 1.5)[0][1] == pytest.approx(upper[1] - 20, abs=3)

    # In the strip below, where the same edge is measured from another zero.
    before = noise(page)
    _, lower = edges(page, "gradient", -1.5, axis="yaxis2")
    pull(page, lower, 0, -12)
    page.mouse.up()
    page.wait_for_function(f"!location.search.includes('noise_low={before[0]:g}&')")
    assert noise(page)[0] > before[0] + 0.02
    assert noise(page)[1] == 1.5


def test_an_edge_stops_at_the_other_one_and_leaves_it_again(bare, open_page):
    page = ready(open_page(bare + "/stop_gradient?lesson=noise_leaks&step=4&noise_high=1.5"))
    upper, _ = edges(page, "forward", 2)
    pull(page, upper, 0, 150)
    expect(exact(page, "noise_high")).to_have_value("0.9")
    page.mouse.up()
    page.wait_for_function("location.search.includes('noise_high=0.9')")
    both, _ = edges(page, "forward", 2)
    pull(page, both, 0, -15)
    page.mouse.up()
    page.wait_for_function("!location.search.includes('noise_high=0.9')")
    assert noise(page)[0] == 0.9
    assert noise(page)[1] > 1
    # The slider's keys and the field set the same.
    exact(page, "noise_high").fill("1.1")
    exact(page, "noise_high").press("Enter")
    # The default, which no address names.
    page.wait_for_function("!location.search.includes('noise_high')")
    before = edges(page, "forward", 2)
    control(page, "noise_low").press("ArrowLeft")
    expect(exact(page, "noise_low")).to_have_value("0.89")
    page.wait_for_function("location.search.includes('noise_low=0.89')")
    assert edges(page, "forward", 2)[1][1] > before[1][1]


def test_the_bar_of_the_backward_pass_is_scrubbed_by_finger_and_by_keys(bare, browser: Browser):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with browser.new_context(**phone, reduced_motion="reduce") as context:
        page = context.new_page()
        touch = context.new_cdp_session(page)
        page.goto(bare + "/stop_gradient?lesson=wrong_place&step=5&at=0")
        ready(page)
        bar = page.get_by_role("slider", name="Backward pass")
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        assert box["height"] >= 44
        steps = int(bar.get_attribute("max"))
        expect(bar).to_have_attribute("aria-valuetext", f"step 0 of {steps}")
        # From the thumb at the bar's start, aslant and soon off the bar: nothing scrolls.
        start = (box["x"] + 9, box["y"] + 22)
        assert swipe(page, touch, start, 0.6 * box["width"], -0.5 * box["width"]) == 0
        reached = float(bar.input_value())
        assert 0 < reached < steps
        assert reached == int(reached), "with no motion there are whole steps alone"
        label = page.locator(".gl-node[data-step=current]").get_attribute("data-id")
        assert label
        expect(bar).to_have_attribute(
            "aria-valuetext", re.compile(rf"step {reached:g} of {steps}, .")
        )

        bar.press("ArrowLeft")
        expect(bar).to_have_value(f"{reached - 1:g}")
        bar.press("ArrowUp")
        expect(bar).to_have_value(f"{reached:g}")
        bar.press("End")
        expect(bar).to_have_value(str(steps))
        bar.press("ArrowRight")
        expect(bar).to_have_value(str(steps))
        bar.press("Home")
        expect(bar).to_have_attribute("aria-valuetext", f"step 0 of {steps}")


def test_a_number_that_maths_is_split_around_is_a_handle(bare, browser: Browser):
    with browser.new_context(**TOUCHED) as context:
        page = context.new_page()
        touch = context.new_cdp_session(page)
        page.goto(bare + "/clipping?lesson=starved&step=1")  # “(wrong) and r = 0 (right)”
        ready(page)
        right = page.locator('[data-number="right:.3g"]').first
        expect(right).to_have_role("spinbutton")
        right.press("ArrowUp")
        expect(exact(page, "right")).to_have_value("0.1")
        right.press_sequentially("2")
        right.press("Enter")
        expect(exact(page, "right")).to_have_value("2")
        expect(right).to_have_text("2")
        page.wait_for_function("location.search.includes('right=2')")
        caught_up(page)  # nothing moves any more
        box = right.bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert swipe(page, touch, middle, 40, 3) == 0
        assert float(exact(page, "right").input_value()) > 2.2
        expect(right).to_have_text(f"{float(exact(page, 'right').input_value()):.3g}")


def test_the_input_that_the_text_speaks_of_is_a_handle_for_its_place_in_the_list(bare, open_page):
    page = ready(open_page(bare + "/reversal?lesson=flip&step=1"))
    x, inputs = page.locator('[data-number="x:.3g"]').first, control(page, "x")
    expect(x).to_have_role("spinbutton")
    expect(x).to_have_attribute("aria-valuenow", "1")
    x.press("ArrowUp")
    expect(inputs).to_have_value("-1.5, -0.5, 1.1")
    x.press_sequentially("-2")
    x.press("Enter")
    expect(inputs).to_have_value("-1.5, -0.5, -2")
    expect(x).to_have_text("−2")
    x.press("End")  # a list's entry has no end
    expect(inputs).to_have_value("-1.5, -0.5, -2")
    expect(page).to_have_url(re.compile("-0.5,.*-2$"))  # the lab has answered, nothing moves
    box = x.bounding_box()
    pull(page, (box["x"] + 4, box["y"] + 8), 50, 0)  # a sixth of what a drag goes through
    page.mouse.up()
    expect(inputs).to_have_value("-1.5, -0.5, -1")
    expect(x).to_have_text("−1")
