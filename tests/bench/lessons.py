"""Key press to painted lab for every lesson, and the playground: none may be slow.

One visit of each by a learner who has answered everything, in a window as tall as the lab, at the
first step that shows the lab, with the drawers of the table and of the graph open. The key
moves the first slider; where a lesson has none, the first whole number that has room for all
presses; where it has none either, other inputs x are typed and Enter is pressed. No value comes
twice. Painted is when everything that changes has changed: charts, table, graph, and the word of
the lab itself that all charts are drawn, for those on a canvas. Each counts once: a moment later
Plotly draws the same picture again, and its paths are written otherwise.
"""

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, sync_playwright

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Index, Integer, Number
from lessons.outputs.catalogue import lessons
from pages.labs.words import VIEWS
from tests.bench.page import VIEWPORT, opened
from tests.bench.shared import app, milliseconds, percentile, surroundings, table, target
from tests.browser.looking import MORE, open_drawers, ready
from tests.support.browser import launch

WARM_UP, PRESSES = 3, 9
MOST_MS = 100  # pass or miss; never loosened: the p50 of none is above it
INSTEAD = {
    "not_finite": ("w", "Enter"),  # its first slider does nothing where nothing is clipped
    "several_outputs": ("w1", "ArrowLeft"),  # nor here, as its first answer leaves the lab
    "codebook": ("z1", "ArrowRight"),  # its first slider is of a training, which has not begun
    "in_place": ("x", "Enter"),  # its first slider moves what no chart shows at first
    "scaled": ("x", "Enter"),  # its first slider is a limit, and nothing is clipped at first
}
REST_MS = 450  # after a frame, by when the lab has asked again because the hand rests
SEQ = "document.querySelector('.gl-lab').dataset.seq"
NAMES = "[...document.querySelectorAll('[data-figure]')].map((one) => one.dataset.figure)"
# A text that is typed in the moment of the next key: the lab waits for no more of it.
TYPED = """(input, text) => {
  const type = () => {
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  addEventListener("keydown", type, { capture: true, once: true });
}"""


@dataclass
class Lab:
    """One lab under measurement; ``control`` and ``key`` say what is moved, and how."""

    name: str
    path: str
    control: str
    key: str
    lesson: Lesson | None = None
    painted_ms: list[float] = field(default_factory=list)


def labs() -> list[Lab]:
    ours = [
        Lab(one.slug, f"/{one.chapter}?lesson={one.slug}&step={step_of(one)}", *moved(one), one)
        for one in lessons()
    ]
    return [*ours, Lab("playground", "/playground", "in.x.entry", "ArrowRight")]


def step_of(lesson: Lesson) -> int:
    return next(number for number, step in enumerate(lesson.prose.steps, 1) if step.stage)


def moved(lesson: Lesson) -> tuple[str, str]:
    """What is moved in a lesson's lab, and by which key."""
    if lesson.slug in INSTEAD:
        return INSTEAD[lesson.slug]
    step = lesson.prose.steps[step_of(lesson) - 1]
    values = lesson.validate({**lesson.defaults, **step.lab})
    for one in lesson.lab.parameters:
        if isinstance(one, Number) and not one.advanced:
            high = one.slider[1] - (WARM_UP + PRESSES) * one.step
            return one.name, "ArrowRight" if values[one.name] <= high else "ArrowLeft"
    for one in lesson.lab.parameters:
        if not isinstance(one, Integer) or isinstance(one, Index):
            continue
        if values[one.name] + WARM_UP + PRESSES <= one.high:
            return one.name, "ArrowUp"
    return "x", "Enter"


def visit(browser: Browser, lab: Lab, url: str) -> None:
    """Open it, choose a control, warm up, press."""
    page = ready(opened(browser, url + lab.path, lesson=lab.lesson))
    page.wait_for_timeout(500)
    tabs = page.locator(".gl-tabs").get_by_role("button").all_inner_texts()
    open_drawers(page, *(one for one in (VIEWS["table"], VIEWS["graph"], MORE) if one in tabs))
    page.wait_for_timeout(500)
    bottom = page.evaluate("document.querySelector('.gl-lab').getBoundingClientRect().bottom")
    page.set_viewport_size({"width": VIEWPORT["width"], "height": max(800, round(bottom) + 50)})
    page.wait_for_timeout(1500)
    selectors = [".gl-lab@data-seq", "[data-table]", ".gl-graph"]
    selectors += [f"[data-figure='{name}']" for name in page.evaluate(NAMES)]
    for number in range(WARM_UP + PRESSES):
        focus(page, lab, number)
        page.evaluate("all => { window.changes = painted.changes(all) }", selectors)
        before = page.evaluate(SEQ)
        page.keyboard.press(lab.key)
        page.wait_for_function(f"before => {SEQ} !== before", arg=before)
        page.wait_for_timeout(REST_MS)
        changes = dict(reversed(page.evaluate("window.changes()")))  # the first of each
        assert any("@" not in where for where in changes), f"{lab.name}: nothing has changed"
        if number >= WARM_UP:
            lab.painted_ms.append(max(changes.values()))
    page.close()


def focus(page: Page, lab: Lab, number: int) -> None:
    """Put the focus where the key has to go; what Enter is to send is typed with it."""
    control = page.locator(f"[data-control='{lab.control}'] input").first
    if number == 0:
        control.evaluate("one => one.closest('details')?.setAttribute('open', '')")
        control.focus()
    if lab.key == "Enter":
        first, *others = control.input_value().split(",")
        control.evaluate(TYPED, ",".join([f"{float(first) + 0.01:g}", *others]))


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "torch", "plotly")
    all_ = labs()
    with ExitStack() as stack:
        url = stack.enter_context(app()).url
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        for lab in all_:
            print(f"{lab.name}: {lab.path}", file=sys.stderr)
            visit(browser, lab, url)
        version = browser.version
    rows = (
        {"lab": one.name, "control": one.control, **milliseconds(one.painted_ms, 50, 95)}
        for one in all_
    )
    slow = [one.name for one in all_ if percentile(one.painted_ms, 50) > MOST_MS]
    text = f"the p50 of none is above {MOST_MS} ms"
    return "\n".join([
        "## Every lab",
        "",
        "From a key press to the whole lab painted:",
        "",
        *table(rows),
        "",
        "Target:",
        "",
        target(not slow, f"{text}; above are {', '.join(slow)}" if slow else text),
        "",
        measured_on(f"{PRESSES} presses of each after {WARM_UP} to warm up, headless.", version),
    ])  # fmt: skip
