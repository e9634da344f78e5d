"""Key press to painted lab for every lesson, and the playground: none may be slow.

One visit of each by a learner who has answered everything, in a window as tall as the lab, at the
first step that shows the lab, with the drawers of the table and of the graph open. The key
moves the first slider; where a lesson has none, the first whole number that has room for all
presses; where it has none either, other inputs x are typed and Enter is pressed. No value comes
twice. Painted is when everything that changes has changed: charts, table, graph, and the word of
the lab itself that all charts are drawn, for those on a canvas. Each counts once: a moment later
Plotly draws the same picture again, and its paths are written otherwise.
"""

import statistics
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Index, Integer, Number
from lessons.outputs.catalogue import lessons
from pages.labs.words import VIEWS
from tests.bench.shared import (
    DETECTOR,
    LINE,
    VIEWPORT,
    app,
    computing,
    everything_answered,
    percentile,
    surroundings,
    table,
    target,
)
from tests.browser.looking import MORE, open_drawers
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
REST_MS = 450  # after a key, by when the lab has asked again because the hand rests
READY = ".gl-lab[data-ready]"
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
    """One lab under measurement; its first numbers are of warming up, and left out.

    Attributes:
        control, key: what is moved, and how.
        painted_ms, answered_ms: from the key to all painted; from the wish to its frame.
        sizes: bytes of the frame, and of a training's pictures, for a press.
        wishes: all that were sent, and whether each is the first after a press that counts.
    """

    name: str
    path: str
    control: str
    key: str
    lesson: Lesson | None = None
    painted_ms: list[float] = field(default_factory=list)
    answered_ms: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    wishes: list[tuple[str, bool]] = field(default_factory=list)


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
    page = browser.new_page(viewport=VIEWPORT)
    if lab.lesson:
        name, value = everything_answered(lab.lesson)
        page.context.add_cookies([{"name": name, "value": value, "url": url}])
    page.add_init_script(LINE)
    page.goto(url + lab.path)
    page.locator(READY).wait_for(timeout=60_000)
    page.evaluate(DETECTOR)
    page.wait_for_timeout(500)
    tabs = page.locator(".gl-tabs").get_by_role("button").all_inner_texts()
    open_drawers(page, *(one for one in (VIEWS["table"], VIEWS["graph"], MORE) if one in tabs))
    page.wait_for_timeout(500)
    bottom = page.evaluate("document.querySelector('.gl-lab').getBoundingClientRect().bottom")
    page.set_viewport_size({"width": VIEWPORT["width"], "height": max(800, round(bottom) + 50)})
    page.wait_for_timeout(1500)
    selectors = [".gl-lab@data-seq", "[data-table]", ".gl-graph"]
    names = "[...document.querySelectorAll('[data-figure]')].map((one) => one.dataset.figure)"
    selectors += [f"[data-figure='{name}']" for name in page.evaluate(names)]
    for number in range(WARM_UP + PRESSES):
        ready(page, lab, number)
        page.evaluate("all => { window.changes = painted.changes(all) }", selectors)
        before = page.evaluate("line.asks.length")
        page.keyboard.press(lab.key)
        page.wait_for_timeout(REST_MS)
        page.wait_for_function("() => line.isQuiet()", timeout=20_000)
        page.wait_for_timeout(100)
        note(lab, page.evaluate("window.changes()"), page.evaluate("line.asks"), before, number)
    page.close()


def ready(page: Page, lab: Lab, number: int) -> None:
    """Put the focus where the key has to go; what Enter is to send is typed with it."""
    control = page.locator(f"[data-control='{lab.control}'] input").first
    if number == 0:
        control.evaluate("one => one.closest('details')?.setAttribute('open', '')")
        control.focus()
    if lab.key == "Enter":
        first, *others = control.input_value().split(",")
        control.evaluate(TYPED, ",".join([f"{float(first) + 0.01:g}", *others]))


def note(
    lab: Lab, seen: list[tuple[str, float]], asks: list[dict[str, Any]], before: int, number: int
) -> None:
    """What one press has come to."""
    lab.wishes += [(one["wish"], False) for one in asks[len(lab.wishes) : before]]
    lab.wishes += [
        (one["wish"], n == 0 and number >= WARM_UP) for n, one in enumerate(asks[before:])
    ]
    if number < WARM_UP:
        return
    painted = dict(reversed(seen))  # the first of each
    assert any("@" not in where for where in painted), f"{lab.name}: nothing has changed"
    lab.painted_ms.append(max(painted.values()))
    # A wish is not answered if a newer one has replaced it.
    asked = next(one for one in asks[before:] if answers(one))
    lab.answered_ms.append(answers(asked)[0]["at"] - asks[before]["at"])
    lab.sizes.append(sum(one["size"] for one in answers(asked)))


def answers(asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in asked["answers"] if one["what"] in ("frame", "picture")]


def report(all_: list[Lab]) -> list[str]:
    head = (
        "lab",
        "control",
        "p50, ms",
        "p95, ms",
        "wish to frame, ms",
        "server computes, ms",
        "kB",
    )
    rows, slow = [], []
    for lab in all_:
        p50, p95 = (percentile(lab.painted_ms, at) for at in (50, 95))
        computed = computing(wish for wish, _ in lab.wishes)
        own = [ms for ms, (_, counts) in zip(computed, lab.wishes, strict=True) if counts]
        numbers = (f"{p50:.0f}", f"{p95:.0f}", f"{statistics.median(lab.answered_ms):.0f}")
        size = statistics.median(lab.sizes) / 1000
        rows.append(
            (lab.name, lab.control, *numbers, f"{statistics.median(own):.1f}", f"{size:.1f}")
        )
        if p50 > MOST_MS:
            slow.append(f"{lab.name} {p50:.0f}")
    text = f"the p50 of none is above {MOST_MS} ms"
    return [
        "## Every lab",
        "",
        "From a key press to the whole lab painted. Of that, from the wish to its frame in the "
        "browser, and what the server computes for it (CPU time, measured in process):",
        "",
        *table(head, rows),
        "",
        "Target:",
        "",
        target(not slow, text + (f"; above are {', '.join(slow)}" if slow else "")),
    ]


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
    done = f"{PRESSES} presses of each after {WARM_UP} to warm up, in one visit, headless."
    return "\n".join([*report(all_), "", measured_on(done, version)])


if __name__ == "__main__":
    print(main())
