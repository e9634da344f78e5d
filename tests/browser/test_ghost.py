"""The curves before the last change stay, pale, until the next one."""

import pytest
from playwright.sync_api import Page

from tests.browser.looking import SPY, answered, caught_up, control, exact, ready

pytestmark = pytest.mark.browser

# The pale lines of a chart and its own, in pixels of the axes; and what is said of them.
SEEN = """(figure) => {
  const root = document.querySelector(`[data-figure=${figure}]`);
  const points = (path) => (path.getAttribute('d').match(/-?[\\d.]+(e-?\\d+)?/g) ?? []).map(Number);
  const all = (query) => [...root.querySelectorAll(query)];
  return {
    before: all('.gl-ghost path').map(points),
    now: all('.scatterlayer .js-line').map(points),
    words: all('.gl-ghost text').map((one) => one.textContent),
  };
}"""
FORMS = {"slider": "[data-control=scale] input[type=range]", "field": "[data-control=x] input"}


@pytest.fixture
def flip(bare, open_page) -> Page:
    """The lab of `flip` at its last step but one: nothing is covered any more."""
    return ready(open_page(f"{bare}/reversal?lesson=flip&step=6&scale=1", script=SPY))


def seen(page, figure="gradient"):
    answered(page)
    caught_up(page)
    return page.evaluate(SEEN, figure)


def press(page, key="PageUp"):
    page.locator(FORMS["slider"]).press(key)
    return seen(page)


def longest(paths):
    return max(paths, key=len, default=[])


def pixels(page):
    """The upper end of the axis of the gradient; it moves with what is drawn."""
    return page.evaluate(
        "document.querySelector('[data-figure=gradient] .gl-plot')._fullLayout.yaxis.range"
    )


def test_what_was_there_before_a_change_stays_pale_until_the_next(flip):
    first = seen(flip)
    assert first["before"] == first["words"] == []
    frame, was = pixels(flip), longest(first["now"])
    then = press(flip)
    assert then["words"] == ["before"]
    if pixels(flip) == frame:
        assert longest(then["before"]) == pytest.approx(was, abs=0.1)
    again = press(flip)
    assert again["words"] == ["before"]
    # One change back is not two: going back makes pale what stood there a moment ago.
    back = press(flip, "PageDown")
    assert len(longest(back["before"])) == len(longest(back["now"]))
    assert back["before"] != again["before"]


def test_while_a_hand_drags_what_was_before_stands_still(flip):
    box = flip.locator(FORMS["slider"]).bounding_box()
    y = box["y"] + box["height"] / 2
    flip.mouse.move(box["x"] + box["width"] * 0.5, y)
    flip.mouse.down()
    pale: list[tuple[list[float], list[list[float]]]] = []
    for share in (0.55, 0.58, 0.61):
        flip.mouse.move(box["x"] + box["width"] * share, y)
        answered(flip)
        caught_up(flip)
        pale.append((pixels(flip), flip.evaluate(SEEN, "gradient")["before"]))
    moving = flip.evaluate(SEEN, "gradient")
    flip.mouse.up()
    rested = seen(flip)
    # Where the axes moved meanwhile it moved with them, and is where it is drawn anew at rest.
    assert moving["before"] == rested["before"]
    assert moving["words"] == rested["words"] == ["before"]
    assert pale[0][1]
    alike = [lines for frame, lines in pale if frame == pale[0][0]]
    assert all(lines == pale[0][1] for lines in alike)


def test_each_line_is_pale_as_soon_as_it_has_moved_however_little_the_first_movement_was(
    bare, open_page
):
    page = ready(open_page(bare, script=SPY))
    box = control(page, "noise_high", "input[type=range]").bounding_box()
    y = box["y"] + box["height"] / 2
    value = float(exact(page, "noise_high").input_value())
    first = (value + 0.5) / 2.5  # of the slider, from -0.5 to 2
    page.mouse.move(box["x"] + 9 + (box["width"] - 18) * first, y)
    page.mouse.down()
    for step in range(12):
        page.mouse.move(box["x"] + 9 + (box["width"] - 18) * (first + 0.03 * step), y)
        answered(page)
    moving = page.evaluate(SEEN, "gradient")
    page.mouse.up()
    rested = seen(page)
    assert len(rested["before"]) > 1
    assert moving["before"] == rested["before"]


def test_another_step_has_nothing_to_compare_with(flip):
    assert press(flip)["before"]
    flip.evaluate("placed({step: 7, orders: [{id: 'next', first: false, values: {flips: '2'},"
                  " cuts: null, graph_step: null}]})")  # fmt: skip
    then = seen(flip)
    assert flip.locator(".gl-lab").count() == 1
    assert then["before"] == then["words"] == []


def test_what_was_pale_takes_no_room_in_a_window_that_becomes_narrower(flip):
    assert press(flip)["before"]
    flip.evaluate("placed({step: 7})")
    assert seen(flip)["before"] == []
    flip.set_viewport_size({"width": 390, "height": 844})
    main = "document.querySelector('.stMain').scrollWidth"
    flip.wait_for_function(f"{main} <= 390")


@pytest.mark.long
def test_a_chart_that_the_last_change_left_alone_has_nothing_pale(bare, open_page):
    page = ready(open_page(bare, script=SPY))
    slider = control(page, "noise_high", "input[type=range]")
    slider.press("End")
    for figure in ("forward", "gradient"):
        assert seen(page, figure)["words"] == ["before"]
    control(page, "cut", "input[value=right_place]").check(force=True)
    assert seen(page, "gradient")["words"] == ["before"]
    still = seen(page, "forward")
    assert still["before"] == still["words"] == [], "the cut leaves the value as it is"


def test_nothing_eases_where_motion_is_not_wanted(flip):
    line = "getComputedStyle(document.querySelector('[data-figure=gradient] .js-line'))"
    press(flip)
    assert "0.12s" in flip.evaluate(f"{line}.transitionDuration")
    flip.emulate_media(reduced_motion="reduce")
    assert "0.12s" not in flip.evaluate(f"{line}.transitionDuration")
