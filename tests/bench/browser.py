"""Key press to painted lab, in a real browser: this app beside the same lab built by others.

All servers run from the start. In each round every page is opened afresh, in turn, warmed up, then
the noise_high slider gets its key presses one by one, and is dragged with the mouse down. The app
takes two turns in each round: how far it is from itself is the noise of the measurement.
"""

import datetime
import importlib.metadata
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from pages.ui import memory
from tests.bench.peers import lab
from tests.support.browser import launch
from tests.support.server import ROOT, Server, free_port, serve, streamlit

PEERS = ROOT / "tests" / "bench" / "peers"
DETECTOR = Path(__file__).with_name("painted.js")
VIEWPORT = {"width": 1280, "height": 2000}  # tall enough to have the whole lab in view
ROUNDS, WARM_UP, PRESSES, DRAG_SECONDS = 4, 4, 9, 3.0
APP, AGAIN = "this app", "this app again"
# Pass or miss; never loosened. The app's p50 is at most this many times a peer's …
TARGETS = {"Dash": 1.1, "plain Streamlit": 0.35}
UPDATES = 15  # … and while the mouse drags, at least so many computed pictures come a second.


@dataclass
class Subject:
    """A page under measurement, and where its lab is in it (CSS selectors)."""

    name: str
    start: Callable[[], AbstractContextManager[Server]]
    slider: str  # takes the focus, and then the key presses
    track: str  # what the mouse is dragged along
    gradient: str
    others: list[str]  # the rest of the lab: the other charts and the table
    path: str = "/"
    cookie: tuple[str, str] | None = None
    painted_ms: list[float] = field(default_factory=list)
    updates_a_second: list[float] = field(default_factory=list)


def peer(module: str) -> Callable[[], AbstractContextManager[Server]]:
    def start() -> AbstractContextManager[Server]:
        port = free_port()
        return serve([sys.executable, "-m", f"tests.bench.peers.{module}", str(port)], port, "/")

    return start


def subjects() -> list[Subject]:
    plain = ".st-key-{}".format

    def app(name: str) -> Subject:
        return Subject(
            name,
            lambda: streamlit(ROOT / "app.py", python=streamlit_python()),
            slider="[data-control=noise_high] input[type=range]",
            track="[data-control=noise_high] input[type=range]",
            gradient="[data-figure=gradient]",
            others=["[data-figure=forward]", "[data-figure=histogram]", "[data-table]"],
            path=f"/{lab.LESSON.chapter}?lesson={lab.LESSON.slug}",
            cookie=everything_answered(),
        )

    return [
        app(APP),
        app(AGAIN),
        Subject(
            "Dash",
            peer("dash_app"),
            slider="#noise_high [role=slider]",
            track="#noise_high .dash-slider-root",
            gradient="#gradient",
            others=["#forward", "#histogram", "#table"],
        ),
        Subject(
            "NiceGUI",
            peer("nicegui_app"),
            slider=".noise_high .q-slider__track-container",
            track=".noise_high .q-slider__track",
            gradient=".gradient",
            others=[".forward", ".histogram", ".table"],
        ),
        Subject(
            "plain Streamlit",
            lambda: streamlit(PEERS / "plain_app.py", PEERS, streamlit_python()),
            slider=plain("noise_high") + " input",
            track=plain("noise_high") + " [role=group]",
            gradient=plain("gradient"),
            # Its table is a canvas; the text kept beside it for screen readers is late on purpose.
            others=[plain("forward"), plain("histogram")],
        ),
    ]


def streamlit_python() -> str:
    """The app's own environment where there is one: without what the peers bring along."""
    own = ROOT / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def everything_answered() -> tuple[str, str]:
    """The app's memory of a learner who has answered all, so that no curve is covered."""
    trail = memory.Trail(step=len(lab.LESSON.prose.steps), done=True)
    for question in lab.LESSON.prose.questions:
        trail.commit(question, question.options[0].key, right=True)
    return memory.COOKIE, memory.written({lab.LESSON.slug: trail})


