"""While a page loads nothing jumps, and the first picture stands where the live one will."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from lessons.outputs import catalogue
from tests.browser.looking import PATIENT, becomes, held, ran, ready
from tests.support.amount import also

pytestmark = pytest.mark.browser

MOST = 0.1
"""What counts as good, of layout shifts summed over a page's load."""
STILL_MOVING = {"bug": 0.25, "sketch": 0.25}
"""On a phone a bug's blocks of code, and a sketch, may still come after the text around them."""
SHIFTS = (
    PATIENT
    + """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const {value, sources, hadRecentInput} of list.getEntries()) {
    const moved = sources.map(({node, previousRect: {y}, currentRect}) => {
      return `${node?.className || node?.nodeName} ${y} → ${currentRect.y}`;
    });
    const place = `${innerWidth}×${innerHeight}`;
    if (!hadRecentInput) window.shifts.push([value, place, moved.join(' | ')]);
  }
}).observe({type: 'layout-shift', buffered: true});
"""
)


def kinds() -> Iterator[tuple[str, str]]:
    """A page of each kind, and of the lessons' steps one of each: its name and address."""
    yield from (("home", "/"), ("course", "/course"), ("playground", "/playground"))
    yield from (("glossary", "/glossary"), ("teach", "/teach"))
    steps = [
        (lesson, number, step)
        for lesson in catalogue.lessons()
        for number, step in enumerate(lesson.prose.steps, start=1)
    ]

    def asks(step, kind: str) -> bool:
        return step.question is not None and step.question.kind == kind

    wanted = {
        "curve": lambda lesson, step: not step.question and not lesson.lab.training,
        "graph": lambda lesson, step: step.show == "graph",
        "training": lambda lesson, step: lesson.lab.training and not step.question,
        "sketch": lambda lesson, step: asks(step, "sketch"),
        "bug": lambda lesson, step: asks(step, "bug"),
    }
    for name, fits in wanted.items():
        lesson, number, _ = next(one for one in steps if fits(one[0], one[2]))
        yield name, f"/{lesson.chapter}?lesson={lesson.slug}&step={number}"


def settled(page: Page, name: str) -> Page:
    if name in ("glossary", "teach"):
        page.wait_for_selector({"glossary": ".gt-glossary dd", "teach": ".stSelectbox"}[name])
    else:
        ready(page)
    page.wait_for_timeout(500)  # what comes late
    return page


# On a commit the first page, one of a lesson, and one that still moves on a phone; every kind of
# page at either width in `make test-long`.
@pytest.mark.parametrize(
    ("width", "some"),
    [
        pytest.param(390, ("home", "curve", "sketch"), id="390"),
        pytest.param(390, None, id="390, every kind", marks=pytest.mark.long),
        pytest.param(1280, None, id="1280, every kind", marks=pytest.mark.long),
    ],
)
def test_nothing_jumps_while_a_page_loads(app, browser, width, some):
    found = {}
    # A first visit: each piece of Streamlit's script has yet to come.
    page = browser.new_page(viewport={"width": width, "height": 844 if width < 500 else 800})
    page.add_init_script(SHIFTS)
    for name, address in kinds():
        if some and name not in some:
            continue
        page.goto(app.url + address)
        shifts = settled(page, name).evaluate("window.shifts")
        found[name] = sum(value for value, *_ in shifts), shifts
    page.close()
    most = STILL_MOVING if width < 500 else {}
    bad = {name: one for name, one in found.items() if one[0] >= most.get(name, MOST)}
    assert not bad, bad


