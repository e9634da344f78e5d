"""Tests share one browser; what one of them leaves in it, no other finds."""

import pytest

from tests.support.visitor import arrive

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


@pytest.mark.parametrize("last", ["127.0.0.1", "localhost"])
def test_who_comes_next_finds_nothing(bare, tabs, settled, last):
    settled.goto(bare.replace("127.0.0.1", last) + EMPTY)
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


FORGET = """async () => {
  localStorage.clear();
  indexedDB.deleteDatabase("mine");
  await caches.delete("mine");
}"""


@pytest.mark.parametrize("left", ["cookies", "databases"])
def test_it_is_noticed_when_something_was_left(bare, tabs, settled, left):
    if left == "cookies":
        settled.evaluate(FORGET)
    else:
        settled.context.clear_cookies()
    context = settled.context
    settled.close()
    page = context.new_page()
    with pytest.raises(AssertionError, match=left):
        arrive(page, bare + EMPTY)
    tabs.leave(page, keep=False)
