"""The graph, the stepper and the scissors in a real browser, as a learner uses them."""

import math
from functools import cache

import pytest
from playwright.sync_api import Page, expect

from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.recorder.picture.graph_drawing import picture
from lessons.kit.formulas import elementwise, products
from lessons.kit.formulas.symbols import latex_number, words
from lessons.outputs.catalogue import lessons
from pages.ui.page import LIVE
from pages.ui.place import END
from tests.browser.looking import (
    MORE,
    asked,
    backward_is_at,
    box_of,
    button,
    cells,
    edge,
    look,
    open_drawers,
    press_on,
    ready,
    says,
)
from tests.conftest import OpenPage
from tests.support.amount import also
from tests.support.present import present

pytestmark = pytest.mark.browser

RIGHT = "/stop_gradient?lesson=right_place&step=3"
NUMBERS = "&x=-3,0.5&noise_high=1.7"
DRAWN = [lesson for lesson in lessons() if lesson.lab.start]


def node_value(page: Page, name: str) -> str:
    return page.locator(f'.gl-node[data-id="{name}"] .gl-value').text_content() or ""


def with_table(page: Page) -> Page:
    open_drawers(ready(page), "table")
    page.locator("[data-table]").wait_for()
    return page


def column(page: Page, place: int) -> list[str]:
    return [row[place] for row in cells(page)]


def caught_up(page: Page) -> None:
    """Wait until the lab has its answer and the graph is drawn."""
    page.wait_for_selector(".gl-lab:not([aria-busy=true])")


def test_stepping_to_the_end_by_keyboard_ends_at_the_table_s_gradient(
    bare: str, open_page: OpenPage
) -> None:
    page = with_table(open_page(bare + RIGHT + NUMBERS + "&at=0"))
    backward_is_at(page, 0, of=6)
    assert page.locator(".gl-svg .gl-edge[data-shown]").count() == 0
    button(page, "next").focus()
    page.keyboard.press("ArrowRight")
    backward_is_at(page, 1, of=6)
    page.keyboard.press("End")
    backward_is_at(page, 6, of=6)
    page.keyboard.press("ArrowRight")  # past the end nothing happens
    expect(page.locator(".gl-sentence")).to_contain_text("x.grad = ")
    shown = page.locator(".gl-sentence").inner_text().split("x.grad = ")[1]
    assert float(shown.rstrip(".").replace("−", "-")) == float(column(page, 3)[0].replace("−", "-"))
    page.keyboard.press("Home")
    backward_is_at(page, 0, of=6)


def pulse(page: Page) -> list[float]:
    """Where the front of the only gradient on its way is; nothing where none is."""
    found: list[float] = page.locator(".gl-front").evaluate_all(
        "all => all.flatMap((one) => ['cx', 'cy'].map((name) => Number(one.getAttribute(name))))"
    )
    return found


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


def test_play_sends_the_gradient_to_the_end_and_can_be_halted_on_the_way(
    bare: str, open_page: OpenPage
) -> None:
    page = ready(open_page(bare + RIGHT + "&at=4"))
    button(page, "play").focus()
    # As Enter does: by the time that a busy machine presses it again, the gradient has landed.
    page.evaluate(HALT, says("step_of", step=5, all=6))
    page.keyboard.press("Enter")
    page.wait_for_function("halted")
    backward_is_at(page, 5, of=6)
    expect(button(page, "play")).to_be_visible()
    halted, label = pulse(page), page.locator(".gl-pulse .gl-gradient").text_content()
    assert label == page.locator(".gl-edge[data-flying] .gl-gradient").text_content() == "−1"
    page.wait_for_timeout(300)
    assert pulse(page) == halted
    button(page, "play").click()
    backward_is_at(page, 6, of=6)
    expect(button(page, "play")).to_be_visible()
    assert pulse(page) == []
    # For who wants no motion there are steps, and nothing between them.
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(PLACES)
    button(page, "play").click()  # at the end it begins again
    start, first, second = (says("step_of", step=step, all=6) for step in range(3))
    page.wait_for_function("second => places.some(([place]) => place === second)", arg=second)
    places = [place for place in page.evaluate("places") if place[0] != start]
    assert places[:2] == [[first, 0], [second, 0]]


