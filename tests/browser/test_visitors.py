"""Tests share one browser; what one of them leaves in it, no other finds."""

import pytest
from playwright.sync_api import Page

from tests.browser.looking import ready
from tests.support.visitor import arrive, leave, newcomer

pytestmark = pytest.mark.browser

EMPTY = "/files/nothing"  # a page without a script of its own
SIZE = (1280, 800, "light")

SETTLE_IN = """async () => {
  document.cookie = "mine=1; max-age=1000";
  localStorage.mine = sessionStorage.mine = "1";
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
  (await indexedDB.databases()).map(({ name }) => name), await caches.keys(), history.length,
]"""
OWN = [True, "1", "1", ["mine"], ["mine"], 2]
NONE = [False, None, None, [], [], 2]


@pytest.fixture
def settled(bare, profile):
    """A visitor with something in every place where a page can keep it."""
    url = bare + EMPTY
    page = newcomer(profile, url, *SIZE)
    arrive(page, url)
    page.evaluate(SETTLE_IN)
    assert page.evaluate(BELONGINGS) == OWN
    yield page
    leave(profile, page)


def test_who_comes_next_finds_nothing(bare, profile, settled):
    with settled.expect_popup():
        settled.evaluate("window.open(location.href)")
    leave(profile, settled)
    url = bare + EMPTY
    page = newcomer(profile, url, 390, 844, "dark")
    arrive(page, url)
    assert page.evaluate(BELONGINGS) == NONE
    dark = "matchMedia('(prefers-color-scheme: dark)').matches"
    assert page.evaluate(f"[innerWidth, innerHeight, {dark}]") == [390, 844, True]


def test_who_comes_meanwhile_finds_nothing_either(bare, profile, settled):
    url = bare + EMPTY
    page = newcomer(profile, url, *SIZE)
    arrive(page, url)
    assert page.evaluate(BELONGINGS) == NONE
    leave(profile, page)
    assert settled.evaluate(BELONGINGS) == OWN


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
def test_it_is_noticed_when_something_was_left(bare, profile, settled, tidy, message):
    tidy(settled)
    settled.close()
    with pytest.raises(AssertionError, match=message):
        arrive(profile.new_page(), bare + EMPTY)


def test_what_is_named_by_what_it_holds_is_fetched_once_for_all(bare, profile, open_page):
    """Where a file's name says what is in it, no later visitor asks for it again."""
    ours = "performance.getEntriesByType('resource').filter((e) => e.name.includes('/files/'))"
    fetched = f"{ours}.map((e) => [new URL(e.name).pathname, e.transferSize, e.decodedBodySize])"
    for _ in range(2):
        page = open_page(bare + "/stop_gradient?lesson=wrong_place")
        ready(page)
        files = page.evaluate(fetched)
        leave(profile, page)
    assert max(size for _, _, size in files) > 1e6, "Plotly is among them"
    assert [name for name, sent, _ in files if sent] == []
