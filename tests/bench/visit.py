"""The first visit: what comes over the wire, and how soon there is a chart, and all text.

Each round starts a server and an empty profile, opens a page, waits for the stage painted and
until nothing more comes, and opens the page once more in a new tab of the same profile. That one
shows what the browser has kept of the first visit; the text says when the page itself is there.
``make bench BESIDE=…`` visits another checkout's app as well.
"""

import statistics
import sys
from typing import NamedTuple

from playwright.sync_api import BrowserContext, WebSocket, sync_playwright

from tests.bench.page import VIEWPORT
from tests.bench.shared import BESIDE, app, surroundings, table, target
from tests.support.browser import launch_with_profile
from tests.support.server import ROOT

PAGES = {"home": "/", "noise_leaks": "/stop_gradient?lesson=noise_leaks"}
ROUNDS = 3
# Pass or miss; never loosened: bytes and seconds of the first visit, seconds of the second.
FIRST_MB, FIRST_S, AGAIN_S = 3.7, 2.5, 1.2
SILENCE_MS = 2500  # after the first chart, for what still comes
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
# A head counts 300 bytes, and what came from the browser's cache nothing.
FILES = """[
  ...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource"),
].reduce((sum, { transferSize }) => sum + transferSize, 0)"""


class Opened(NamedTuple):
    """One opening of a page.

    Args:
        chart, text: seconds until the first chart was painted, and the text beside it.
        bytes: that came over the wire.
    """

    chart: float
    text: float
    bytes: float


def open_page(profile: BrowserContext, url: str) -> Opened:
    """Open a tab, go there, wait, close it."""
    page = profile.new_page()
    page.set_viewport_size(VIEWPORT)
    page.add_init_script(WATCH)
    sizes: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda content: sizes.append(len(content)))

    page.on("websocket", listen)
    page.goto(url, wait_until="commit")
    chart, text = (page.evaluate(f"window.{name}") / 1000 for name in ("firstChart", "text"))
    page.wait_for_timeout(SILENCE_MS)
    found = Opened(chart, text, page.evaluate(FILES) + sum(sizes))
    page.close()
    return found


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "plotly")
    visited = {name: (str(ROOT), path) for name, path in PAGES.items()}
    if BESIDE:
        visited |= {f"{name}, other checkout": (BESIDE, path) for name, path in PAGES.items()}
    seen: dict[str, list[tuple[Opened, Opened]]] = {name: [] for name in visited}
    with sync_playwright() as playwright:
        for number in range(ROUNDS):
            for name, (root, path) in visited.items():
                print(f"round {number + 1} of {ROUNDS}: {name}", file=sys.stderr)
                with app(root) as server, launch_with_profile(playwright) as profile:
                    first = open_page(profile, server.url + path)
                    seen[name].append((first, open_page(profile, server.url + path)))
                    version = profile.browser.version if profile.browser else ""
    rows, verdicts = [], []
    for name, visits in seen.items():
        first, again = (
            Opened(*map(statistics.median, zip(*openings, strict=True)))
            for openings in zip(*visits, strict=True)
        )
        megabytes = first.bytes / 1e6
        rows.append({
            "page": name,
            "MB": f"{megabytes:.2f}",
            "first chart, s": f"{first.chart:.2f}",
            "text, s": f"{first.text:.2f}",
            "MB the second time": f"{again.bytes / 1e6:.2f}",
            "first chart": f"{again.chart:.2f}",
            "text": f"{again.text:.2f}",
        })  # fmt: skip
        verdicts += [
            target(megabytes <= FIRST_MB, f"{name}: {megabytes:.2f} MB (at most {FIRST_MB})"),
            target(
                first.chart <= FIRST_S, f"{name}: a chart after {first.chart:.2f} s (≤ {FIRST_S})"
            ),
            target(
                again.chart <= AGAIN_S, f"{name}: again after {again.chart:.2f} s (≤ {AGAIN_S})"
            ),
        ]
    return "\n".join([
        "## The first visit",
        "",
        "A server that has just started and a browser that has been nowhere; then the same page in "
        f"a new tab. Medians of {ROUNDS}:",
        "",
        *table(rows),
        "",
        "Targets:",
        "",
        *verdicts,
        "",
        measured_on("Headless.", version),
    ])  # fmt: skip
