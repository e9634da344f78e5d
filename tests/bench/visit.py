"""The first visit: what comes over the wire, and how soon there is a chart, and all text.

Each round starts a server and an empty profile, opens a page, waits for the stage painted and
until nothing more comes, and opens the page once more in a new tab of the same profile. That one
shows what the browser has kept of the first visit; the text says when the page itself is there.
"""

import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, sync_playwright

from tests.bench.shared import VIEWPORT, app, surroundings, table, target
from tests.support.browser import launch_with_profile

PAGES = {"home": "/", "noise_leaks": "/stop_gradient?lesson=noise_leaks"}
ROUNDS = 3
# Pass or miss; never loosened: bytes and seconds of the first visit, seconds of the second.
FIRST_MB, FIRST_S, AGAIN_S = 3.7, 2.5, 1.2
BIGGEST = 8  # transfers that are listed
SILENCE_MS = 2500  # after the first chart, for what still comes
SOCKETS = "websockets"
# Two frames after something has a geometry and can be seen: a trace of Plotly's or a node of the
# graph, and the heading. A page that loads is hidden until its text is whole.
WATCH = """
const painted = (selector) => new Promise((resolve) => {
  const next = () => requestAnimationFrame(() => resolve(performance.now()));
  const seen = { opacityProperty: true, visibilityProperty: true };
  const look = () => {
    const found = [...document.querySelectorAll(selector)];
    requestAnimationFrame(found.some((one) => one.checkVisibility(seen)) ? next : look);
  };
  look();
});
window.firstChart = painted(".gl-plot .cartesianlayer .trace path[d], .gl-svg .gl-node");
window.text = painted("h1");
"""


@dataclass
class Opened:
    """One opening of a page.

    Attributes:
        seconds: until the first chart was painted.
        text: seconds until the text beside it was.
        bytes: that came over the wire, heads included, by address; all websockets count as one.
    """

    seconds: float = 0.0
    text: float = 0.0
    bytes: Counter[str] = field(default_factory=Counter)


@dataclass
class Visits:
    """All visits to one page, the first ones and those after."""

    name: str
    first: list[Opened] = field(default_factory=list)
    again: list[Opened] = field(default_factory=list)


def open_page(profile: BrowserContext, url: str) -> Opened:
    """Open a tab, go there, wait, close it."""
    found = Opened()
    addresses: dict[str, str] = {}
    page = profile.new_page()
    page.set_viewport_size(VIEWPORT)
    page.add_init_script(WATCH)
    session = profile.new_cdp_session(page)

    def began(event: dict[str, Any]) -> None:
        addresses[event["requestId"]] = urlsplit(event["request"]["url"]).path

    def came(event: dict[str, Any]) -> None:
        found.bytes[addresses.get(event["requestId"], "?")] += event["encodedDataLength"]

    def answered(event: dict[str, Any]) -> None:
        # So far that is the head; nothing, where it came from the browser's cache.
        found.bytes[addresses.get(event["requestId"], "?")] += event["response"][
            "encodedDataLength"
        ]

    def heard(event: dict[str, Any]) -> None:
        content, binary = event["response"]["payloadData"], event["response"]["opcode"] == 2
        found.bytes[SOCKETS] += len(content) * 3 // 4 if binary else len(content)

    session.on("Network.requestWillBeSent", began)
    session.on("Network.responseReceived", answered)
    session.on("Network.dataReceived", came)
    session.on("Network.webSocketFrameReceived", heard)
    session.send("Network.enable")
    page.goto(url, wait_until="commit")
    found.seconds = page.evaluate("window.firstChart") / 1000
    found.text = page.evaluate("window.text") / 1000
    page.wait_for_timeout(SILENCE_MS)
    page.close()
    return found


def report(seen: Sequence[Visits]) -> list[str]:
    rows, verdicts, transfers = [], [], []
    for one in seen:
        megabytes = statistics.median(visit.bytes.total() for visit in one.first) / 1e6
        first, again = (
            statistics.median(visit.seconds for visit in visits)
            for visits in (one.first, one.again)
        )
        texts = [
            statistics.median(visit.text for visit in visits) for visits in (one.first, one.again)
        ]
        later = statistics.median(visit.bytes.total() for visit in one.again) / 1e6
        numbers = megabytes, first, texts[0], later, again, texts[1]
        rows.append((one.name, *(f"{number:.2f}" for number in numbers)))
        verdicts += [
            target(megabytes <= FIRST_MB, f"{one.name}: {megabytes:.2f} MB (at most {FIRST_MB})"),
            target(first <= FIRST_S, f"{one.name}: a chart after {first:.2f} s (≤ {FIRST_S})"),
            target(again <= AGAIN_S, f"{one.name}: again after {again:.2f} s (≤ {AGAIN_S})"),
        ]
        for address, size in one.first[-1].bytes.most_common(BIGGEST):
            transfers.append((one.name, f"`{address}`", f"{size / 1000:.0f}"))
    times = "first chart, s", "text, s"
    head = ("page", "MB", *times, "MB the second time", *times)
    return [
        "## The first visit",
        "",
        "A server that has just started and a browser that has been nowhere; then the same page in "
        "a new tab. "
        f"Medians of {ROUNDS}:",
        "",
        *table(head, rows),
        "",
        "Targets:",
        "",
        *verdicts,
        "",
        "The biggest transfers of a first visit:",
        "",
        *table(("page", "what", "kB"), transfers),
    ]


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "plotly")
    seen = [Visits(name) for name in PAGES]
    with sync_playwright() as playwright:
        for number in range(ROUNDS):
            for one in seen:
                print(f"round {number + 1} of {ROUNDS}: {one.name}", file=sys.stderr)
                with app() as server, launch_with_profile(playwright) as profile:
                    for visits in (one.first, one.again):
                        visits.append(open_page(profile, server.url + PAGES[one.name]))
                    version = profile.browser.version if profile.browser else ""
    return "\n".join([*report(seen), "", measured_on("Headless.", version)])


if __name__ == "__main__":
    print(main())
