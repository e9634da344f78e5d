"""What moves on the graph, and the chart beside it: with mouse, keyboard and finger."""

from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looking import becomes, button, caught_up, edge, node, ready
from tests.support.amount import also

pytestmark = pytest.mark.browser

RIGHT = "/stop_gradient?lesson=right_place&step=4"


def pulse(page: Page) -> list[float]:
    """Where the front of the only gradient on its way is; nothing where none is."""
    return page.locator(".gl-front").evaluate_all(
        "all => all.flatMap((one) => ['cx', 'cy'].map((name) => Number(one.getAttribute(name))))"
    )


# What has the focus is pressed in the frame in which the front has set out from there.
HALT = """(from) => {
  window.halted = false;
  const look = () => {
    const isOnItsWay = document.querySelector('.gl-front[cy]');
    if (!isOnItsWay || document.querySelector('.gl-place').textContent !== from) {
      return requestAnimationFrame(look);
    }
    document.activeElement.click();
    window.halted = true;
  };
  look();
}"""
# Every place the backward pass comes to, and whether something was on its way there.
PLACES = """() => {
  const place = document.querySelector('.gl-place');
  window.places = [];
  new MutationObserver(() => places.push(
    [place.textContent, document.querySelectorAll('.gl-front').length]
  )).observe(place, { childList: true, characterData: true, subtree: true });
}"""


def test_play_sends_the_gradient_to_the_end_and_can_be_halted_on_the_way(bare, open_page):
    page = ready(open_page(bare + RIGHT + "&at=4"))
    button(page, "Play").focus()
    # As Enter does: by the time that a busy machine presses it again, the gradient has landed.
    page.evaluate(HALT, "step 5 of 6")
    page.keyboard.press("Enter")
    page.wait_for_function("halted")
    expect(page.locator(".gl-place")).to_have_text("step 5 of 6")
    expect(button(page, "Play")).to_be_visible()
    halted, label = pulse(page), page.locator(".gl-pulse .gl-gradient").text_content()
    assert label == page.locator(".gl-edge[data-flying] .gl-gradient").text_content() == "−1"
    page.wait_for_timeout(300)
    assert pulse(page) == halted
    button(page, "Play").click()
    expect(page.locator(".gl-place")).to_have_text("step 6 of 6")
    expect(button(page, "Play")).to_be_visible()
    assert pulse(page) == []
    # For who wants no motion there are steps, and nothing between them.
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(PLACES)
    button(page, "Play").click()
    page.wait_for_function("places.at(-1)?.[0] === 'step 6 of 6'")
    places = [place for place in page.evaluate("places") if place[0] != "step 0 of 6"]
    assert places == [[f"step {step} of 6", 0] for step in range(1, 7)]


def in_window(page: Page, *selectors: str) -> list[bool]:
    return page.evaluate(
        """(all) => all.map((one) => {
          const { top, bottom, height } = document.querySelector(one).getBoundingClientRect();
          return height > 0 && top >= 0 && bottom <= innerHeight;
        })""",
        list(selectors),
    )


SCROLLED = "document.querySelector('.stMain').scrollTop"
PINNED = "document.querySelector('[data-figure=pinned] .gl-plot')"
# The numbers of each line, in small and as the lab has it; names lie where there is room.
TWICE = """['pinned', 'gradient'].map((name) => JSON.stringify(
    document.querySelector(`[data-figure=${name}] .gl-plot`)._fullData
      .filter(({ mode }) => mode !== "text").map(({ y }) => [...y])))"""


