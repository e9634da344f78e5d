"""Training that is watched: how soon, how often, how lively, and how long a whole run takes.

The moons lab, twenty seeds, both arms, in a real browser, all charts in view. In one visit: the
first picture after Start, pictures a second, and the λ slider to paint, at rest and in training. In
another: a whole run from Start to done, with all its pictures; beside that the same run without a
page, in this process. Where a CUDA device is present, everything on it as well.
"""

import math
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from lessons.contract.devices import devices
from lessons.kit.process import suit_small_tensors
from lessons.outputs.catalogue import find
from lessons.training.under_way import Run
from tests.bench.shared import DETECTOR, VIEWPORT, app, percentile, surroundings, table, target
from tests.browser.looking import LAB, MORE, open_drawers
from tests.support.browser import launch

MOONS = find("moons")
SEEDS = 20
# Pass or miss; never loosened.
FIRST_MS, PICTURES, WHOLE_S, SLIDER_COST = 250, 20, 12, 1.3
VISITS, PRESSES, SECONDS, RUNS = 4, 7, 4.0, 2
# The data chart moves with every snapshot; the graph with λ, and with nothing else.
MOVES, FOLLOWS = "[data-figure=data]", ".gl-graph"
FIRST = "[data-figure=losses]"  # what any picture changes: a boundary may come into sight later
SLIDER = "[data-control=scale] input[type=range]"
START = ".gl-trainer .gl-go"


@dataclass
class Visits:
    """What a browser saw of training on one device.

    Attributes:
        first_ms, pictures, idle_ms, training_ms: as the report has them.
        whole_s, drawn: the seconds of whole runs, and how many pictures were drawn meanwhile.
        alone_s: the same runs without a page.
    """

    device: str
    first_ms: list[float] = field(default_factory=list)
    pictures: list[float] = field(default_factory=list)
    idle_ms: list[float] = field(default_factory=list)
    training_ms: list[float] = field(default_factory=list)
    whole_s: list[float] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)
    alone_s: list[float] = field(default_factory=list)


def seconds_alone(device: str) -> float:
    """The seconds that a whole run takes, with all its looks and no page."""
    values = MOONS.validate({"device": device, "seeds": str(SEEDS)})
    start = time.perf_counter()
    Run(MOONS.lab, MOONS.program, values).advance(math.inf, values)
    return time.perf_counter() - start


def opened(browser: Browser, url: str, device: str, more: str = "") -> Page:
    page = browser.new_page(viewport=VIEWPORT)
    words = f"lesson={MOONS.slug}&step=2&seeds={SEEDS}&device={device}{more}"
    page.goto(f"{url}/{MOONS.chapter}?{words}")
    page.locator(LAB).wait_for(timeout=90_000)
    open_drawers(page, "data", "losses", "graph", MORE)
    page.evaluate(DETECTOR)
    page.wait_for_function(
        "all => all.every(painted.shown)", arg=[MOVES, FOLLOWS, FIRST], timeout=90_000
    )
    page.wait_for_timeout(1500)
    return page


def visit(browser: Browser, url: str, one: Visits) -> None:
    """Open the lesson, move λ, press Start, watch, move λ."""
    page = opened(browser, url, one.device, "&steps=20000")
    page.locator(SLIDER).focus()
    one.idle_ms += presses(page)
    page.locator(START).focus()
    one.first_ms.append(pressed(page, "Enter", FIRST))
    page.wait_for_timeout(500)
    page.evaluate("one => { window.changes = painted.countChanges(one) }", MOVES)
    start = time.monotonic()
    page.wait_for_timeout(SECONDS * 1000)
    one.pictures.append(page.evaluate("window.changes()") / (time.monotonic() - start))
    page.locator(SLIDER).focus()
    one.training_ms += presses(page)
    page.close()


