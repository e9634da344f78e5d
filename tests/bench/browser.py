"""Key press to painted lab, in a real browser: this app beside the same lab built by others, and
beside a floor, the very same lab and frames with no server behind them.

All servers run from the start. In each round every page is opened afresh, in turn, warmed up, then
the noise_high slider gets its key presses one by one, and is dragged with the mouse down. The app
takes two turns in each round: how far it is from itself is the noise of the measurement. Each round
draws other noise, and the drag goes one way: next to nothing is asked for that the server has
computed before.

``make bench BESIDE=…`` also measures the app of another checkout: how a commit compares.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import FloatRect, Page, Playwright, sync_playwright

from lessons.outputs.process import suit_small_tensors
from pages.labs.answer import answer
from tests.bench import mouse
from tests.bench.page import SIZE, VIEWPORT, opened, pressed
from tests.bench.peers import lab
from tests.bench.shared import (
    BESIDE,
    app,
    milliseconds,
    percentile,
    surroundings,
    table,
    target,
)
from tests.browser.looking import MORE
from tests.support.browser import launch
from tests.support.server import ROOT, Server, free_port, serve

ROUNDS, WARM_UP, PRESSES, DRAG_SECONDS = 4, 4, 9, 1.75
APP, AGAIN, FLOOR = "this app", "this app again", "floor: no server"
STAGE, STAGE_FLOOR = "this app, its stage alone", "floor of the stage"
OTHER_CHECKOUT, BENCH, DASH_BENCH = "the other checkout", "this app's bench", "Dash, the bench"
REPLAY = Path(__file__).with_name("replay.js").read_text(encoding="utf-8")
# Pass or miss; never loosened. The app's p50 is at most this many times Dash's …
MOST_OF_DASH = 0.6
ABOVE_FLOOR = 5.0  # … and so many ms above the floor and what the server computes. While the mouse
UPDATES, OF_FLOOR = 30, 0.75  # drags, so many updates a second, and this share of the floor's.
# The stage alone: milliseconds, or so many times Dash; updates a second, and the floor's share.
STAGE_MS, STAGE_OF_DASH, STAGE_UPDATES, STAGE_OF_FLOOR = 30, 0.35, 55, 0.9
BENCH_OF_DASH, BENCH_UPDATES = 0.35, 45  # times the bench in Dash; updates a second


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
    drawers: tuple[str, ...] = ()  # to open first, in this app's lab
    ours: bool = False
    pulled_to: float = 0.59  # the share of the track at which a drag ends
    replayed: bool = False  # the frames come from the browser itself
    painted_ms: list[float] = field(default_factory=list)
    updates_a_second: list[float] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)  # those of the presses that count, if replayed


def dash(name: str, what: str, gradient: str, *others: str) -> Subject:
    """Describe a page built in Dash by the ids of its charts and its table."""

    def start() -> AbstractContextManager[Server]:
        command = [sys.executable, "-m", "tests.bench.peers.dash_app", str(port), what]
        return serve(command, port, "/")

    port, slider = free_port(), "#slider [role=slider]"
    track, ids = "#slider .dash-slider-root", [f"#{one}" for one in others]
    return Subject(name, start, slider, track, f"#{gradient}", ids)


def subjects() -> list[Subject]:

    def ours(
        name: str, replayed: bool = False, whole: bool = True, root: str | Path = ROOT
    ) -> Subject:
        """This app with all its views open, as the peers have them, or as a learner finds it."""
        return Subject(
            name,
            lambda: app(root),
            slider="[data-control=noise_high] input[type=range]",
            track="[data-control=noise_high] input[type=range]",
            gradient="[data-figure=curves]",
            others=["[data-figure=histogram]", "[data-table]"] * whole,
            path=f"/{lab.LESSON.chapter}?lesson={lab.LESSON.slug}&step=2&seed={{seed}}",
            drawers=("histogram", "table", MORE) if whole else (),
            ours=True,
            replayed=replayed,
        )

    bench = [f"{side}.{name}" for side in "ab" for name in ("gradient", "forward")]
    return [
        *([ours(OTHER_CHECKOUT, root=BESIDE)] if BESIDE else []),
        ours(APP),
        ours(AGAIN),
        ours(FLOOR, replayed=True),
        ours(STAGE, whole=False),
        ours(STAGE_FLOOR, replayed=True, whole=False),
        Subject(
            BENCH,
            lambda: app(ROOT),
            slider='[data-control="in.x.entry"] input[type=range]',
            track='[data-control="in.u.ends"] .gl-ends',
            gradient=f'[data-figure="{bench[0]}"]',
            others=[f'[data-figure="{name}"]' for name in bench[1:]],
            path="/?in.u.seed={seed}",
            pulled_to=0.65,
        ),
        dash(DASH_BENCH, "bench", *(name.replace(".", "-") for name in bench)),
        dash("Dash", "lab", "curves", "histogram", "table"),
    ]


def visit(playwright: Playwright, port: int, subject: Subject, url: str, seed: int) -> None:
    """One round of one subject: open, warm up, press, drag."""
    browser = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
    (context,) = browser.contexts
    context.clear_cookies()
    page = opened(
        context,
        url + subject.path.format(seed=seed),
        *subject.drawers,
        lesson=lab.LESSON if subject.ours else None,
        script=REPLAY if subject.replayed else "",
    )
    watched = [subject.gradient, *subject.others]
    page.wait_for_function("all => all.every(painted.shown)", arg=watched, timeout=60_000)
    page.wait_for_timeout(1000)
    if subject.replayed:
        replay(page)
    page.locator(subject.slider).first.focus()
    for number in range(WARM_UP + PRESSES):
        before = page.evaluate("window.labsSocket?.asks.length")
        took = pressed(page, "ArrowRight", *watched)
        if number >= WARM_UP:
            subject.painted_ms.append(took)  # the whole lab, gradient chart included
            if subject.replayed:
                subject.wishes.append(page.evaluate("at => labsSocket.asks[at]", before))
    track = page.locator(subject.track).first.bounding_box()
    assert track, f"{subject.name}: no slider to drag"
    about = context.new_cdp_session(page).send("Target.getTargetInfo")
    browser.close()  # the page stays
    subject.updates_a_second.append(drag(port, about["targetInfo"]["targetId"], subject, track))


def replay(page: Page) -> None:
    """Let the browser answer itself from now on, for every value that the slider may take."""
    low, high, step = (lab.SLIDER[name] for name in ("min", "max", "step"))
    values = [f"{low + step * n:.10g}" for n in range(round((high - low) / step) + 1)]
    page.evaluate("values => labsSocket.replay('noise_high', values)", values)


def computing(wishes: Iterable[str]) -> float:
    """Milliseconds that the server itself computes for one, in this process: wish in, bytes out.

    Nothing is known beforehand; from one to the next it keeps what a server keeps. In CPU time, so
    that a neighbour on the machine counts little.
    """
    suit_small_tensors()
    found = []
    for wish in wishes:
        start = time.thread_time()
        answer(wish, slow=True)
        found.append((time.thread_time() - start) * 1000)
    return statistics.median(found)


def drag(port: int, page: str, subject: Subject, track: FloatRect) -> float:
    """Pull the slider down with the mouse; new gradient charts a second."""
    x, y, width = track["x"], track["y"] + track["height"] / 2, track["width"]
    with mouse.hand(port, page, VIEWPORT) as hand:
        time.sleep(0.5)
        # Within the part of the slider that lies above noise_low, which the lesson asks for.
        first, last = (x + width * share for share in (0.99, subject.pulled_to))
        hand.at(first, y)
        hand.at(first, y, "mousePressed", button="left", clickCount=1)
        time.sleep(0.5)
        hand.evaluate(f"window.changes = painted.countChanges({json.dumps(subject.gradient)}); 1")
        hand.pull(y, (first, last), DRAG_SECONDS)
        changes = hand.evaluate("window.changes()")
        hand.at(last, y, "mouseReleased", button="left", clickCount=1)
        missed = hand.evaluate("window.labsSocket?.missed[0]")
        assert not missed, f"nothing was recorded for {missed}"
        hand.ask("Page.close")
    return float(changes) / DRAG_SECONDS


def report(all_: list[Subject], server_ms: float) -> list[str]:
    p50 = {one.name: percentile(one.painted_ms, 50) for one in all_}
    updates = {one.name: statistics.median(one.updates_a_second) for one in all_}
    rows = (
        {
            "": one.name,
            **milliseconds(one.painted_ms, 50, 95),
            "× Dash": f"{p50[one.name] / p50['Dash']:.2f}",
            "dragged: updates/s": f"{updates[one.name]:.0f}",
        }
        for one in all_
    )
    above = p50[APP] - p50[FLOOR] - server_ms
    share, stage_share = updates[APP] / updates[FLOOR], updates[STAGE] / updates[STAGE_FLOOR]
    beside = [
        f"- × the other checkout's: {p50[APP] / p50[OTHER_CHECKOUT]:.2f} from key press to paint, "
        f"{updates[APP] / updates[OTHER_CHECKOUT]:.2f} updates a second"
        for _ in range(OTHER_CHECKOUT in p50)
    ]
    return [
        *table(rows),
        "",
        f"The app against itself: {p50[AGAIN] / p50[APP]:.2f}. The floor replays the frames that "
        "the server made, in the same page and lab, the moment they are asked for. The two rows of "
        "the stage open no other view and wait for the gradient chart only. The bench waits for "
        "all four charts after a press on x, and drags its noise (the one in Dash: x). To compute "
        f"one frame takes the server {server_ms:.1f} ms (median, in process). Targets, of the p50:",
        "",
        target(p50[APP] <= MOST_OF_DASH * p50["Dash"], f"× Dash: at most {MOST_OF_DASH}"),
        target(
            above <= ABOVE_FLOOR,
            f"{above:+.1f} ms to the floor and the server's computing "
            f"({p50[FLOOR]:.0f} + {server_ms:.1f} ms; at most {ABOVE_FLOOR:g} above)",
        ),
        target(updates[APP] >= UPDATES, f"{updates[APP]:.0f} updates a second (≥ {UPDATES})"),
        target(share >= OF_FLOOR, f"{share:.2f} × the floor's updates (≥ {OF_FLOOR})"),
        target(
            p50[STAGE] <= max(STAGE_MS, STAGE_OF_DASH * p50["Dash"]),
            f"the stage after {p50[STAGE]:.0f} ms, {p50[STAGE] / p50['Dash']:.2f} × Dash "
            f"(at most {STAGE_MS} ms or {STAGE_OF_DASH} ×)",
        ),
        target(
            updates[STAGE] >= STAGE_UPDATES and stage_share >= STAGE_OF_FLOOR,
            f"the stage: {updates[STAGE]:.0f} updates a second, {stage_share:.2f} × its floor "
            f"(≥ {STAGE_UPDATES}, {STAGE_OF_FLOOR} ×)",
        ),
        target(
            p50[BENCH] <= BENCH_OF_DASH * p50[DASH_BENCH],
            f"the bench: {p50[BENCH] / p50[DASH_BENCH]:.2f} × the one in Dash (≤ {BENCH_OF_DASH})",
        ),
        target(
            updates[BENCH] >= BENCH_UPDATES,
            f"the bench: {updates[BENCH]:.0f} updates a second (≥ {BENCH_UPDATES})",
        ),
        *beside,
    ]


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "dash", "torch", "plotly")
    with ExitStack() as stack:
        all_ = subjects()
        urls = {one.name: stack.enter_context(one.start()).url for one in all_}
        playwright = stack.enter_context(sync_playwright())
        port = free_port()  # of the browser's protocol
        browser = stack.enter_context(launch(playwright, f"--remote-debugging-port={port}"))
        for number in range(ROUNDS):
            turn = number % len(all_)  # who goes first, and right after whom, changes
            for one in all_[turn:] + all_[:turn]:
                print(f"round {number + 1} of {ROUNDS}: {one.name}", file=sys.stderr)
                visit(playwright, port, one, urls[one.name], seed=number)
        version = browser.version
    wishes = [wish for one in all_ for wish in one.wishes]
    done = f"{ROUNDS} rounds of {PRESSES} presses after {WARM_UP} to warm up, {SIZE}"
    return "\n".join([*report(all_, computing(wishes)), "", measured_on(done, version)])