def tap(page: Page, what: Locator) -> None:
    """With a finger."""
    box = what.bounding_box()
    session = page.context.new_cdp_session(page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def lit(page: Page) -> set[str]:
    """What is lit now: nodes and edges, lines of code, cells, marks of the text, charts."""
    return set(
        page.evaluate(
            """[...document.querySelectorAll(".gl-lit")].flatMap((one) =>
              one.dataset.id ?? one.dataset.number
              ?? (one.matches(".gt-row") ? one.textContent.trim() : null)
              ?? (one.matches("td") ? `${one.parentElement.rowIndex},${one.cellIndex}` : null)
              ?? (one.matches(".gl-plot") ? one.parentElement.dataset.figure : []))"""
        )
    )


def test_pointing_at_one_thing_lights_the_same_elsewhere(bare, open_page):
    page = ready(open_page(bare + "/stop_gradient?lesson=right_place&step=3", height=2000))
    output = {"add", "return stop_gradient(z - clean) + clean", "1,2", "forward:.5g", "forward"}
    node(page, "add").locator(".gl-value").hover()
    assert lit(page) == output
    page.mouse.move(5, 5)
    assert lit(page) == set()
    node(page, "add").focus()
    assert lit(page) == output
    underlined = "[...CSS.highlights.get('gl-lit')].map(String)"
    assert page.evaluate(underlined) == ["stop_gradient(z - clean) + clean"]
    # An edge: its op's code, and the gradient of the input whose only edge it is.
    edge(page, "pow:0").focus()
    assert {"pow:0", "y = x**2", "1,3", "gradient"} <= lit(page)
    page.locator(".gl-alternative summary").focus()
    assert lit(page) == set()
    # The other way: from the table, the text, the code, a chart.
    page.locator("[data-table] tbody td").nth(2).hover()
    assert lit(page) == output
    page.mouse.move(5, 5)
    page.locator('[data-number="forward:.5g"]').hover()
    assert lit(page) == output
    page.locator(".gt-row", has_text="z = torch.sqrt").hover()
    assert lit(page) == {"mul", "sqrt", "z = torch.sqrt(y * u)"}
    button(page, "Back").click()
    expect(page.locator(".gl-rule math")).to_be_visible()  # its script has come: nothing moves
    page.locator(".gl-rule").hover()  # of y = x**2, the last op that sends
    assert {"pow:0", "y = x**2", "1,3", "gradient"} <= lit(page)
    point = page.locator("[data-figure=forward] .points path").first.bounding_box()
    page.mouse.move(point["x"] - 20, point["y"])
    page.mouse.move(point["x"] + 4, point["y"] + 4, steps=5)
    becomes(page, lambda: lit(page), output)


PHONE = {"width": 390, "height": 844}
HEADER = 60
# Of each figure the numbers that are drawn, but for names, which lie where there is room.
DRAWN = """(all) => all.map((name) => JSON.stringify(
    (document.querySelector(`[data-figure=${name}] .gl-plot`)._fullData ?? [])
      .filter(({ mode }) => mode !== "text").map(({ y }) => y && [...y])))"""


@pytest.mark.parametrize(
    ("address", "charts"),
    [
        # Of the first the text speaks.
        ("stop_gradient?lesson=wrong_place&step=4", ["histogram", "gradient"]),
        ("clipping?lesson=where_to_clip&step=4", ["gradient", "training"]),
        *also(
            ("stop_gradient?lesson=noise_leaks&step=4", ["gradient", "forward"]),
            ("gone_missing?lesson=frozen_checkpoint&step=4", ["gradient", "training"]),
        ),
    ],
)
def test_a_hand_on_a_phone_sees_both_charts_that_it_changes(address, charts, bare, open_page):
    page = ready(open_page(f"{bare}/{address}", **PHONE))
    small = [f"hand-{one}" for one in charts]
    page.locator(".gl-hand").scroll_into_view_if_needed()
    page.wait_for_function(f"(all) => ({DRAWN})(all).every((one) => one !== '[]')", arg=small)
    for slider in page.locator(".gl-controls .gl-slider:visible").all():
        slider.evaluate("one => one.scrollIntoView({ block: 'center' })")
        before = page.evaluate(DRAWN, small)
        slider.locator(".gl-range").press("ArrowLeft")
        changed = f"([all, before]) => String(({DRAWN})(all)) !== String(before)"
        page.wait_for_function(changed, arg=[small, before])
        caught_up(page)
        assert page.evaluate(DRAWN, small) == page.evaluate(DRAWN, charts)
        hand, *plots = (
            one.bounding_box()
            for one in (slider, *(page.locator(f"[data-figure={one}] .gl-plot") for one in small))
        )
        assert HEADER <= plots[0]["y"] < plots[0]["y"] + plots[0]["height"] <= plots[1]["y"]
        assert plots[1]["y"] + plots[1]["height"] <= hand["y"], "the sheet lies over the control"
        assert hand["y"] + hand["height"] <= PHONE["height"]
    assert page.locator(".gl-hand").bounding_box()["height"] < 0.43 * PHONE["height"]


def test_another_step_has_charts_of_its_own_above_the_controls(bare, open_page):
    """Plotly cannot make one chart of another one with a strip; open_page hears its errors."""
    page = ready(open_page(bare + "/stop_gradient?lesson=wrong_place&step=4", **PHONE))
    page.locator(".gl-hand").scroll_into_view_if_needed()
    shown = "all => all.map((one) => one.closest('.gl-figure').dataset.figure)"
    plots = page.locator(".gl-hand .gl-plot:has(.nsewdrag)")
    becomes(page, lambda: plots.evaluate_all(shown), ["hand-histogram", "hand-gradient"])
    for number, name, other in ((5, "gradient", "forward"), (6, "histogram", "gradient")):
        show = {"name": name, "step": f"wrong_place {number}"}
        page.evaluate("(more) => placed(more)", {"step": number, "show": show})
        becomes(page, lambda: plots.evaluate_all(shown), [f"hand-{name}", f"hand-{other}"])
        page.locator(".gl-hand").scroll_into_view_if_needed()


@pytest.mark.parametrize("height", [844, 667])
def test_what_a_key_comes_to_is_not_under_the_charts_and_what_is_typed_has_the_window(
    height, bare, open_page
):
    url = bare + "/stop_gradient?lesson=noise_leaks&step=4"
    page = ready(open_page(url, width=390, height=height))
    sheet = page.locator(".gl-hand")
    sheet.scroll_into_view_if_needed()
    expect(sheet.locator(".main-svg").first).to_be_visible()
    page.locator(".gl-controls input:visible").last.focus()
    for _ in range(page.locator(".gl-controls input:visible").count() - 1):
        page.keyboard.press("Shift+Tab")
        here = page.locator(".gl-controls :focus")
        stays = sheet.evaluate("one => getComputedStyle(one).position") == "sticky"
        assert stays == (here.get_attribute("type") == "range")
        box = sheet.bounding_box()
        assert here.bounding_box()["y"] >= box["y"] + box["height"] or not stays
        assert here.bounding_box()["y"] >= HEADER
    # Folded away they leave a bar, and beside the text there is no sheet.
    tap(page, sheet.locator(".gl-fold"))
    expect(sheet.locator(".gl-fold")).to_have_text("Show charts")
    assert sheet.bounding_box()["height"] < 60
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(sheet).to_be_hidden()


# Of every mark of a small chart that reaches over the frame of its axes, whether all of it is seen.
OVER = """(figure) => {
  const plot = document.querySelector(`[data-figure=${figure}] .gl-plot`);
  const all = plot.getBoundingClientRect();
  const frame = plot.querySelector('.nsewdrag').getBoundingClientRect();
  const holds = (one, { left, top, right, bottom }) =>
    one.left <= left && one.top <= top && right <= one.right && bottom <= one.bottom;
  return [...plot.querySelectorAll('.scatterlayer .point')].flatMap((mark) => {
    const box = mark.getBoundingClientRect();
    return holds(frame, box) ? [] : !mark.closest('[clip-path]') && holds(all, box);
  });
}"""


@pytest.mark.parametrize(
    ("address", "figure"),
    [
        ("clipping?lesson=not_finite&step=1&w=4,1,0.25,0", "hand-gradient"),
        ("clipping?lesson=value_or_norm&step=99&g2=-0.1", "hand-angle"),
        *also(
            ("clipping?lesson=not_finite&step=1&w=4,1,0.25,0", "hand-forward"),
        ),
    ],
)
def test_a_mark_on_the_frame_of_a_small_chart_is_seen_whole(address, figure, bare, open_page):
    page = ready(open_page(f"{bare}/{address}", **PHONE))
    page.locator(f"[data-figure={figure}]").scroll_into_view_if_needed()
    expect(page.locator(f"[data-figure={figure}] .point").first).to_be_attached()
    caught_up(page)
    seen = page.evaluate(OVER, figure)
    assert seen
    assert all(seen)


@pytest.mark.long
def test_names_above_a_small_chart_have_room(bare, open_page):
    page = ready(open_page(bare + "/override_map?lesson=guided_relu&step=1", **PHONE))
    page.locator(".gl-hand").scroll_into_view_if_needed()
    names = page.locator("[data-figure=hand-maps] .annotation-text")
    expect(names.first).to_be_visible()
    top = page.locator("[data-figure=hand-maps] .gl-plot").bounding_box()["y"]
    assert all(one.bounding_box()["y"] >= top for one in names.all())


@pytest.mark.parametrize(
    ("address", "figure"),
    [
        ("stop_gradient?lesson=noise_leaks&step=4", "hand-gradient"),  # with a strip below
        ("clipping?lesson=starved&step=4", "hand-size"),  # by powers of ten
    ],
)
def test_no_number_at_an_upright_axis_runs_into_the_next(address, figure, bare, open_page):
    page = ready(open_page(f"{bare}/{address}", **PHONE))
    page.locator(".gl-hand").scroll_into_view_if_needed()
    numbers = page.locator(f"[data-figure={figure}] :is(.ytick, .y2tick) text")
    expect(numbers.nth(1)).to_be_visible()
    caught_up(page)
    boxes = sorted(
        (box["y"], box["height"]) for box in (one.bounding_box() for one in numbers.all())
    )
    assert all(y + 0.75 * height <= after for (y, height), (after, _) in pairwise(boxes)), boxes
    assert page.locator(f"[data-figure={figure}] :is(.ytitle, .y2title)").count() == 0