MIDDLE = """(path) => {
  path.scrollIntoView({ block: "center" });
  const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
  const at = new DOMPoint(x, y).matrixTransform(path.getScreenCTM());
  return [at.x, at.y];
}"""


def test_cutting_an_edge_stops_the_gradient_and_mending_lets_it_flow(
    bare: str, open_page: OpenPage
) -> None:
    page = with_table(open_page(bare + RIGHT))
    open_drawers(page, "code")
    forward, gradient = column(page, 2), column(page, 3)
    value = node_value(page, "sqrt_1")
    for how in ("mouse", "Enter", " ", "Delete"):

        def toggle(how: str = how) -> None:
            if how == "mouse":  # far from the number, on the line itself
                page.mouse.click(*page.locator('[data-hit="sqrt_1:0"]').evaluate(MIDDLE))
            else:
                press_on(page, "sqrt_1:0", how)

        toggle()
        expect(edge(page, "sqrt_1:0")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("[data-table] tbody tr").first.locator("td").nth(3)).to_have_text("0")
        assert column(page, 2) == forward
        assert node_value(page, "sqrt_1") == value
        page.wait_for_function("location.search.includes('cuts=sqrt_1:0')")
        expect(page.locator(".gt-code")).to_contain_text("cut(right_place, [('sqrt_1', 0)])")
        # The graph is drawn when the charts have been.
        expect(edge(page, "sqrt_1:0")).to_have_attribute("data-state", "cut")
        toggle()
        expect(edge(page, "sqrt_1:0")).to_have_attribute("aria-pressed", "false")
        mended = page.locator("[data-table] tbody tr").first.locator("td").nth(3)
        expect(mended).to_have_text(gradient[0])
        page.wait_for_function("!location.search.includes('cuts=')")


FLIGHTS = """() => {
  window.flights = [];
  const layer = document.querySelector(".gl-flight");
  const note = () => flights.push(layer.children.length);
  new MutationObserver(note).observe(layer, { childList: true });
}"""


def test_a_cut_strikes_its_term_and_the_gradient_runs_back_once(
    bare: str, open_page: OpenPage
) -> None:
    page = ready(open_page(bare + "/stop_gradient?lesson=two_passes&step=6&stopped=nothing"))
    expect(page.locator(".gl-stepper")).to_be_hidden()
    said = page.locator(".gl-equation")
    expect(said).to_contain_text(" = 18 + 9 = 27")
    for motion in ("no-preference", "reduce"):
        page.emulate_media(reduced_motion=motion)
        page.evaluate(FLIGHTS)
        press_on(page, "pow:0", "Enter")
        expect(said.locator("s")).to_have_text("18" if motion == "no-preference" else [])
        expect(edge(page, "mul:1")).to_have_attribute("data-shown", "true")
        caught_up(page)
        page.wait_for_function("!document.querySelector('.gl-pulse')")
        assert bool(page.evaluate("flights.some(Boolean)")) == (motion == "no-preference")
        assert "at=" not in page.evaluate("location.search"), "nobody took a step"


def test_step_and_cuts_are_restored_from_the_address_and_a_reset_mends_them(
    bare: str, open_page: OpenPage
) -> None:
    page = ready(open_page(bare + RIGHT + "&x=-3"))
    press_on(page, "sqrt_1:0", "Enter")
    backward_is_at(page, 4, of=4)
    page.locator(".gl-steps > summary").click()
    backward_is_at(page, 1, of=4)  # it opens at the first step
    page.keyboard.press("End")
    button(page, "back").click()
    page.wait_for_function("/cuts=sqrt_1:0.*at=3/.test(location.search)")
    there = ready(open_page(page.url))
    backward_is_at(there, 3, of=4)
    expect(edge(there, "sqrt_1:0")).to_have_attribute("aria-pressed", "true")
    assert asked(there) == asked(page)
    there.evaluate("at => ordered({ values: {}, cuts: '', graph_step: at })", END)
    expect(there.locator(".gl-svg .gl-edge[data-cut]")).to_have_count(0)
    backward_is_at(there, 6, of=6)