def test_no_text_shows_while_the_script_of_a_piece_of_it_is_on_its_way(app, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.add_init_script(PATIENT)
    waiting: list[Route] = []
    # What the list of lessons is made of. A function of Python's own, or Playwright refuses it.
    page.route("**/static/js/PageLink*", lambda route: waiting.append(route))
    page.goto(app.url + "/reversal?lesson=flip", wait_until="commit")
    page.wait_for_selector(".st-key-turn p", state="attached", timeout=90_000)
    ran(page)
    page.wait_for_timeout(300)
    whole = page.locator("html")
    assert (waiting != [], whole.get_attribute("data-whole")) == (True, "false")
    for route in waiting:
        route.continue_()
    expect(whole).to_have_attribute("data-whole", "true")
    page.close()


def test_a_quiz_shows_as_soon_as_its_questions_are_there(app, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(PATIENT)
    page.goto(app.url + "/reversal?quiz=3")
    expect(page.locator(".st-key-tiles button").last).to_be_visible()
    expect(page.locator(".st-key-quiz .stPageLink p")).to_be_visible()
    page.close()


@pytest.mark.long
def test_an_error_shows_at_once_though_the_rest_never_comes(app, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(PATIENT)
    page.route("**/static/js/PageLink*", lambda route: None)
    page.goto(app.url + "/reversal?lesson=flip", wait_until="commit")
    page.wait_for_selector(".st-key-turn p", state="attached", timeout=90_000)
    whole = page.locator("html")
    assert whole.get_attribute("data-whole") == "false"
    page.locator(".stMainBlockContainer").evaluate("""(main) => {
      const error = document.createElement("div");
      error.className = "stException";
      main.append(error);
    }""")
    expect(whole).to_have_attribute("data-whole", "true")
    page.close()


# Nobody's patience with a whole page ends; with a font's it does.
ONE_PAGE = """
const later = window.setTimeout;
window.setTimeout = (work, ms, ...more) => (ms === 6000 ? 0 : later(work, ms, ...more));
"""


def test_a_font_that_never_comes_is_waited_for_once(app, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.add_init_script(ONE_PAGE)
    page.route("**/*.woff2", lambda route: None)
    page.goto(app.url + "/reversal?lesson=flip", wait_until="commit")
    expect(page.locator("html")).to_have_attribute("data-whole", "true", timeout=30_000)
    page.close()


# Every chart by its box, the numbers at its axes, and where the lines of each colour lie.
PICTURE = """(root) => [
  ...document.querySelectorAll(`${root} .gl-figures .gl-figure`)
].map((figure) => {
  const box = (node) => {
    const {left, top, width, height} = node.getBoundingClientRect();
    return [left, top, width, height].map(Math.round);
  };
  const plot = figure.querySelector('.gl-plot');
  const all = (query) => [...plot.querySelectorAll(query)];
  return {
    plot: box(plot),
    ticks: all('.xtick text, .ytick text, .y2tick text, .y3tick text, .gl-tick')
      .map((one) => one.textContent).sort(),
    cells: all('.hm image, .gl-cells').map((one) => box(one)).sort((a, b) => a[0] - b[0]).flat(),
    lines: all('.js-line, .gl-curve').reduce((found, one) => {
      const {stroke, strokeWidth} = getComputedStyle(one);
      if (parseFloat(strokeWidth) === 0) return found;
      const {left, top, right, bottom} = one.getBoundingClientRect();
      if (left === right && top === bottom) return found; // one point of a run to come
      const [l, t, r, b] = found[stroke] ?? [left, top, right, bottom];
      const {min, max} = Math;
      return {...found, [stroke]: [min(l, left), min(t, top), max(r, right), max(b, bottom)]};
    }, {}),
  };
})"""


@pytest.mark.parametrize(
    "address",
    [
        "/reversal?lesson=flip",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("/", "/playground")),
    ],
)
def test_the_first_picture_is_drawn_without_plotly_where_the_live_one_comes(app, browser, address):
    first, live = first_and_live(app, browser, address)
    assert len(first) == len(live) > 0
    for before, after in zip(first, live, strict=True):
        assert before["plot"] == pytest.approx(after["plot"], abs=1)
        assert before["ticks"] == after["ticks"]
        assert before["lines"].keys() == after["lines"].keys() != set()
        for colour, box in before["lines"].items():
            assert box == pytest.approx(after["lines"][colour], abs=3)


TRAINS = {lesson.slug for lesson in catalogue.lessons() if lesson.lab.training}
SOME = {"moons"}
"""Before the charts of the lab itself; those of others are below."""


@pytest.mark.parametrize("slug", [*sorted(SOME), *also(*sorted(TRAINS - SOME))])
def test_a_lab_that_trains_has_a_first_picture_of_all_its_charts(app, browser, slug):
    lesson = catalogue.find(slug)
    first, live = first_and_live(app, browser, f"/{lesson.chapter}?lesson={lesson.slug}")
    assert len(first) == len(live) > 0
    for before, after in zip(first, live, strict=True):
        assert before["plot"] == pytest.approx(after["plot"], abs=1), "under a bar as high"
        assert before["ticks"] in (after["ticks"], [])
        assert before["cells"] in ([], pytest.approx(after["cells"], abs=2))
        for colour in before["lines"].keys() & after["lines"].keys():
            assert before["lines"][colour] == pytest.approx(after["lines"][colour], abs=3)
    maps = slug == "guided_relu"  # and no axis that can be drawn without Plotly
    assert any(len(one["ticks"]) > 4 for one in first) or maps, "the axes of a chart"
    assert any(one["cells"] for one in first) == maps


def test_the_first_picture_says_what_the_lab_says(app, browser):
    said = "(root) => document.querySelector(`${root} .gl-goals`)?.innerText"
    first, live = first_and_live(app, browser, "/", said)
    assert first == live != ""


ALONE = (
    PATIENT
    + """
setInterval(() => {
  const lab = document.querySelector('[class*="st-key-lab_"] .gl-lab');
  const work = () => document.createElement("i");
  if (lab?.childElementCount) for (const node of [lab, document.body]) node.append(work());
}, 20);
"""
)
"""A lab and a chart's script that are at work for ever, and nobody's patience ends."""


def test_the_text_and_the_first_picture_wait_for_no_lab_and_nothing_stands_in_them(app, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.route_web_socket("**/labs", lambda socket: None)  # whose frame never comes
    page.add_init_script(ALONE)
    page.goto(app.url, wait_until="commit")
    page.wait_for_selector('html[data-whole="true"]', state="attached", timeout=90_000)
    first = page.locator(".gl-first > .gl-lab").bounding_box()
    assert page.locator(".gl-first .gl-first-drawing").count() > 0
    assert first["y"] + first["height"] <= page.locator(".st-key-code").bounding_box()["y"]
    page.locator(".st-key-lab_home").evaluate("""(mount) => {
      const bar = document.createElement("p");
      bar.style.height = "56px"; // a piece above it that comes late, or goes
      mount.before(bar);
    }""")
    lab, picture = page.locator(".st-key-lab_home"), page.locator(".gl-first > .gl-lab")
    becomes(page, lambda: abs(picture.bounding_box()["y"] - lab.bounding_box()["y"]) <= 1.0, True)
    page.close()


# To the page's scripts each of their own seems to have been kept by the browser.
KEPT = """
const given = performance.getEntriesByName;
performance.getEntriesByName = function (...asked) {
  return given.apply(this, asked).map(() => ({ transferSize: 0 }));
};
"""


def test_the_first_picture_waits_for_no_script_that_comes_late(app, browser):
    """HTML needs one of Streamlit's; for the charts' own, which is kept, it waits a second."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(KEPT)
    page.route("**/static/js/Html*", lambda route: None)
    page.route("**/plotly*", lambda route: None)
    page.goto(app.url + "/stop_gradient?lesson=noise_leaks", wait_until="commit")
    page.wait_for_selector(".gl-first .gl-first-drawing", state="attached", timeout=90_000)
    assert page.locator(".st-key-words p").count() > 0
    assert page.locator(".stHtml").count() == 0
    assert not page.locator(".stText").is_visible(), "it is for the script alone"
    page.close()


def first_and_live(app, browser, address: str, look: str = PICTURE) -> tuple[Any, Any]:
    """What there is of each chart before Plotly came, and when all is there."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(PATIENT)
    with held(page, "**/plotly*"):
        page.goto(app.url + address, wait_until="commit")
        page.wait_for_selector(".gl-first .gl-first-drawing", timeout=90_000)
        page.wait_for_function("document.querySelector('.gl-lab .gl-controls')")
        ran(page)  # nothing of Streamlit's comes above it any more
        page.wait_for_timeout(300)
        first = page.evaluate(look, ".gl-first")
        assert page.locator(".gl-plot .js-line").count() == 0
    ready(page)
    page.wait_for_function("document.querySelector('.gl-lab').dataset.caughtUp")
    live = page.evaluate(look, ".gl-lab[data-ready]")
    assert page.locator(".gl-first *").count() == 0
    page.close()
    return first, live


# Every call by which Plotly draws: of which figure, and whether before the lab was there.
DRAWN = """
window.drawn = [];
let plotly;
Object.defineProperty(window, "Plotly", {
  get: () => plotly,
  set(given) {
    plotly = given;
    const { react } = given;
    given.react = function (node, ...rest) {
      drawn.push([node.parentElement.dataset.figure, Boolean(node.closest(".gl-first"))]);
      return react.call(this, node, ...rest);
    };
  },
});
"""


@pytest.mark.parametrize(
    ("width", "address"),
    [
        pytest.param(1280, "/stop_gradient?lesson=noise_leaks", id="a lesson, side by side"),
        pytest.param(768, "/", id="home, where style puts one on top"),
    ],
)
def test_what_plotly_draws_before_the_lab_is_there_is_taken_over(app, browser, width, address):
    """The script may be there first, in a browser that was here before for one."""
    page = browser.new_page(viewport={"width": width, "height": 1400}, bypass_csp=True)
    page.add_init_script(DRAWN)
    streamlit: list[Route] = []
    labs: list[Route] = []
    page.route("**/_stcore/host-config", lambda route: streamlit.append(route))  # nothing before it
    page.route("**/lab.js", lambda route: labs.append(route))
    page.goto(app.url + address, wait_until="commit")
    page.wait_for_function("window.Plotly", timeout=90_000)
    becomes(page, lambda: bool(streamlit and labs), True)
    for route in streamlit:
        route.continue_()
    page.wait_for_selector('html[data-whole="true"]', state="attached")
    assert page.evaluate("drawn") == [["gradient", True]], "the uppermost alone"
    others = page.locator(".gl-first .gl-figures .gl-first-drawing")
    shown = page.locator(".gl-first .gl-figures .gl-plot").filter(visible=True)
    assert others.count() == shown.count() - 1, "the others are drawn without it"
    for route in labs:
        route.continue_()
    ready(page)
    page.wait_for_function("document.querySelector('.gl-lab[data-whole]')")
    later = page.evaluate("drawn")[1:]
    assert later, "the lab draws the others"
    assert "gradient" not in {name for name, _ in later}, "and none a second time"
    assert page.locator(".gl-first *").count() == 0
    # And they are the lab's own: a setting moves them.
    line = page.locator("[data-figure=gradient] .trace path[d]").first
    before = line.get_attribute("d")
    page.locator(".gl-controls input[type=range]").first.press("ArrowRight")
    becomes(page, lambda: line.get_attribute("d") != before, True)
    page.close()
