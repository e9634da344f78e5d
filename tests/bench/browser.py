"""Key press to painted lab, in a real browser: this app beside the same lab built by others, and
beside a floor, the very same lab and frames with no server behind them.

All servers run from the start. In each round every page is opened afresh, in turn, warmed up, then
the noise_high slider gets its key presses one by one, and is dragged with the mouse down. The app
takes two turns in each round: how far it is from itself is the noise of the measurement. Each round
draws other noise, and the drag goes one way: next to nothing is asked for that the server has
computed before.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field

from playwright.sync_api import FloatRect, Page, Playwright, sync_playwright

from tests.bench import mouse
from tests.bench.peers import lab
from tests.bench.shared import (
    DETECTOR,
    LINE,
    VIEWPORT,
    app,
    computing,
    everything_answered,
    percentile,
    streamlit_python,
    surroundings,
    table,
    target,
)
from tests.browser.looking import LAB, MORE, open_drawers
from tests.support.browser import launch
from tests.support.server import ROOT, Server, free_port, serve, streamlit

PEERS = ROOT / "tests" / "bench" / "peers"
ROUNDS, WARM_UP, PRESSES, DRAG_SECONDS = 4, 4, 9, 1.75
APP, AGAIN, FLOOR = "this app", "this app again", "floor: no server"
STAGE, STAGE_FLOOR = "this app, its stage alone", "floor of the stage"
# Pass or miss; never loosened. The app's p50 is at most this many times a peer's …
TARGETS = {"Dash": 0.6, "NiceGUI": 0.8, "plain Streamlit": 0.2}
ABOVE_FLOOR = 5.0  # … and so many ms above the floor and what the server computes. While the mouse
UPDATES, OF_FLOOR = 30, 0.75  # drags, so many updates a second, and this share of the floor's.


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
    drawers: tuple[str, ...] = ()  # to open first
    replayed: bool = False  # the frames come from the browser itself
    painted_ms: list[float] = field(default_factory=list)
    updates_a_second: list[float] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)  # those of the presses that count, if replayed


def peer(module: str) -> Callable[[], AbstractContextManager[Server]]:
    def start() -> AbstractContextManager[Server]:
        port = free_port()
        return serve([sys.executable, "-m", f"tests.bench.peers.{module}", str(port)], port, "/")

    return start


def subjects() -> list[Subject]:
    plain = ".st-key-{}".format

    def ours(name: str, replayed: bool = False, whole: bool = True) -> Subject:
        """This app with all its views open, as the peers have them, or as a learner finds it."""
        step = 2 if whole else 3  # step 3 has the slider in sight
        return Subject(
            name,
            app,
            slider="[data-control=noise_high] input[type=range]",
            track="[data-control=noise_high] input[type=range]",
            gradient="[data-figure=gradient]",
            others=["[data-figure=forward]", "[data-figure=histogram]", "[data-table]"] * whole,
            path=f"/{lab.LESSON.chapter}?lesson={lab.LESSON.slug}&step={step}&seed={{seed}}",
            drawers=("forward", "histogram", "table", MORE) if whole else (),
            cookie=everything_answered(lab.LESSON),
            replayed=replayed,
        )

    return [
        ours(APP),
        ours(AGAIN),
        ours(FLOOR, replayed=True),
        ours(STAGE, whole=False),
        ours(STAGE_FLOOR, replayed=True, whole=False),
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


def visit(playwright: Playwright, port: int, subject: Subject, url: str, seed: int) -> None:
    """One round of one subject: open, warm up, press, drag."""
    browser = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
    (context,) = browser.contexts
    context.clear_cookies()
    if subject.cookie:
        name, value = subject.cookie
        context.add_cookies([{"name": name, "value": value, "url": url}])
    page = context.new_page()
    page.set_viewport_size(VIEWPORT)
    if subject.replayed:
        page.add_init_script(LINE)
    page.goto(url + subject.path.format(seed=seed))
    page.evaluate(DETECTOR)
    if subject.drawers:
        page.locator(LAB).wait_for(timeout=60_000)
        open_drawers(page, *subject.drawers)
    watched = [subject.gradient, *subject.others]
    page.wait_for_function("all => all.every(painted.shown)", arg=watched, timeout=60_000)
    page.wait_for_timeout(1000)
    if subject.replayed:
        replay(page)
    page.locator(subject.slider).first.focus()
    for number in range(WARM_UP + PRESSES):
        page.evaluate("all => { window.times = painted.pressToPaint(all) }", watched)
        before = asked(page) if subject.replayed else []
        page.keyboard.press("ArrowRight")
        times = page.evaluate("window.times")
        if number >= WARM_UP:
            subject.painted_ms.append(max(times.values()))  # the whole lab; gradient chart included
            if subject.replayed:
                subject.wishes.append(asked(page)[len(before)])
        page.wait_for_timeout(250)  # nobody's clean-up counts as the next press
    track = page.locator(subject.track).first.bounding_box()
    assert track, f"{subject.name}: no slider to drag"
    about = context.new_cdp_session(page).send("Target.getTargetInfo")
    browser.close()  # the page stays
    subject.updates_a_second.append(drag(port, about["targetInfo"]["targetId"], subject, track))


def replay(page: Page) -> None:
    """Let the browser answer itself from now on, for every value that the slider may take."""
    low, high, step = (lab.SLIDER[name] for name in ("min", "max", "step"))
    values = [f"{low + step * n:.10g}" for n in range(round((high - low) / step) + 1)]
    page.evaluate("values => line.record('noise_high', values)", values)
    page.evaluate("line.replay()")


def asked(page: Page) -> list[str]:
    """The wishes that the page has sent."""
    found: list[str] = page.evaluate("line.asks.map(({ wish }) => wish)")
    return found


def drag(port: int, page: str, subject: Subject, track: FloatRect) -> float:
    """Pull the slider down with the mouse; new gradient charts a second."""
    x, y, width = track["x"], track["y"] + track["height"] / 2, track["width"]
    with mouse.hand(port, page, (VIEWPORT["width"], VIEWPORT["height"])) as hand:
        time.sleep(0.5)
        # Within the part of the slider that lies above noise_low, which the lesson asks for.
        first, last = (x + width * share for share in (0.99, 0.59))
        hand.at(first, y)
        hand.at(first, y, "mousePressed", button="left", clickCount=1)
        time.sleep(0.5)
        hand.evaluate(f"window.changes = painted.countChanges({json.dumps(subject.gradient)}); 1")
        hand.pull(y, (first, last), DRAG_SECONDS)
        changes = hand.evaluate("window.changes()")
        hand.at(last, y, "mouseReleased", button="left", clickCount=1)
        missed = hand.evaluate("window.line?.missed[0]")
        assert not missed, f"nothing was recorded for {missed}"
        hand.ask("Page.close")
    return float(changes) / DRAG_SECONDS


def report(all_: list[Subject], server_ms: float) -> list[str]:
    p50 = {one.name: percentile(one.painted_ms, 50) for one in all_}
    updates = {one.name: statistics.median(one.updates_a_second) for one in all_}
    rows = [
        [
            one.name,
            *(f"{percentile(one.painted_ms, at):.0f}" for at in (50, 95)),
            *(f"{p50[one.name] / p50[other]:.2f}" for other in TARGETS),
            f"{updates[one.name]:.0f}" if updates[one.name] else "on release only",
        ]
        for one in all_
    ]
    over = [f"× {name}" for name in TARGETS]
    lines = table(["", "p50, ms", "p95, ms", *over, "dragged: updates/s"], rows)
    lines += [
        "",
        f"The app against itself: {p50[AGAIN] / p50[APP]:.2f}. The floor replays the frames that "
        "the server made, in the same page and lab, the moment they are asked for. The two rows of "
        "the stage open no other view and wait for the gradient chart only. To compute one frame "
        f"takes the server {server_ms:.1f} ms (median, in process). Targets, of the p50:",
        "",
    ]
    for other, most in TARGETS.items():
        ratio = p50[APP] / p50[other]
        lines.append(target(ratio <= most, f"{ratio:.2f} × {other} (at most {most})"))
    above = p50[APP] - p50[FLOOR] - server_ms
    lines.append(
        target(
            above <= ABOVE_FLOOR,
            f"{above:+.1f} ms to the floor and the server's computing "
            f"({p50[FLOOR]:.0f} + {server_ms:.1f} ms; at most {ABOVE_FLOOR:g} above)",
        )
    )
    share = updates[APP] / updates[FLOOR]
    return [
        *lines,
        target(updates[APP] >= UPDATES, f"{updates[APP]:.0f} updates a second (≥ {UPDATES})"),
        target(share >= OF_FLOOR, f"{share:.2f} × the floor's updates (≥ {OF_FLOOR})"),
    ]


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "dash", "nicegui", "torch", "plotly")
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
    done = (
        f"{ROUNDS} rounds of {PRESSES} presses after {WARM_UP} to warm up, "
        f"{VIEWPORT['width']}×{VIEWPORT['height']} pixels, headless."
    )
    lines = report(all_, statistics.median(computing(wishes)))
    return "\n".join([*lines, "", measured_on(done, version)])


if __name__ == "__main__":
    print(main())