def whole_run(browser: Browser, url: str, one: Visits) -> None:
    """Open the lesson, press Start, wait until it is done."""
    page = opened(browser, url, one.device)
    page.locator(START).focus()
    page.evaluate("one => { window.changes = painted.countChanges(one) }", MOVES)
    start = time.monotonic()
    page.keyboard.press("Enter")
    page.locator(".gl-trainer[data-state=done]").wait_for(timeout=300_000)
    one.whole_s.append(time.monotonic() - start)
    one.drawn.append(page.evaluate("window.changes()"))
    page.close()


def presses(page: Page) -> list[float]:
    found = []
    for _ in range(PRESSES):
        found.append(pressed(page, "ArrowRight", FOLLOWS))
        page.wait_for_timeout(250)
    return found[1:]  # the first one warms up


def pressed(page: Page, key: str, chart: str) -> float:
    """Milliseconds from a key to the chart painted."""
    page.evaluate("one => { window.times = painted.pressToPaint([one], 60000) }", chart)
    page.keyboard.press(key)
    return float(max(page.evaluate("window.times").values()))


def report(seen: list[Visits]) -> list[str]:
    rows, verdicts = [], []
    for one in seen:
        first, pictures = statistics.median(one.first_ms), statistics.median(one.pictures)
        idle, busy = statistics.median(one.idle_ms), statistics.median(one.training_ms)
        whole, alone = statistics.median(one.whole_s), statistics.median(one.alone_s)
        late, ratio = percentile(one.training_ms, 95), busy / idle
        row = (one.device, f"{first:.0f}", f"{pictures:.1f}", f"{idle:.0f}")
        run = (f"{whole:.1f} ({statistics.median(one.drawn):.0f} pictures)", f"{alone:.1f}")
        rows.append((*row, f"{busy:.0f} ({late:.0f})", f"{ratio:.2f}", *run))
        text = f"the first picture after {first:.0f} ms (at most {FIRST_MS})"
        verdicts += [
            target(first <= FIRST_MS, f"{text}, {one.device}"),
            target(pictures >= PICTURES, f"{pictures:.1f} pictures a second (≥ {PICTURES})"),
            target(
                ratio <= SLIDER_COST,
                f"while it trains, slider to paint {ratio:.2f} × at rest (at most {SLIDER_COST})",
            ),
            target(whole <= WHOLE_S, f"a whole run in {whole:.1f} s (at most {WHOLE_S})"),
        ]
    if "cuda:0" not in (one.device for one in seen):
        verdicts.append("- not measured: no CUDA device here")
    head = (
        *("device", "Start to picture, ms", "pictures a second", "λ to paint at rest, ms"),
        *("while it trains, ms (p95)", "×", "a whole run, s", "without a page, s"),
    )
    return [
        "## Training",
        "",
        f"The moons lab, both arms, {SEEDS} seeds, on the page, all charts in view, medians:",
        "",
        *table(head, rows),
        "",
        "Targets:",
        "",
        *verdicts,
    ]


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    suit_small_tensors()
    measured_on = surroundings("streamlit", "torch")
    cuda = "cuda:0" in devices()
    seen = [Visits(device) for device in ("cpu", *(["cuda:0"] if cuda else []))]
    with ExitStack() as stack:
        url = stack.enter_context(app()).url
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        for number in range(VISITS):
            for one in seen:
                print(f"visit {number + 1} of {VISITS}: {one.device}", file=sys.stderr)
                visit(browser, url, one)
        for number in range(RUNS):
            for one in seen:
                print(f"run {number + 1} of {RUNS}: {one.device}", file=sys.stderr)
                whole_run(browser, url, one)
                one.alone_s.append(seconds_alone(one.device))
        version = browser.version
    done = (
        f"{VISITS} visits, {PRESSES - 1} presses each at rest and in training; {RUNS} whole runs; "
        f"{VIEWPORT['width']}×{VIEWPORT['height']} pixels, headless."
    )
    if cuda:
        done = f"{torch.cuda.get_device_name(0)}. {done}"
    return "\n".join([*report(seen), "", measured_on(done, version)])


if __name__ == "__main__":
    print(main())
