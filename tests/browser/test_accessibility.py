"""Every kind of page by the rules of axe, in both themes and on a phone; by keyboard alone."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages.ui.words import WORDS
from tests.browser.looking import (
    LAB,
    MORE,
    becomes,
    commit,
    look,
    open_drawers,
    press_on,
    ran,
    says,
    still,
)
from tests.conftest import OpenPage
from tests.support.amount import also
from tests.support.browser import Theme
from tests.support.server import Server

pytestmark = pytest.mark.browser


def draw(page: Page) -> None:
    page.locator(".gt-knob").first.press("End")
    page.get_by_role("button", name=says("commit_sketch")).click()
    page.get_by_text(WORDS("sketch_as_numbers")).click()
    open_drawers(page, MORE).locator(".gl-share summary").click()
    page.get_by_role("button", name=says("copy_link")).click()


def search(page: Page) -> None:
    page.get_by_role("button", name=WORDS("search")).click()
    page.get_by_label(says("search_course")).last.fill("identity")
    page.get_by_role("dialog").get_by_role("link").first.wait_for()


def cut(page: Page) -> None:
    press_on(page, "sqrt_1:0", "Enter")


def answer(page: Page) -> None:
    commit(page, 0)
    expect(page.locator('.gl-lab[aria-busy="true"]')).to_have_count(0)  # its stage is pale


def nothing(page: Page) -> None:
    """The page as one comes there."""


Act = Callable[[Page], None]
STATES: dict[str, tuple[str, str, Act]] = {
    "number": ("/reversal?lesson=flip&step=3", '[data-testid="stForm"]', nothing),
    "drawn": ("/override_map?lesson=clip_identity&step=2", ".gt-knob", draw),
    "fixed": ("/stop_gradient?lesson=right_place&step=4", ".gt-code", answer),
    "answered": ("/stop_gradient?lesson=two_passes&step=4", ".st-key-tiles button", answer),
    "cut": ("/stop_gradient?lesson=right_place&step=3", ".gl-svg", cut),
    "search": ("/glossary", ".gt-glossary", search),
    "home": ("/", LAB, nothing),
    "training": ("/reversal?lesson=moons&step=3", ".gl-trainer", nothing),
    "playground": ("/playground", LAB, nothing),
    "course": ("/course", "[class*=st-key-chapter_]", nothing),
    "your_own_code": ("/your_own_code", "iframe", nothing),
    "teach": ("/teach", '[data-testid="stLinkButton"]', nothing),
    # What these show is in the states above, too.
    "glossary": ("/glossary?term=leaf", ".gt-glossary", nothing),
    "choice": ("/stop_gradient?lesson=noise_leaks&step=2", ".st-key-tiles button", nothing),
    "sketch": ("/override_map?lesson=clip_identity&step=2", ".gt-knob", nothing),
    "bug": ("/stop_gradient?lesson=right_place&step=4", ".gt-code", nothing),
    "arrows": ("/clipping?lesson=value_or_norm", LAB, nothing),
    "quiz": ("/reversal?quiz=4", ".st-key-tiles button", nothing),
    "task": ("/reversal?quiz=4&said=0&at=1", ".st-key-quiz .gl-lab[data-ready]", nothing),
}
OFTEN = list(STATES)[: list(STATES).index("glossary")]
LOOKS: tuple[tuple[int, Theme], ...] = ((1280, "light"), (390, "dark"))


def seen() -> Iterator[object]:
    """Every state in both looks; on a commit those that show something new, in one of them."""
    for number, name in enumerate(STATES):
        for turn, (width, theme) in enumerate(LOOKS):
            often = number % 2 == turn and name in OFTEN
            marks = () if often else pytest.mark.long
            yield pytest.param(name, width, theme, marks=marks, id=f"{name}-{width}-{theme}")


def ready(page: Page, selector: str) -> Page:
    page.locator("h1").first.wait_for()
    page.locator(selector).first.wait_for()
    ran(page)  # a lab comes after the words
    if page.locator(".gl-lab").count():
        page.wait_for_selector(LAB)
    still(page)
    return page


def broken(page: Page) -> list[tuple[str, ...]]:
    """What axe holds against the page: the rule, where, and how to mend it."""
    found = Axe().run(page)
    return [
        (rule["id"], node["html"][:200], node["failureSummary"][:300])
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize(("name", "width", "theme"), list(seen()))
def test_axe_finds_nothing_and_nothing_is_cut_off(
    app: Server, open_page: OpenPage, name: str, width: int, theme: Theme
) -> None:
    path, selector, act = STATES[name]
    page = ready(open_page(app.url + path), selector)
    assert urlsplit(page.url).path == urlsplit(path).path
    assert page.locator('[data-testid="stException"]').count() == 0
    act(page)
    ran(page)
    look(page, width, theme)
    assert broken(page) == []
    ends = "[document.documentElement, document.querySelector('.stMain')]"
    cut_off = f"{ends}.filter((one) => one.scrollWidth > {width}).length"
    becomes(page, lambda: page.evaluate(cut_off), 0, "something is cut off at the side")


STAMP = """() => {
  const operable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  const there = (node) =>
    node.checkVisibility({ visibilityProperty: true }) && !node.disabled && node.tabIndex >= 0 &&
    !node.closest('[inert], [aria-hidden="true"]') &&
    !(node.type === 'radio' && !node.checked &&
      document.querySelector(`input[name="${node.name}"]:checked`));
  // How a thing looks, with what stands around it: a focus ring may be drawn on any of these.
  window.look = (node) =>
    [node, node.nextElementSibling, ...node.children, node.parentElement,
     node.parentElement?.parentElement, node.parentElement?.parentElement?.parentElement,
     node.parentElement?.firstElementChild]
      .filter(Boolean)
      .map((one) => {
        const style = getComputedStyle(one);
        return ['outline', 'boxShadow', 'borderColor', 'backgroundColor', 'color', 'stroke', 'fill']
          .map((name) => style[name]).join();
      })
      .join(';');
  window.stamped = [...document.querySelectorAll(operable)].filter(there);
  window.looks = window.stamped.map(window.look);
  return window.stamped.map((node) =>
    node.type === 'radio' ? `radio ${node.name}` : node.outerHTML.slice(0, 120));
}"""
# What is focused, by its place in `stamped`, and whether it looks otherwise than before; a
# transition may take a moment.
FOCUSED = """async () => {
  const at = window.stamped.indexOf(document.activeElement);
  const differs = () => window.looks[at] !== window.look(document.activeElement);
  for (let left = 20; at >= 0 && !differs() && left > 0; left -= 1) {
    await new Promise((done) => setTimeout(done, 30));
  }
  return [at, at >= 0 && differs()];
}"""


# A question and the page with the most controls on every commit, the rest in `make test-long`.
@pytest.mark.parametrize("kind", ["sketch", "playground", *also("home", "choice", "teach")])
def test_keyboard_alone_reaches_everything_and_shows_where_it_is(
    app: Server, open_page: OpenPage, kind: str
) -> None:
    path, selector, _ = STATES[kind]
    page = ready(open_page(app.url + path), selector)
    names = page.evaluate(STAMP)
    assert len(names) > 10
    reached, unseen = set(), []
    for _ in range(len(names) + 20):
        page.keyboard.press("Tab")
        at, differs = page.evaluate(FOCUSED)
        if at < 0 or names[at] in reached:
            continue
        reached.add(names[at])
        unseen += [] if differs else [names[at]]
    assert sorted(set(names) - reached) == []
    assert unseen == []
