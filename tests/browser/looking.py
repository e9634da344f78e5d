"""What the browser's tests look for on a page with a lab."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeVar
from urllib.parse import parse_qs

from playwright.sync_api import FloatRect, Frame, Locator, Page, expect

from lessons.outputs.catalogue import lessons
from pages.labs.words import VIEWS
from pages.ui.page import WORDS
from pages.ui.words import WORDS as PAGE_WORDS
from tests.support.browser import PATIENCE, Theme
from tests.support.present import present

Found = TypeVar("Found")

LAB = '.gl-lab[data-ready="true"]'
says = WORDS
"""What the lab, the search and the sketch say, by name."""
MORE = says("more_settings")
FOCUSABLE = """() => [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex]")].filter((one) => {
  const { top, bottom, width, height } = one.getBoundingClientRect();
  const one_of_group = one.type === "radio" && !one.checked; // Tab stops at the chosen one
  return one.tabIndex >= 0 && !one.disabled && !one_of_group
    && width && height && bottom > 0 && top < innerHeight
    && one.checkVisibility({ visibilityProperty: true });
}).map((one) => one.outerHTML.slice(0, 80))"""
# A page's own patience never ends, so it doesn't matter how slow this machine is. In
# pages/ui/live/page, a page waits for all of its pieces and its fonts (early.js) and for a verdict,
# which it keeps in sight while it grows (verdict.js), and presses a button again (tab.js).
PATIENT = """
{
  const later = window.setTimeout;
  const ends = (work, ms) => ms === 6000 || (ms === 1000 && /native code/.test(String(work)))
    || /\\.disconnect\\(\\)|pressed = null/.test(String(work));
  window.setTimeout = (work, ms, ...more) => (ends(work, ms) ? 0 : later(work, ms, ...more));
}
"""
# What has moved, and how far: the value, whether after a press, and the parts.
SHIFTS = (
    PATIENT
    + """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources, hadRecentInput } of list.getEntries()) {
    const moved = sources.map(({ node, previousRect: { y }, currentRect }) =>
      `${node?.className || node?.nodeName} ${y} → ${currentRect.y}`);
    shifts.push([value, hadRecentInput, moved.join(" | ")]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
)
# The drawing of the picture that is saved next, as SVG.
DRAWING = """() => {
  const { decode } = Image.prototype;
  Image.prototype.decode = function () {
    window.drawing = decodeURIComponent(this.src);
    return decode.call(this);
  };
}"""
# Every socket by the last part of its address: what was sent, how often something came, and when.
SPY = """
window.sent = {};
window.came = {};
window.sockets = {};
window.last = {};
const named = (socket) => new URL(socket.url).pathname.split("/").at(-1);
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) {
  (sent[named(this)] ??= []).push(typeof data === "string" ? data : "bytes");
  last[named(this)] = performance.now();
  return send.call(this, data);
};
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all);
    sockets[named(this)] = this;
    this.addEventListener("message", () => {
      came[named(this)] = (came[named(this)] ?? 0) + 1;
      last[named(this)] = performance.now();
    });
  }
};
"""


@contextmanager
def elsewhere(body: str) -> Iterator[str]:
    """The address of a page with this in it, at another site than the app's."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *said: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://localhost:{server.server_port}/"
        finally:
            server.shutdown()


def ready(page: Page) -> Page:
    """The same page, once its lab is drawn."""
    # The first page of a fresh server; and who is PATIENT waits until a process has loaded torch.
    page.wait_for_selector(LAB)
    return page


def trains(page: Page) -> Page:
    """The same page, once its training has sent a picture: a process loads torch for the first one,
    and it stands back behind all others.
    """
    page.wait_for_selector(".gl-trainer .gl-progress")
    return page


def ran(page: Page) -> None:
    """Wait until Streamlit's script has run to its end."""
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]')


def rested(page: Page) -> None:
    """Wait longer than the lab waits for a next key. By timers of the page: on a busy machine the
    lab's own is late too, and never later than this one.
    """
    page.evaluate("() => new Promise((done) => setTimeout(done, 350))")


def answered(page: Page) -> None:
    """Wait until the newest wish is answered and all of it drawn but by Plotly; needs `SPY`."""
    rested(page)
    page.wait_for_function(
        """() => {
          const asks = sent.labs.filter((one) => / ask /.test(one.slice(0, 20)));
          return document.querySelector(".gl-lab").dataset.seq >= parseInt(asks.at(-1));
        }"""
    )


def silent(page: Page) -> None:
    """Wait until Streamlit's script is done and its socket silent for a second; needs `SPY`."""
    page.wait_for_function(
        """() => document.querySelector('.stApp[data-test-script-state="notRunning"]')
            && performance.now() - (last.stream ?? 0) > 1000"""
    )


def still(page: Page) -> None:
    """Wait until nothing fades: faded text has less contrast."""
    page.wait_for_function("document.getAnimations().every((one) => one.playState !== 'running')")
    page.wait_for_timeout(100)


