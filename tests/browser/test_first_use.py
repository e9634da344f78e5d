"""What new learners stumbled over, seen as they saw it: by keyboard, on a phone, zoomed in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.browser.looking import becomes, control, ran, ready, trains
from tests.support.server import Server
from tests.support.visitor import Tabs

pytestmark = pytest.mark.browser

HEADER = 60
SEEN = """node => {
  const { top, bottom, left, width, height } = node.getBoundingClientRect();
  const at = (y) => document.elementFromPoint(left + width / 2, y);
  const hit = (y) => node.contains(at(y)) || at(y)?.contains(node);
  return height > 0 && top >= 0 && bottom <= innerHeight && hit(top + 2) && hit(bottom - 2);
}"""


TOP = "one.getBoundingClientRect().top"


def is_seen(part: Locator) -> bool:
    """Whether all of it is in the window, and nothing over it."""
    return bool(part.evaluate(SEEN))


def sees(page: Page, *parts: Locator) -> None:
    """Once the page has stopped scrolling."""
    for part in parts:
        handle = part.element_handle()
        page.wait_for_function(SEEN, arg=handle)


def box(part: Locator) -> dict[str, float]:
    found = part.bounding_box()
    assert found
    return dict(found)


def step(page: Page, number: int) -> None:
    expect(page.locator(".gt-eyebrow")).to_contain_text(f"Step {number} of")
    ran(page)


def on(page: Page, number: int) -> None:
    """To the next step; the lab hears of it after the page, and then gives the text the focus."""
    page.locator(".st-key-next button").click()
    step(page, number)
    expect(page.locator(".st-key-words")).to_be_focused()


def stands(page: Page, part: Locator, low: float, high: float, ms: float) -> None:
    """It comes to stand between these heights of the window, and stays there for so long."""
    between = f"(one) => {low} <= {TOP} && {TOP} < {high}"
    page.wait_for_function(between, arg=part.element_handle())
    page.wait_for_timeout(ms)
    assert low <= box(part)["y"] < high


def test_a_refused_setting_reaches_no_goal(bare, open_page):
    page = ready(open_page(bare))
    state = page.locator(".gl-goal-state")
    control(page, "cut", "input[value=right_place]").check(force=True)
    expect(state).to_contain_text("✓ reached")
    low = control(page, "noise_low", ".gl-exact")
    low.fill("2.5")
    low.press("Enter")
    expect(page.locator('[data-control="noise_low"] .gl-error')).not_to_be_empty()
    expect(state).to_have_text("not checked while there is an error")
    expect(page.locator(".gl-goals.gl-met")).to_have_count(0)
    low.fill("0.6")
    low.press("Enter")
    expect(state).to_contain_text("✓ reached")


def heading(page: Page) -> Locator:
    return page.locator(".st-key-words h2")


class Slow:
    """Streamlit's line to a page, which can be held up in the middle of a run."""

    def __init__(self, page: Page) -> None:
        self.left: int | None = None  # messages to let through; None for all
        self.held: list[str | bytes] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, route: WebSocketRoute) -> None:
        self.route = route
        route.connect_to_server().on_message(self._take)

    def _take(self, message: str | bytes) -> None:
        if self.left == 0:
            self.held.append(message)
            return
        self.left = None if self.left is None else self.left - 1
        self.route.send(message)

    def hold(self) -> None:
        self.left = 2  # that a run has begun, and that it runs: what is shown counts as old then

    def go_on(self) -> None:
        self.left = None
        for message in self.held:
            self.route.send(message)
        self.held.clear()


@pytest.fixture
def page(app: Server, tabs: Tabs) -> Iterator[Page]:
    """A tab that closes after its visitor: how its line is held up cannot be taken back."""
    page = tabs.newcomer(app.url, 1280, 800, "light")
    yield page
    tabs.leave(page, keep=False)


