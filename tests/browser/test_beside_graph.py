"""What moves on the graph, and the chart beside it: with mouse, keyboard and finger."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looking import becomes, button, edge, node, ready

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
