"""Who opens a page again sees its first picture before Streamlit has begun, if it is still true."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from lessons.outputs import catalogue
from tests.browser.looking import PATIENT, becomes, held, ran, ready
from tests.support.amount import also
from tests.support.browser import launch

pytestmark = pytest.mark.browser

LESSON = "/stop_gradient?lesson=noise_leaks"
NAME = "gradient_tricks_lab_first"
STORED = f"localStorage.getItem('{NAME}')"
KEPT = ".gl-kept .gl-plot"
# Each part of the picture by its place in it: where it stands in the window.
PARTS = """(root) => {
  const parts = [...document.querySelectorAll(`${root} *`)].filter((part) => !part.closest("svg"));
  const heads = /gl-head/; // whose padding is that of what stays in sight
  return parts.filter(({ className }) => !heads.test(className)).map((part) => {
    const { left, top, width, height } = part.getBoundingClientRect();
    return [`${part.tagName}.${part.className}`, ...[left, top, width, height].map(Math.round)];
  });
}"""
PAPERS = """[document.documentElement, document.querySelector(".stApp")]
  .map((one) => getComputedStyle(one).backgroundColor)"""
NONE = "rgba(0, 0, 0, 0)"
ROOM_BESIDE = """[...document.querySelectorAll(".gl-figures .gl-plot")].map((plot) => {
  const { width } = plot.querySelector(".main-svg").getBoundingClientRect();
  return Math.round(plot.clientWidth - width);
})"""
# Whether any was shown at once.
WATCH = """
new MutationObserver(() => {
  if (document.querySelector(".gl-kept")) window.shownAtOnce = true;
}).observe(document, { childList: true, subtree: true });
"""


def visitor(browser: Browser, width: int = 1280, scheme: str = "light") -> Page:
    viewport = {"width": width, "height": 900 if width > 500 else 844}
    page = browser.new_page(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    page.add_init_script(PATIENT + WATCH)
    return page


def visited(page: Page, url: str) -> Page:
    """The same, once the page was there and its first picture is kept."""
    page.goto(url)
    ready(page)
    page.wait_for_function(STORED)
    return page


def again(page: Page, url: str) -> None:
    page.goto(url, wait_until="commit")


@contextmanager
def shown_at_once(page: Page, url: str) -> Iterator[None]:
    """Open it again, and let Streamlit draw nothing from when what was kept is there to the end of
    the block.
    """
    with held(page, "**/_stcore/host-config"):
        again(page, url)
        page.wait_for_selector(f"{KEPT} svg:not(.gl-ghost)")
        yield


@contextmanager
def not_yet_in_the_page(page: Page, url: str) -> Iterator[None]:
    """Open it again; in the block its text is there, but the page is not shown."""
    with held(page, "**/static/js/PageLink*"):  # what the list of lessons is made of
        with shown_at_once(page, url):
            pass
        page.wait_for_selector(".st-key-words p", state="attached", timeout=90_000)
        assert page.locator(".gl-kept").count() == 1
        yield


def was_shown_at_once(page: Page) -> bool:
    ready(page)
    return bool(page.evaluate("window.shownAtOnce"))


@pytest.mark.parametrize(
    ("address", "scheme"),
    [(LESSON, "dark"), *also(("/", "light"), ("/reversal?lesson=moons", "dark"))],
)
def test_the_picture_is_there_before_the_page_and_becomes_part_of_it(app, browser, address, scheme):
    page = visited(visitor(browser, scheme=scheme), app.url + address)
    with held(page, "**/lab.js"):
        with shown_at_once(page, app.url + address):
            assert page.locator("[class*=st-key-lab_]").count() == 0
            before = page.evaluate(PARTS, ".gl-kept")
            assert len(before) > 40
            paper = "rgb(253, 252, 249)" if scheme == "light" else "rgb(20, 23, 29)"
            assert page.evaluate(PAPERS) == [paper, NONE]
        expect(page.locator("html")).to_have_attribute("data-whole", "true", timeout=90_000)
        assert page.locator(".gl-kept").count() == 0
        assert page.evaluate(PARTS, ".gl-first") == before, "nothing in it has moved"
        place = page.locator(".gl-first")
        top = place.bounding_box()["y"]
        page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 50)")
        assert place.bounding_box()["y"] == pytest.approx(top - 50, abs=1)
        # What is taken over fits a window that was made narrower meanwhile.
        page.set_viewport_size({"width": 1000, "height": 900})
    ready(page)
    assert page.locator(".gl-first *").count() == 0
    page.wait_for_function("document.querySelector('.gl-lab[data-whole]')")
    becomes(page, lambda: {*page.evaluate(ROOM_BESIDE)}, {0})
    page.close()


@pytest.mark.long
def test_in_the_playground_too(app, browser):
    """Which is not hidden while it comes, and has its controls beside the charts."""
    page = visited(visitor(browser), app.url + "/playground")
    with held(page, "**/lab.js"):
        with shown_at_once(page, app.url + "/playground"):
            before = page.evaluate(PARTS, ".gl-kept")
        page.wait_for_selector(".stElementContainer .gl-first")
        assert page.evaluate(PARTS, ".gl-first") == before
    ready(page)
    assert page.locator(".gl-first *, .gl-kept").count() == 0
    page.close()


@pytest.mark.long
def test_where_scrollbars_take_room_it_becomes_part_of_the_page_too(app, playwright):
    browser = launch(playwright, without=["--hide-scrollbars"])
    page = visited(visitor(browser), app.url + LESSON)
    with held(page, "**/lab.js"):
        with shown_at_once(page, app.url + LESSON):
            before = page.evaluate(PARTS, ".gl-kept")
            size = "[document.scrollingElement.scrollHeight, document.body.clientWidth]"
            assert page.evaluate(size) == [900, 1280], "nothing scrolls but the page itself"
        expect(page.locator("html")).to_have_attribute("data-whole", "true", timeout=90_000)
        room = "(main) => main.offsetWidth - main.clientWidth"
        assert page.locator(".stMain").evaluate(room) > 0, "that of a scrollbar"
        assert page.evaluate(PARTS, ".gl-first") == before
    ready(page)
    browser.close()


@pytest.mark.long
def test_in_a_window_that_changes_the_page_s_own_picture_comes(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    with held(page, "**/lab.js"):
        with shown_at_once(page, app.url + LESSON):
            page.set_viewport_size({"width": 1100, "height": 900})
            becomes(page, lambda: page.locator(".gl-kept").count(), 0)
        expect(page.locator("html")).to_have_attribute("data-whole", "true", timeout=90_000)
        assert page.locator(".gl-first svg:not(.gl-ghost)").count() > 0
    ready(page)
    page.wait_for_timeout(1500)
    kept = page.evaluate(STORED)
    assert "1280" in kept
    assert "1100" not in kept, "nor is it kept for another window"
    page.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("/glossary", "stop_gradient"),
        ("/glossary?lesson=two_passes", "stop_gradient"),
        ("/stop_gradient?lesson=two_passes&quiz=3", "Two passes"),
        ("/", "Playground"),
    ],
)
def test_the_lab_of_another_page_is_not_kept_for_this_one(app, browser, address, link):
    page = visitor(browser)
    page.goto(app.url + address)
    ran(page)
    page.get_by_role("link", name=link).first.click()
    page.wait_for_function(
        "address => location.pathname + location.search !== address", arg=address
    )
    ready(page)
    page.wait_for_timeout(1500)
    kept = json.loads(page.evaluate(STORED) or "[]")
    assert {one["lab"] for one in kept} <= ({"home"} if address == "/" else set())
    page.close()


@pytest.mark.long
def test_it_does_not_stand_under_an_error(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    with shown_at_once(page, app.url + LESSON):
        page.evaluate("""() => {
          const error = document.createElement("div");
          error.className = "stException";
          document.body.append(error);
        }""")
        becomes(page, lambda: page.locator(".gl-kept").count(), 0)
    page.close()


@pytest.mark.long
def test_another_lesson_of_the_chapter_has_its_own(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    with not_yet_in_the_page(page, app.url + LESSON):
        page.keyboard.press("/")
        page.keyboard.type("two passes")
        page.wait_for_selector(".gt-search-dialog a")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**two_passes*")
        becomes(page, lambda: page.locator(".gl-kept").count(), 0)
    page.close()


@pytest.mark.long
def test_progress_that_was_forgotten_meanwhile_is_not_kept(app, browser):
    page = visitor(browser)
    cookie = {"name": "gradient_tricks_lab", "value": "2!noise_leaks:3", "url": app.url}
    page.context.add_cookies([cookie])
    page.goto(app.url + LESSON)
    ready(page)
    page.context.clear_cookies(name="gradient_tricks_lab")  # in another tab
    page.wait_for_timeout(1500)
    assert page.evaluate(STORED) is None
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["**/plotly*", "**/*.woff2"])
def test_it_needs_neither_plotly_nor_a_font(app, browser, pattern):
    errors: list[Any] = []
    page = visited(visitor(browser), app.url + LESSON)
    page.on("pageerror", lambda error: errors.append(error))
    page.route(pattern, lambda route: route.abort())
    with shown_at_once(page, app.url + LESSON):
        pass
    page.wait_for_selector(".gl-lab .gl-controls")
    assert errors == []
    page.close()


# A lesson's own picture, kept as that of another address.
FORGE = """([name, address]) => {
  const [kept] = JSON.parse(localStorage.getItem(name));
  localStorage.setItem(name, JSON.stringify([{ ...kept, at: [address] }]));
}"""


def test_what_is_not_true_any_more_goes_as_soon_as_the_page_says_so(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    other = "/stop_gradient?lesson=noise_leaks&noise_low=0.5"
    page.evaluate(FORGE, [NAME, other])
    low = ".gl-controls .gl-exact"
    with held(page, "**/lab.js"):
        with shown_at_once(page, app.url + other):
            assert page.locator(f".gl-kept {low}").first.input_value() == "0.9"
        expect(page.locator("html")).to_have_attribute("data-whole", "true", timeout=90_000)
        assert page.locator(".gl-first").count() == 1
        assert page.locator(f".gl-first {low}").first.input_value() == "0.5"
    ready(page)
    page.close()


@pytest.mark.long
def test_it_is_shown_to_who_would_be_sent_the_same_alone(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    with shown_at_once(page, app.url + LESSON):
        pass
    ready(page)
    page.set_viewport_size({"width": 1100, "height": 900})
    again(page, app.url + LESSON)
    assert not was_shown_at_once(page), "drawn for a window of another width"
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="dark")
    again(page, app.url + LESSON)
    assert not was_shown_at_once(page), "in other colours"
    page.emulate_media(color_scheme="light")
    again(page, f"{app.url}{LESSON}&noise_low=0.5")
    assert not was_shown_at_once(page), "of other settings"
    cookie = {"name": "gradient_tricks_lab", "value": "2!noise_leaks:3", "url": app.url}
    page.context.add_cookies([cookie])
    again(page, app.url + LESSON)
    assert not was_shown_at_once(page), "at another step"
    page.close()


@pytest.mark.long
def test_a_reload_shows_what_was_there_unless_it_was_changed_meanwhile(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    assert "step=1" in page.url, "the lab has written the address"
    with shown_at_once(page, page.url):
        pass
    ready(page)
    page.close()
    page = visitor(browser)
    page.goto(app.url + LESSON)
    ready(page).locator(".gl-controls input[type=range]").first.press("ArrowRight")
    page.wait_for_function(STORED)
    page.reload()
    assert not was_shown_at_once(page)
    page.close()


@pytest.mark.long
def test_three_are_kept(app, browser):
    page = visitor(browser)
    places = [f"/{one.chapter}?lesson={one.slug}" for one in catalogue.lessons()][:4]
    kept = f"JSON.parse({STORED} ?? '[]').length"
    for number, place in enumerate(places, start=1):
        page.goto(app.url + place)
        ready(page)
        becomes(page, lambda: page.evaluate(kept), min(number, 3))
    page.close()


@pytest.mark.parametrize(
    "stored",
    [
        '[1, null, {"at": 5}]',
        *also("[{", "null", "{}", json.dumps([{"at": ["x"], "text": "y"}]), '"text"'),
    ],
)
def test_whatever_is_stored_the_page_comes(app, browser, stored):
    errors: list[Any] = []
    page = visitor(browser)
    page.on("pageerror", lambda error: errors.append(error))
    page.goto(app.url + "/files/nothing")
    page.evaluate("([name, text]) => localStorage.setItem(name, text)", [NAME, stored])
    page.goto(app.url + LESSON)
    ready(page)
    becomes(page, lambda: page.evaluate(f"{STORED}?.startsWith('[{{\"at')"), True)
    assert errors == []
    page.close()


@pytest.mark.long
def test_a_picture_that_cannot_be_drawn_goes(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    spoil = (
        "(name) => localStorage.setItem(name, localStorage.getItem(name).replace(/AAAA/, 'zzzz'))"
    )
    page.evaluate(spoil, NAME)
    again(page, app.url + LESSON)
    ready(page)
    assert page.locator(".gl-kept, .gl-first *").count() == 0
    page.close()


FORBIDDEN = """
Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("", "SecurityError"); },
});
"""


@pytest.mark.long
def test_a_browser_that_keeps_nothing_gets_the_page(app, browser):
    page = visitor(browser)
    page.add_init_script(FORBIDDEN)
    page.goto(app.url + LESSON)
    ready(page)
    page.close()


@pytest.mark.long
def test_it_goes_with_the_page_that_was_left_before_it_came(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    with not_yet_in_the_page(page, app.url + LESSON):
        page.get_by_test_id("stTopNavLink").filter(has_text="Glossary").click()
    page.wait_for_selector(".gt-glossary dd")
    assert page.locator(".gl-kept, .gl-first").count() == 0
    page.close()


@pytest.mark.long
def test_a_lab_that_is_ready_before_the_page_is_shown_leaves_it_there(app, browser):
    page = visited(visitor(browser), app.url + LESSON)
    with not_yet_in_the_page(page, app.url + LESSON):
        page.wait_for_selector(".gl-lab[data-ready]", state="attached", timeout=90_000)
        assert page.locator(f"{KEPT} .main-svg").count() > 0
    expect(page.locator("html")).to_have_attribute("data-whole", "true", timeout=90_000)
    assert page.locator(".gl-kept, .gl-first").count() == 0
    assert page.locator(".gl-lab[data-ready] .gl-plot .trace path[d]").count() > 0
    page.close()


@pytest.mark.long
def test_what_is_below_the_text_is_not_shown_at_once(app, browser):
    page = visited(visitor(browser, width=390), app.url + LESSON)
    again(page, app.url + LESSON)
    assert not was_shown_at_once(page)
    page.close()