def becomes(page: Page, read: Callable[[], Found], wanted: object, said: object = None) -> Found:
    """What is read, once it is that; it may take the page a while."""
    end = time.monotonic() + PATIENCE
    while (found := read()) != wanted and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert found == wanted, said
    return found


def caught_up(page: Page) -> None:
    """Wait until Plotly itself has drawn the newest frame, and not only the fast path. Before the
    answer to what was just set, the newest is the one before: wait for that first.
    """
    page.wait_for_selector(".gl-lab[data-seq]:not(:has([data-behind]))", state="attached")


def look(page: Page, width: int, theme: Theme) -> None:
    """At the page in another window, by other light: it changes at once, as the system's does."""
    page.set_viewport_size({"width": width, "height": 844 if width < 500 else 800})
    page.emulate_media(color_scheme=theme)
    paper = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    dark = f"{paper}.match(/\\d+/g).every((one) => one < 100) === {str(theme == 'dark').lower()}"
    page.wait_for_function(dark)
    still(page)


def to_lesson(page: Page, name: str) -> None:
    """Go to a lesson or a quiz by the Course page, in the same session."""
    page.locator(".st-key-header").get_by_role("link").first.click()
    page.wait_for_url("**/course*")
    # A click before this would be on a page that is going.
    expect(page.locator("h1")).to_have_text(PAGE_WORDS("course"))
    ran(page)
    links = page.locator("[class*=st-key-chapter_]").get_by_role("link")
    links.filter(has_text=name).first.click()


def box_of(part: Locator) -> FloatRect:
    """Where a part that is shown is in the window."""
    return present(part.bounding_box())


def middle(part: Locator) -> tuple[float, float]:
    """Where the middle of a part is in the window."""
    box = box_of(part)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pull(page: Page, start: tuple[float, float], across: float, down: float = 0) -> None:
    """Press the mouse at a place and move it so far; it stays down."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + across, start[1] + down, steps=6)


def control(page: Page | Frame, name: str, part: str = "input") -> Locator:
    return page.locator(f'[data-control="{name}"] {part}').first


def exact(page: Page, name: str) -> Locator:
    """The field for the exact number of a slider."""
    return control(page, name, ".gl-exact")


def cells(page: Page) -> list[list[str]]:
    """The cells of the lab's table, row by row."""
    found: list[list[str]] = page.locator("[data-table] tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td, th')].map(one => one.innerText))"
    )
    return found


def rows(page: Page) -> list[list[str]]:
    """Open the table's drawer, and return its cells."""
    open_drawers(page, "table").locator("[data-table] tbody tr").first.wait_for()
    return cells(page)


def asked(page: Page) -> dict[str, str]:
    """What the address asks for."""
    query = str(page.evaluate("location.search")).removeprefix("?")
    return {name: text for name, (text,) in parse_qs(query).items()}


def edge(page: Page, name: str) -> Locator:
    return page.locator(f'.gl-edge[data-id="{name}"]')


def node(page: Page, name: str) -> Locator:
    return page.locator(f'.gl-node[data-id="{name}"]')


def button(page: Page, name: str) -> Locator:
    """A button of the stepper, which is opened for it, by the name of its text."""
    page.locator(".gl-steps").evaluate("one => { one.open = true; }")
    return page.locator(".gl-stepper").get_by_role("button", name=says(name))


def backward_is_at(page: Page, step: int, of: int) -> None:
    """Wait until the stepper shows this step of the backward pass."""
    expect(page.locator(".gl-place")).to_have_text(says("step_of", step=step, all=of))


def press_on(page: Page, name: str, key: str) -> None:
    edge(page, name).focus()
    page.keyboard.press(key)


def open_drawers(page: Page, *labels: str) -> Page:
    """The same page, with these drawers of its lab open: views by their names, ``MORE``."""
    own = {name: label for lesson in lessons() for name, label in lesson.views.items()}
    for label in ({**own, **VIEWS}.get(one, one) for one in labels):
        tab = page.locator(".gl-tabs").get_by_role("button", name=label, exact=True)
        if tab.get_attribute("aria-expanded") != "true":
            tab.click()
    # A drawer scrolls the page when it comes: then a place on it is another one.
    for name, drawn in {"code": ".gt-row", "table": "[data-table] td"}.items():
        if name in labels:
            page.locator(f".gl-lab {drawn}").first.wait_for()
    return page


def is_at_step(page: Page, step: int) -> None:
    """Wait until a lesson shows this step, and its script has run."""
    here = page.locator('.st-key-turn nav [aria-current="step"]')
    name = says("step", number=step, title="")
    expect(here).to_have_attribute("aria-label", re.compile(f"^{re.escape(name)}"))
    ran(page)


def next_button(page: Page) -> Locator:
    return page.locator(".st-key-next button")


def on(page: Page, step: int) -> None:
    """To the next step, which is this one."""
    next_button(page).click()
    is_at_step(page, step)


def tiles(page: Page) -> Locator:
    """The answers to choose from."""
    return page.locator(".st-key-tiles button")


def commit(page: Page, answer: int) -> None:
    tiles(page).nth(answer).click()
    expect(page.locator(".st-key-verdict")).to_be_visible()