def test_a_cut_that_another_step_s_graph_cannot_have_goes_without_a_word(
    bare: str, open_page: OpenPage
) -> None:
    page = ready(open_page(bare + "/stop_gradient?lesson=two_passes&step=6&stopped=nothing"))
    for name in ("pow:0", "mul:1"):
        press_on(page, name, "Enter")
    page.wait_for_function("location.search.includes('cuts=mul:1,pow:0')")
    page.evaluate(
        "() => { placed({ step: 7 }); return ordered({ values: { stopped: 'first' } }); }"
    )
    expect(page.locator(".gl-svg .gl-edge[data-cut]")).to_have_count(1)
    expect(edge(page, "mul:1")).to_have_attribute("data-cut", "true")
    assert "No edge" not in page.locator(".gl-notes").inner_text()


def test_a_slider_moves_the_numbers_in_the_nodes_that_are_there(
    bare: str, open_page: OpenPage
) -> None:
    page = open_drawers(ready(open_page(bare + RIGHT)), MORE)
    page.evaluate("window.known = [...document.querySelectorAll('.gl-svg [data-id]')]")
    before = node_value(page, "mul")
    slider = page.locator('[data-control="noise_high"] input[type=range]')
    for _ in range(5):
        slider.press("ArrowRight")
    page.wait_for_function("location.search.includes('noise_high')")
    caught_up(page)
    assert node_value(page, "mul") != before
    assert page.evaluate("window.known.every((node) => node.isConnected)")


def test_a_tall_graph_fits_and_every_node_and_edge_is_reached_by_keyboard(
    bare: str, open_page: OpenPage
) -> None:
    page = ready(open_page(bare + RIGHT, width=1280, height=800))
    drawing = page.locator(".gl-drawing")
    assert drawing.evaluate("one => one.scrollHeight <= one.clientHeight")
    graph, equation = box_of(drawing), box_of(page.locator(".gl-equation"))
    assert equation["x"] >= graph["x"] + graph["width"], "next to it"
    assert page.locator('.gl-svg [tabindex="0"]').count() == 1
    page.locator('.gl-svg [tabindex="0"]').focus()
    met, tops = set(), set()
    for _ in range(page.locator(".gl-svg [data-id]").count()):
        met.add(page.evaluate("document.activeElement.dataset.id"))
        assert page.locator(".gl-detail").inner_text() != ""
        tops.add(page.locator(".gl-steps").evaluate("one => one.offsetTop"))
        page.keyboard.press("ArrowDown")
    known = page.eval_on_selector_all(".gl-svg [data-id]", "all => all.map(e => e.dataset.id)")
    assert met == set(known)
    assert len(tops) == 1, "a long text moves no button"


BOXES = """() => {
  const boxes = [...document.querySelectorAll('.gl-box, .gl-edge .gl-plate')].map((box) => {
    const {x, y, width, height} = box.getBoundingClientRect();
    return [x, y, width, height, box.closest('[data-id]').dataset.id];
  }).filter(([, , width]) => width > 0);
  const found = [];
  boxes.forEach(([x, y, w, h, id], i) => boxes.slice(i + 1).forEach(([a, b, v, u, other]) => {
    if (x + w > a + 0.5 && a + v > x + 0.5 && y + h > b + 0.5 && b + u > y + 0.5)
      found.push(`${id} ${other}`);
  }));
  return found;
}"""


