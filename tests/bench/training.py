"""Training that is watched: how soon, how often, how lively, and what many seeds cost.

Two parts. What many seeds cost: the moons lab trained with all its looks but without a page, one
seed and twenty in turn. And the page in a real browser, all charts in view: the first picture after
Start, pictures a second, and the λ slider to paint, at rest and while it trains, in one visit.
Where a CUDA device is present, everything on it as well.
"""

import datetime
import importlib.metadata
import math
import os
import platform
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from lessons import find
from lessons.devices import devices, suit_small_tensors
from lessons.training.run import Run
from tests.bench.browser import DETECTOR, VIEWPORT, percentile, streamlit_python, verdict
from tests.support.browser import launch
from tests.support.server import ROOT, streamlit

MOONS = find("moons")
SEEDS = 20
# Pass or miss; never loosened.
FIRST_MS, PICTURES, SEEDS_COST, SLIDER_COST = 500, 10, 4, 2
TURNS, STEPS = 21, 50
VISITS, PRESSES, SECONDS = 4, 7, 4.0
# The data chart moves with every snapshot; the gradient chart with λ, and with nothing else.
MOVES, FOLLOWS = "[data-figure=data]", "[data-figure=gradient]"
SLIDER = "[data-control=scale] input[type=range]"


@dataclass
class Visits:
    """What a browser saw of training on one device."""

    device: str
    first_ms: list[float] = field(default_factory=list)
    pictures: list[float] = field(default_factory=list)
    idle_ms: list[float] = field(default_factory=list)
    training_ms: list[float] = field(default_factory=list)


def seconds_a_run(device: str) -> dict[int, list[float]]:
    """By number of seeds: the seconds that a whole run takes at the pace of each turn."""
    found: dict[int, list[float]] = {1: [], SEEDS: []}
    training = MOONS.lab.training
    assert training is not None
    for turn in range(TURNS):
        print(f"turn {turn + 1} of {TURNS}: {device}", file=sys.stderr)
        for count, seconds in found.items():
            values = MOONS.validate({"device": device, "seeds": str(count)})
            run = Run(training, MOONS.program, values)
            run.advance(math.inf, values, most=STEPS // 5)  # to warm up
            start, done = time.perf_counter(), run.done
            run.advance(math.inf, values, most=STEPS)
            seconds.append((time.perf_counter() - start) / (run.done - done) * run.total)
    return found


def visit(browser: Browser, url: str, one: Visits) -> None:
    """Open the lesson, move λ, press Start, watch, move λ."""
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(f"{url}/{MOONS.chapter}?lesson={MOONS.slug}&step=2&steps=20000&device={one.device}")
    page.evaluate(DETECTOR.read_text(encoding="utf-8"))
    page.wait_for_function("all => all.every(painted.shown)", arg=[MOVES, FOLLOWS], timeout=90_000)
    page.wait_for_timeout(1500)
    page.locator(SLIDER).focus()
    one.idle_ms += presses(page)
    page.get_by_role("button", name="Start", exact=True).focus()
    one.first_ms.append(pressed(page, "Enter", MOVES))
    page.wait_for_timeout(500)
    page.evaluate("one => { window.changes = painted.countChanges(one) }", MOVES)
    start = time.monotonic()
    page.wait_for_timeout(SECONDS * 1000)
    one.pictures.append(page.evaluate("window.changes()") / (time.monotonic() - start))
    page.locator(SLIDER).focus()
    one.training_ms += presses(page)
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


def report(runs: dict[str, dict[int, list[float]]], seen: list[Visits]) -> list[str]:
    lines = ["## Training", "", "The moons lab, both arms, a whole run with all its pictures:", ""]
    lines += [f"| device | 1 seed, s | {SEEDS} seeds, s | × |", "|---|---|---|---|"]
    verdicts = []
    for device, found in runs.items():
        alone, many = (statistics.median(found[count]) for count in (1, SEEDS))
        times = [b / a for a, b in zip(found[1], found[SEEDS], strict=True)]
        ratio = statistics.median(times)
        lines.append(f"| {device} | {alone:.1f} | {many:.1f} | {ratio:.2f} |")
        said = f"{SEEDS} seeds cost {ratio:.2f} × one (at most {SEEDS_COST})"
        verdicts.append(f"- {verdict(ratio <= SEEDS_COST)}: {said}, {device}")
    lines += ["", f"On the page, {SEEDS} seeds, all charts in view, medians:", ""]
    head = ("device", "Start to picture, ms", "pictures a second", "λ to paint at rest, ms")
    lines.append(f"| {' | '.join((*head, 'while it trains, ms (p95)', '×'))} |")
    lines.append("|---" * (len(head) + 2) + "|")
    for one in seen:
        first, pictures, idle, busy = map(
            statistics.median, (one.first_ms, one.pictures, one.idle_ms, one.training_ms)
        )
        late, ratio = percentile(one.training_ms, 95), busy / idle
        row = (one.device, f"{first:.0f}", f"{pictures:.1f}", f"{idle:.0f}")
        lines.append(f"| {' | '.join((*row, f'{busy:.0f} ({late:.0f})', f'{ratio:.2f}'))} |")
        verdicts += [
            f"- {verdict(first <= FIRST_MS)}: the first picture after {first:.0f} ms "
            f"(at most {FIRST_MS}), {one.device}",
            f"- {verdict(pictures >= PICTURES)}: {pictures:.1f} pictures a second "
            f"(≥ {PICTURES}), {one.device}",
            f"- {verdict(ratio <= SLIDER_COST)}: slider to paint {ratio:.2f} × idle "
            f"(at most {SLIDER_COST}), {one.device}",
        ]
    if "cuda:0" not in runs:
        verdicts.append("- not measured: no CUDA device here")
    return [*lines, "", "Targets:", "", *verdicts]


def surroundings(before: float, browser: str) -> str:
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in ("streamlit", "torch")]
    if torch.cuda.is_available():
        versions.append(torch.cuda.get_device_name(0))
    load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
    return (
        f"{datetime.date.today()}: {os.cpu_count()} cores ({load}), {', '.join(versions)}, "
        f"Chromium {browser}. {TURNS} turns of {STEPS} steps; {VISITS} visits, {PRESSES - 1} "
        f"presses each at rest and in training; "
        f"{VIEWPORT['width']}×{VIEWPORT['height']} pixels, headless."
    )


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    suit_small_tensors()
    before = os.getloadavg()[0]
    where = ["cpu", *(["cuda:0"] if "cuda:0" in devices() else [])]
    runs = {device: seconds_a_run(device) for device in where}
    seen = [Visits(device) for device in where]
    with ExitStack() as stack:
        url = stack.enter_context(streamlit(ROOT / "app.py", python=streamlit_python())).url
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        for number in range(VISITS):
            for one in seen:
                print(f"visit {number + 1} of {VISITS}: {one.device}", file=sys.stderr)
                visit(browser, url, one)
        version = browser.version
    return "\n".join([*report(runs, seen), "", surroundings(before, version)])


if __name__ == "__main__":
    print(main())
