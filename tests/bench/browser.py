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

from tests.support.browser import launch
from tests.support.server import ROOT, Server, free_port, serve, streamlit

PEERS = ROOT / "tests" / "bench" / "peers"
DETECTOR = Path(__file__).with_name("painted.js")
VIEWPORT = {"width": 1280, "height": 1600}  # tall enough to have the whole lab in view
ROUNDS, WARM_UP, PRESSES, DRAG_SECONDS = 1, 2, 5, 3.0
# Pass or miss, of this app's p50; never loosened.
TARGETS = {"Dash": 1.1, "plain Streamlit": 0.35}


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
    gradient_ms: list[float] = field(default_factory=list)
    lab_ms: list[float] = field(default_factory=list)
    updates_a_second: list[float] = field(default_factory=list)


def peer(module: str) -> Callable[[], AbstractContextManager[Server]]:
    def start() -> AbstractContextManager[Server]:
        port = free_port()
        return serve([sys.executable, "-m", f"tests.bench.peers.{module}", str(port)], port, "/")

    return start


def subjects() -> list[Subject]:
    plain = ".st-key-{}".format
    return [
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
            lambda: streamlit(PEERS / "plain_app.py", cwd=PEERS),
            slider=plain("noise_high") + " input",
            track=plain("noise_high") + " [role=group]",
            gradient=plain("gradient"),
            # Its table is a canvas; the text kept beside it for screen readers is late on purpose.
            others=[plain("forward"), plain("histogram")],
        ),
    ]


def visit(browser: Browser, subject: Subject, url: str) -> None:
    """One round of one subject: open, warm up, press, drag."""
    page = browser.new_page(viewport=VIEWPORT)
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
            subject.gradient_ms.append(times[subject.gradient])
            subject.lab_ms.append(max(times.values()))
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


def report(all_: list[Subject]) -> None:
    by_name = {subject.name: subject for subject in all_}
    p50 = {name: percentile(subject.lab_ms, 50) for name, subject in by_name.items()}
    print(
        "| | lab p50 ms | p95 | gradient chart p50 ms | p95 | × Dash | × plain | dragged, updates/s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, subject in by_name.items():
        cells = [
            percentile(ms, at) for ms in (subject.lab_ms, subject.gradient_ms) for at in (50, 95)
        ]
        ratios = [p50[name] / p50[other] for other in TARGETS]
        updates = statistics.median(subject.updates_a_second)
        row = [f"{ms:.0f}" for ms in cells] + [f"{ratio:.2f}" for ratio in ratios]
        row.append(f"{updates:.0f}" if updates else "none until released")
        print(f"| {name} | {' | '.join(row)} |")


def main() -> None:
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        all_ = subjects()
        urls = {one.name: stack.enter_context(one.start()).url for one in all_}
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        for number in range(ROUNDS):
            turn = number % len(all_)  # who goes first, and right after whom, changes
            for one in all_[turn:] + all_[:turn]:
                print(f"round {number + 1}/{ROUNDS}: {one.name}", file=sys.stderr)
                visit(browser, one, urls[one.name])
        version = browser.version
    report(all_)
    of = importlib.metadata.version
    packages = ", ".join(f"{name} {of(name)}" for name in ("streamlit", "dash", "nicegui", "torch"))
    print(f"\n{datetime.date.today()}, {os.cpu_count()} cores (load {load:.1f} at the start), ")
    print(f"Python {platform.python_version()}, {packages}, Chromium {version}.")


if __name__ == "__main__":
    main()