def test_a_desk(app, page):
    slow = Slow(page)
    page.goto(app.url + "/stop_gradient?lesson=two_passes&step=1")
    ready(page)
    page.evaluate("window.stays = true")

    # What is to be tried changes something in sight.
    said = page.locator('.st-key-words [data-number^="expression"]')
    sees(page, said, control(page, "stopped", "select"))
    before = said.inner_text()
    control(page, "stopped", "select").select_option("second")
    expect(said).not_to_have_text(before)

    # A link past the navigation is the keyboard's first stop; the first answer is near.
    on(page, 2)
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); }")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the question")
    expect(skip).to_be_focused()
    assert is_seen(skip)
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio").first).to_be_focused()
    # Milliseconds of computing, with no loading among them.
    expect(page.locator(".gl-status")).to_contain_text(" ms · ")

    # The answers can be seen and hit.
    row = page.get_by_test_id("stRadioOption").first
    assert box(row)["height"] >= 24
    ring = row.locator("div > div").first
    assert contrast(ring) >= 3

    # While the page runs, nothing fades, and nothing stands over Search.
    list_before = box(page.locator(".st-key-lessons"))["height"]
    row.click()
    commit = page.get_by_role("button", name="Commit to this answer")
    expect(commit).to_be_enabled()
    ran(page)
    slow.hold()
    commit.click()
    page.wait_for_selector('[data-test-script-state="running"] [data-stale="true"] h2')
    size = box(commit)
    page.wait_for_timeout(1600)  # Streamlit fades after half a second, for a second
    waits = "one => { const after = getComputedStyle(one.closest('.stButton'), '::after');"
    waits += " return [after.content, after.visibility]; }"
    assert commit.evaluate(waits) == ['"torch computes…"', "visible"]
    assert box(commit) == size
    faded = "parts => parts.filter((one) => getComputedStyle(one).opacity < 1).length"
    assert page.locator("[data-stale]").evaluate_all(faded) == 0
    assert is_seen(page.get_by_role("button", name="Search"))
    expect(page.locator(".stStatusWidget")).to_be_hidden()
    slow.go_on()
    expect(page.locator(".st-key-reply_right")).to_be_visible()
    # The first answer adds to the progress, and moves nothing.
    expect(page.locator(".gt-eyebrow")).to_contain_text("predictions right at first try")
    ran(page)
    assert box(page.locator(".st-key-lessons"))["height"] == list_before

    # With Next the heading, the control that the text names and the part it shows are in sight.
    page.locator(".stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    on(page, 3)
    sees(page, heading(page), control(page, "stopped", "select"))
    expect(page.locator(".gl-graph")).to_be_in_viewport(ratio=0.6)
    assert page.evaluate("document.activeElement.classList.contains('st-key-words')")
    on(page, 4)  # it speaks of no part: from the start
    sees(page, page.locator(".st-key-lessons"), heading(page))
    sees(page, page.locator("[data-figure=gradient] .gl-plot"))

    # Each step is a link with its title, followed without leaving the page.
    marks = page.get_by_role("navigation", name="Steps").get_by_role("link")
    names = marks.evaluate_all("links => links.map((link) => link.textContent)")
    # Answered, in words and as a filled dot: a check mark would say that the answer was right.
    assert names[1] == "2 One of the two paths is stopped. What comes back to x?, answered"
    assert names[2] == "3 None is not zero"
    assert names[4] == "5 Find the bug, a question"
    filled = marks.evaluate_all(
        """links => links.map((link) => {
            const dot = link.querySelector("i");
            return dot && 2 * parseFloat(getComputedStyle(dot).borderTopWidth) >= dot.offsetWidth;
        })"""
    )
    assert filled == [None, True, None, False, False, None, False]
    look = "links => links.map((link) => getComputedStyle(link).borderBottom.replace(/rgb.*/, ''))"
    looks = marks.evaluate_all(look)
    assert looks[0] == looks[2]
    assert len({looks[0], looks[3], looks[4]}) == 3, "past, present and coming, without colour"
    assert min(box(mark)["height"] for mark in marks.all()) >= 24
    marks.nth(5).click()
    step(page, 6)
    expect(marks.nth(5)).to_have_attribute("aria-current", "step")
    page.wait_for_function("location.search.includes('step=6')")
    on(page, 7)
    expect(page.get_by_role("link", name="Next lesson: The noise leaks")).to_be_visible()
    assert page.evaluate("window.stays"), "the page was never left"

    # A wide window: all begins at one line, and a chart alone in its row takes the row.
    page.set_viewport_size({"width": 1920, "height": 1080})
    back = page.locator(".st-key-header a")
    sees(page, back)
    parts = [back, page.locator("h1")]
    becomes(page, lambda: abs(box(parts[0])["x"] - box(parts[1])["x"]) < 20, True)
    row, chart = page.locator(".gl-figures"), page.locator("[data-figure=forward]")
    becomes(page, lambda: box(chart)["width"] > 0.95 * box(row)["width"], True)


def contrast(part: Locator) -> float:
    """Of a border with the page."""
    ink, paper = part.evaluate(
        """one => [getComputedStyle(one).borderTopColor,
                   getComputedStyle(document.querySelector('.stApp')).backgroundColor]
            .map((colour) => colour.match(/[0-9.]+/g).slice(0, 3).map(Number))"""
    )
    light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[float]) -> float:
    """As WCAG defines it."""
    parts = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_a_phone(app, open_page):
    page = open_page(app.url + "/reversal", width=390, height=844)
    ready(page)

    # Next leads to the new step's text and never further; a button leads to what it speaks of.
    on(page, 2)
    sees(page, heading(page))
    targets = ".gt-steps a, .gt-see, [data-testid=stRadioOption], .st-key-reset button"
    small = "parts => parts.filter((one) => one.getBoundingClientRect().height < 44).length"
    assert page.locator(targets).evaluate_all(small) == 0
    on(page, 3)
    stands(page, heading(page), HEADER + 1, 250, 600)  # in which it would have scrolled on
    page.get_by_role("button", name="See the graph").click()
    expect(page.locator(".gl-graph .gl-svg")).to_be_in_viewport(ratio=0.6)

    # The next lesson begins at its title, however far down this one was left.
    on(page, 4)
    for number in range(5, 8):
        on(page, number)
    page.get_by_role("link", name="Next lesson").click()
    expect(page.locator("h1")).to_contain_text("My forward pass adds noise")
    ready(page)
    sees(page, page.locator("h1"))
    on(page, 2)
    on(page, 3)

    # At 200 % and 400 % nothing is lost at the side.
    for width, height in ((640, 400), (320, 256)):
        page.set_viewport_size({"width": width, "height": height})
        ends = "[document.documentElement, document.querySelector('.stMain')]"
        fits = f"width => {ends}.every((one) => one.scrollWidth <= width)"
        page.wait_for_function(fits, arg=width)  # charts take their new width one by one
        page.locator(".st-key-back button").click()
        step(page, 2)
        stands(page, page.locator(".gt-eyebrow"), HEADER, height, 300)
        on(page, 3)


def test_what_is_opened_in_the_controls_while_the_charts_are_read_is_in_sight(app, open_page):
    page = trains(ready(open_page(app.url + "/in_the_wild?lesson=codebook&step=4")))
    ran(page)
    page.locator("[data-figure=apart]").evaluate("one => one.scrollIntoView({ block: 'center' })")
    summary = page.locator(".gl-head .gl-summary")
    before = summary.bounding_box()
    summary.click()
    fields = page.locator(".gl-head .gl-group[open] > .gl-fields")
    expect(fields).to_be_visible()
    page.wait_for_timeout(200)  # the controls measure themselves again
    becomes(page, summary.bounding_box, before)
    start = page.locator(".gl-head").get_by_role("button", name="Start")
    sees(page, fields, start)
    last = fields.locator(".gl-control").last
    last.locator("select, input").first.focus()
    sees(page, last)