@cache
def widest() -> list[Lesson]:
    """The lessons with the widest drawings: on a phone all others are larger than these."""

    def width(lesson: Lesson) -> float:
        values = lesson.validate({})
        index = present(lesson.lab.start)(values).index
        return float(picture(present(lesson.record(values)), index)["narrow"]["width"])

    return sorted(DRAWN, key=width)[:-5:-1]


# By place among the widest: drawing all of them takes too long where tests are only collected.
@pytest.mark.parametrize("at", [0, *also(1, 2, 3)])
def test_on_a_phone_nothing_lies_over_another_and_the_page_does_not_scroll(
    at: int, bare: str, open_page: OpenPage
) -> None:
    lesson = widest()[at]
    address = f"{bare}/{lesson.chapter}?lesson={lesson.slug}&step=99"
    page = ready(open_page(address, width=390, height=844))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, lesson.slug
    assert page.evaluate(BOXES) == []
    size = page.evaluate("""() => {
        const svg = document.querySelector('.gl-svg');
        return 18 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    }""")
    assert size >= 15, "the text in the nodes is too small to read"


# Each line's contrast to the paper, as WCAG counts it.
CONTRAST = """() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (colour) => {
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const parts = [...paint.getImageData(0, 0, 1, 1).data].map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const style = (one) => getComputedStyle(one);
  const paper = luminance(style(document.querySelector(".stApp")).backgroundColor);
  const against = (colour) => {
    const [low, high] = [luminance(colour), paper].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const all = (selector) => [...document.querySelectorAll(selector)];
  return [
    ...all(".gl-way, .gl-box, .gl-plate, .gl-edge[data-shown] .gl-sent")
      .map((one) => style(one).stroke),
    ...all(".gl-forth, .gl-back").map((one) => style(one).fill),
  ].map(against);
}"""


@pytest.mark.parametrize("place", ["&cuts=sqrt_1:0&at=3", *also("", "&at=3", "&cuts=sqrt_1:0")])
def test_every_line_is_seen(bare: str, open_page: OpenPage, place: str) -> None:
    page = ready(open_page(bare + RIGHT + place))
    edge(page, "add:1").focus()
    for theme in ("light", "dark"):
        look(page, 1280, theme)
        assert min(page.evaluate(CONTRAST)) >= 3  # WCAG 1.4.11


# Of each formula what it says, and whether it is maths that temml knows.
FORMULAS = """async ([address, texts]) => {
  const { showMath } = (await import(address)).modules.math;
  const node = document.createElement("div");
  const found = [];
  for (const text of texts) {
    await showMath(node, text);
    const all = [...node.querySelectorAll("*")];
    const isMaths = !!all.length && all.every((one) => one instanceof MathMLElement);
    const isKnown = !all.some((one) => one.matches(".temml-error, [style*=color]"));
    found.push([node.textContent.replaceAll("\\u00a0", " "), isMaths && isKnown]);
  }
  return found;
}"""


def test_every_formula_is_drawn_and_a_name_is_only_a_name(bare: str, open_page: OpenPage) -> None:
    local = [one for row in elementwise.FORMULAS.values() for one in row.values()]
    texts = [text for one in local for text in (one.latex, one.in_numbers) if text]
    texts += [text for several in products.PRODUCTS.values() for text in several]
    texts += [latex_number(one) for one in (1e-7, math.nan, math.inf, None)] + [r"J^{\top}"]
    texts = [text.replace("@", "") for text in texts]
    names = ["yu_fixed", "<img src=x onerror=alert(1)>", r"\href{javascript:1}{x}", "a^2 % #$~&} λ"]
    page = ready(open_page(bare + RIGHT))

    def drawn(*texts: str) -> list[list[str | bool]]:
        return list(page.evaluate(FORMULAS, [f"./{LIVE}", texts]))

    assert [text for text, (_, good) in zip(texts, drawn(*texts), strict=True) if not good] == []
    assert drawn(*map(words, names)) == [[name, True] for name in names]
    assert not drawn(r"\nonsense")[0][1]
