"""Training that is watched: how soon, how often, how lively, and how long a whole run takes.

The moons lab, twenty seeds, both arms, in a real browser, all charts in view. In one visit: the
first picture after Start, pictures a second, and the λ slider to paint, at rest and in training. In
another: a whole run from Start to done, with all its pictures. Where a CUDA device is present,
everything on it as well.
"""

import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from lessons.contract.devices import devices
from lessons.outputs.catalogue import find
from tests.bench.page import SIZE, opened, pressed
from tests.bench.shared import app, percentile, surroundings, table, target
from tests.browser.looking import MORE
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
    """

    device: str
    first_ms: list[float] = field(default_factory=list)
    pictures: list[float] = field(default_factory=list)
    idle_ms: list[float] = field(default_factory=list)
    training_ms: list[float] = field(default_factory=list)
    whole_s: list[float] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)


def lab(browser: Browser, url: str, device: str, more: str = "") -> Page:
    words = f"lesson={MOONS.slug}&step=2&seeds={SEEDS}&device={device}{more}"
    address = f"{url}/{MOONS.chapter}?{words}"
    page = opened(browser, address, "data", "losses", "graph", MORE, lesson=MOONS)
    every = [MOVES, FOLLOWS, FIRST]
    page.wait_for_function("all => all.every(painted.shown)", arg=every, timeout=90_000)
    page.wait_for_timeout(1500)
    return page


def visit(browser: Browser, url: str, one: Visits) -> None:
    """Open the lesson, move λ, press Start, watch, move λ."""
    page = lab(browser, url, one.device, "&steps=20000")
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
    page = lab(browser, url, one.device)
    page.locator(START).focus()
    page.evaluate("one => { window.changes = painted.countChanges(one) }", MOVES)
    start = time.monotonic()
    page.keyboard.press("Enter")
    page.locator(".gl-trainer[data-state=done]").wait_for(timeout=300_000)
    one.whole_s.append(time.monotonic() - start)
    one.drawn.append(page.evaluate("window.changes()"))
    page.close()


def presses(page: Page) -> list[float]:
    """The first press warms up."""
    return [pressed(page, "ArrowRight", FOLLOWS) for _ in range(PRESSES)][1:]


def report(seen: list[Visits]) -> list[str]:
    rows, verdicts = [], []
    for one in seen:
        first, pictures = statistics.median(one.first_ms), statistics.median(one.pictures)
        idle, busy = statistics.median(one.idle_ms), statistics.median(one.training_ms)
        whole, ratio = statistics.median(one.whole_s), busy / idle
        rows.append({
            "device": one.device,
            "Start to picture, ms": f"{first:.0f}",
            "pictures a second": f"{pictures:.1f}",
            "λ to paint at rest, ms": f"{idle:.0f}",
            "while it trains, ms (p95)": f"{busy:.0f} ({percentile(one.training_ms, 95):.0f})",
            "×": f"{ratio:.2f}",
            "a whole run, s": f"{whole:.1f} ({statistics.median(one.drawn):.0f} pictures)",
        })  # fmt: skip
        text = f"{one.device}: the first picture after {first:.0f} ms (at most {FIRST_MS})"
        verdicts += [
            target(first <= FIRST_MS, text),
            target(pictures >= PICTURES, f"{pictures:.1f} pictures a second (≥ {PICTURES})"),
            target(
                ratio <= SLIDER_COST,
                f"while it trains, slider to paint {ratio:.2f} × at rest (at most {SLIDER_COST})",
            ),
            target(whole <= WHOLE_S, f"a whole run in {whole:.1f} s (at most {WHOLE_S})"),
        ]
    about = f"The moons lab, both arms, {SEEDS} seeds, on the page, all charts in view, medians:"
    return ["## Training", "", about, "", *table(rows), "", "Targets:", "", *verdicts]


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "torch")
    cuda = "cuda:0" in devices()
    seen = [Visits(device) for device in ("cpu", *(["cuda:0"] if cuda else []))]
    with ExitStack() as stack:
        url = stack.enter_context(app()).url
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        for look, count in ((visit, VISITS), (whole_run, RUNS)):
            for number in range(count):
                for one in seen:
                    print(f"{look.__name__} {number + 1} of {count}: {one.device}", file=sys.stderr)
                    look(browser, url, one)
        version = browser.version
    done = (
        f"{torch.cuda.get_device_name(0) if cuda else 'No CUDA device'}. {VISITS} visits, "
        f"{PRESSES - 1} presses each at rest and in training; {RUNS} whole runs; {SIZE}"
    )
    return "\n".join([*report(seen), "", measured_on(done, version)])
