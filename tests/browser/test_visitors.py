"""Tests share one browser; what one of them leaves in it, no other finds."""

import pytest
from playwright.sync_api import Page

from tests.browser.looking import ready
from tests.support.visitor import Tabs, arrive

pytestmark = pytest.mark.browser

EMPTY = "/files/nothing"  # a page without a script of its own
SIZE = (1280, 800, "light")

SETTLE_IN = """async () => {
  document.cookie = "mine=1; max-age=1000";
  localStorage.mine = sessionStorage.mine = window.name = "1";
  history.pushState(null, "", "#further");
  await (await caches.open("mine")).put("/mine", new Response("mine"));
  await new Promise((done, failed) => {
    const asked = indexedDB.open("mine", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("mine");
    asked.onsuccess = () => done(asked.result.close());
    asked.onerror = failed;
  });
}"""
BELONGINGS = """async () => [
  document.cookie.includes("mine"), localStorage.mine, sessionStorage.mine,
  (await indexedDB.databases()).map(({ name }) => name), await caches.keys(), window.name,
  history.length,
]"""
OWN = [True, "1", "1", ["mine"], ["mine"], "1", 3]
NONE = [False, None, None, [], [], "", 2]


@pytest.fixture
def settled(bare, tabs):
    """A visitor with something in every place where a page can keep it."""
    url = bare + EMPTY
    page = tabs.newcomer(url, *SIZE)
    arrive(page, url)
    page.evaluate(SETTLE_IN)
    assert page.evaluate(BELONGINGS) == OWN
    return page


def test_who_comes_next_finds_nothing(bare, tabs, settled):
    with settled.expect_popup():
        settled.evaluate("window.open(location.href)")
    settled.emulate_media(reduced_motion="reduce")
    settled.route("**/*", lambda route: route.abort())
    settled.context.set_offline(True)
    tabs.leave(settled)
    url = bare + EMPTY
    page = tabs.newcomer(url, 390, 844, "dark")
    assert page is settled, "the tab is the same"
    arrive(page, url)
    assert page.evaluate(BELONGINGS) == NONE
    asks = "['(prefers-color-scheme: dark)', '(prefers-reduced-motion)']"
    media = f"...{asks}.map((one) => matchMedia(one).matches)"
    assert page.evaluate(f"[innerWidth, innerHeight, {media}]") == [390, 844, True, False]
    tabs.leave(page)


def test_nor_does_who_comes_after_one_who_went_elsewhere(bare, tabs, settled):
    settled.goto(bare.replace("127.0.0.1", "localhost") + EMPTY)
    tabs.leave(settled)
    page = tabs.newcomer(bare + EMPTY, *SIZE)
    arrive(page, bare + EMPTY)
    assert page.evaluate(BELONGINGS) == NONE
    tabs.leave(page)


def test_who_comes_meanwhile_finds_nothing_either(bare, tabs, settled):
    url = bare + EMPTY
    page = tabs.newcomer(url, *SIZE)
    arrive(page, url)
    assert page.evaluate(BELONGINGS) == NONE
    tabs.leave(page)
    assert settled.evaluate(BELONGINGS) == OWN
    tabs.leave(settled)


def forget_cookies(page: Page) -> None:
    page.context.clear_cookies()


def forget_all_but_cookies(page: Page) -> None:
    page.evaluate("""async () => {
      localStorage.clear();
      indexedDB.deleteDatabase("mine");
      await caches.delete("mine");
    }""")


@pytest.mark.parametrize(
    ("tidy", "message"),
    [(forget_cookies, "'databases': ..mine"), (forget_all_but_cookies, "cookies of another")],
)
def test_it_is_noticed_when_something_was_left(bare, tabs, settled, tidy, message):
    tidy(settled)
    context = settled.context
    settled.close()
    page = context.new_page()
    with pytest.raises(AssertionError, match=message):
        arrive(page, bare + EMPTY)
    tabs.leave(page, keep=False)


def test_what_is_named_by_what_it_holds_is_fetched_once_for_all(bare, browser):
    """Where a file's name says what is in it, no later visitor asks for it again."""
    ours = "performance.getEntriesByType('resource').filter((e) => e.name.includes('/files/'))"
    fetched = f"{ours}.map((e) => [new URL(e.name).pathname, e.transferSize, e.decodedBodySize])"
    url = bare + "/stop_gradient?lesson=wrong_place"
    tabs = Tabs(browser.new_context(bypass_csp=True))
    for _ in range(2):
        page = tabs.newcomer(url, *SIZE)
        arrive(page, url)
        ready(page)
        files = page.evaluate(fetched)
        tabs.leave(page, keep=False)  # a tab has a memory of its own
    page.context.close()
    assert max(size for _, _, size in files) > 1e6, "Plotly is among them"
    assert [name for name, sent, _ in files if sent] == []