def visit(browser: Browser, subject: Subject, url: str) -> None:
    """One round of one subject: open, warm up, press, drag."""
    page = browser.new_page(viewport=VIEWPORT)
    if subject.cookie:
        name, value = subject.cookie
        page.context.add_cookies([{"name": name, "value": value, "url": url}])
    page.goto(url + subject.path)
    page.evaluate(DETECTOR.read_text(encoding="utf-8"))
    watched = [subject.gradient, *subject.others]
    page.wait_for_function("all => all.every(painted.shown)", arg=watched, timeout=60_000)
    page.wait_for_timeout(1000)
    page.locator(subject.slider).first.focus()
    for number in range(WARM_UP + PRESSES):
        page.evaluate("all => { window.times = painted.pressToPaint(all) }", watched)
        page.keyboard.press("ArrowRight")
        times = page.evaluate("window.times")
        if number >= WARM_UP:
            subject.painted_ms.append(max(times.values()))  # the whole lab; gradient chart included
        page.wait_for_timeout(250)  # nobody's clean-up counts as the next press
    subject.updates_a_second.append(drag(page, subject))
    page.close()


def drag(page: Page, subject: Subject) -> float:
    """Pull the slider to and fro with the mouse down; new gradient charts a second."""
    box = page.locator(subject.track).first.bounding_box()
    assert box, f"{subject.name}: no slider to drag"
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.9, y)
    page.mouse.down()
    page.wait_for_timeout(500)
    page.evaluate("one => { window.changes = painted.countChanges(one) }", subject.gradient)
    start = time.monotonic()
    while (passed := time.monotonic() - start) < DRAG_SECONDS:
        there = abs((passed / 1.5) % 2 - 1)  # to and fro in three seconds
        # Within the part of the slider that lies above noise_low, which the lesson asks for.
        page.mouse.move(box["x"] + box["width"] * (0.6 + 0.35 * there), y)
        time.sleep(1 / 60)
    changes = page.evaluate("window.changes()")
    page.mouse.up()
    return float(changes) / passed


def percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def report(all_: list[Subject]) -> list[str]:
    p50 = {one.name: percentile(one.painted_ms, 50) for one in all_}
    head = ["", "p50, ms", "p95, ms", *(f"× {name}" for name in TARGETS), "dragged: updates/s"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for one in all_:
        updates = statistics.median(one.updates_a_second)
        row = [one.name, *(f"{percentile(one.painted_ms, at):.0f}" for at in (50, 95))]
        row += [f"{p50[one.name] / p50[other]:.2f}" for other in TARGETS]
        row.append(f"{updates:.0f}" if updates else "on release only")
        lines.append(f"| {' | '.join(row)} |")
    lines += ["", f"The app against itself: {p50[AGAIN] / p50[APP]:.2f}. Targets, of the p50:", ""]
    for other, most in TARGETS.items():
        ratio = p50[APP] / p50[other]
        lines.append(f"- {verdict(ratio <= most)}: {ratio:.2f} × {other} (at most {most})")
    updates = statistics.median(all_[0].updates_a_second)
    lines.append(f"- {verdict(updates >= UPDATES)}: {updates:.0f} updates a second (≥ {UPDATES})")
    return lines


def verdict(reached: bool) -> str:
    return "PASS" if reached else "MISS"


def surroundings(before: float, browser: str) -> str:
    packages = ("streamlit", "dash", "nicegui", "torch", "plotly")
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in packages]
    load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
    return (
        f"{datetime.date.today()}: {os.cpu_count()} cores ({load}), "
        f"{', '.join(versions)}, Chromium {browser}. {ROUNDS} rounds of {PRESSES} presses after "
        f"{WARM_UP} to warm up, {VIEWPORT['width']}×{VIEWPORT['height']} pixels, headless."
    )


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    before = os.getloadavg()[0]
    with ExitStack() as stack:
        all_ = subjects()
        urls = {one.name: stack.enter_context(one.start()).url for one in all_}
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        for number in range(ROUNDS):
            turn = number % len(all_)  # who goes first, and right after whom, changes
            for one in all_[turn:] + all_[:turn]:
                print(f"round {number + 1} of {ROUNDS}: {one.name}", file=sys.stderr)
                visit(browser, one, urls[one.name])
        version = browser.version
    return "\n".join([*report(all_), "", surroundings(before, version)])


if __name__ == "__main__":
    print(main())
