"""Every kind of page by the rules of axe, in both themes and on a phone; by keyboard alone."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from lessons.outputs.catalogue import find
from tests.browser.looking import LAB, becomes, look, open_drawers, ran, still

pytestmark = pytest.mark.browser

KINDS = {
    "home": ("/", LAB),
    "two_passes": ("/stop_gradient?lesson=two_passes", ".gl-svg"),
    "choice": ("/stop_gradient?lesson=noise_leaks&step=2", ".st-key-tiles button"),
    "number": ("/reversal?lesson=flip&step=4", '[data-testid="stForm"]'),
    "sketch": ("/override_map?lesson=clip_identity&step=2", ".gt-handle"),
    "bug": ("/stop_gradient?lesson=right_place&step=5", ".gt-code"),
    "arrows": ("/clipping?lesson=value_or_norm", LAB),
    "training": ("/reversal?lesson=moons&step=2", ".gl-trainer"),
    "quiz": ("/reversal?quiz=3", ".st-key-tiles button"),
    "playground": ("/playground", LAB),
    "course": ("/course", ".gt-chapter"),
    "glossary": ("/glossary?term=leaf", ".gt-asked"),
    "your_own_code": ("/your_own_code", ".gt-preview"),
    "teach": ("/teach", '[data-testid="stLinkButton"]'),
}
LOOKS = ((1280, "light"), (390, "dark"))


def seen() -> Iterator[object]:
    """Every kind in one of the looks, in turn; the other look is left to `make test-long`, and so
    are four kinds of which others have the parts, the lab, the radio buttons and the charts, and
    the two whose text is looked at below, once they are answered.
    """
    left = ("two_passes", "choice", "arrows", "quiz", "sketch", "bug")
    for number, kind in enumerate(KINDS):
        for turn, (width, theme) in enumerate(LOOKS):
            often = number % 2 == turn and kind not in left
            marks = () if often else pytest.mark.long
            yield pytest.param(kind, width, theme, marks=marks, id=f"{kind}-{width}-{theme}")


def ready(page: Page, selector: str) -> Page:
    page.locator("h1").first.wait_for()
    page.locator(selector).first.wait_for()
    ran(page)  # a lab comes after the words
    if page.locator(".gl-lab").count():
        page.wait_for_selector(LAB)
    still(page)
    return page


def broken(page: Page, context: str | None = None) -> list[tuple[str, ...]]:
    """What axe holds against the page: the rule, where, and how to mend it."""
    found = Axe().run(page, context=context)
    return [
        (rule["id"], node["html"][:200], node["failureSummary"][:300])
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize(("kind", "width", "theme"), list(seen()))
def test_every_kind_of_page_shows_itself_to_who_comes_there_first_and_passes_axe(
    app, open_page, kind, width, theme
):
    path, selector = KINDS[kind]
    page = ready(open_page(app.url + path), selector)
    assert urlsplit(page.url).path == urlsplit(path).path
    assert page.get_by_text("Page not found").count() == 0
    assert page.locator('[data-testid="stException"]').count() == 0
    expect(page.locator("h1").first).to_have_text(title(path))
    look(page, width, theme)
    assert broken(page) == []
    ends = "[document.documentElement, document.querySelector('.stMain')]"
    cut_off = f"{ends}.filter((one) => one.scrollWidth > {width}).length"
    becomes(page, lambda: page.evaluate(cut_off), 0, "something is cut off at the side")


def title(path: str) -> str:
    """What stands at the top of a page."""
    asked = parse_qs(urlsplit(path).query)
    if "lesson" in asked:
        return re.sub(r"[`*]", "", find(asked["lesson"][0]).title)
    if "quiz" in asked:
        return f"Quiz: {urlsplit(path).path.strip('/').capitalize()}"
    return (
        urlsplit(path).path.strip("/").capitalize().replace("_", " ")
        or "Same output. Different gradient."
    )


def one_look(often: int) -> list[object]:
    """This look on a commit, the other in `make test-long`."""
    return [
        pytest.param(*seen, marks=() if turn == often else pytest.mark.long)
        for turn, seen in enumerate(LOOKS)
    ]


@pytest.mark.parametrize(("width", "theme"), one_look(1))
def test_a_sketch_what_is_said_to_it_and_what_is_shared_pass_axe(app, open_page, width, theme):
    page = ready(open_page(app.url + KINDS["sketch"][0]), ".gt-handle")
    page.locator(".gt-handle").first.press("End")
    page.get_by_role("button", name="Commit to this sketch").click()
    page.locator(".st-key-verdict").wait_for()
    page.get_by_text("The sketch as numbers").click()
    ready(page, ".gt-still")
    look(page, width, theme)
    assert broken(page, ".st-key-words") == []
    open_drawers(page, "More settings").locator(".gl-share summary").click()
    page.get_by_role("button", name="Copy link").click()
    still(page)
    assert broken(page, ".gl-share") == []


@pytest.mark.parametrize(("width", "theme"), one_look(0))
def test_a_fix_and_what_is_said_to_it_pass_axe(app, open_page, width, theme):
    page = ready(open_page(app.url + KINDS["bug"][0]), ".gt-code")
    page.locator(".st-key-tiles button").first.click()
    page.locator('[class*="st-key-reply_"]').first.wait_for()
    ready(page, ".gt-code")
    look(page, width, theme)
    assert broken(page, ".st-key-words") == []


STAMP = """() => {
  const operable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  const there = (node) =>
    node.checkVisibility({ visibilityProperty: true }) && !node.disabled && node.tabIndex >= 0 &&
    !node.closest('[inert], [aria-hidden="true"]') &&
    !(node.type === 'radio' && !node.checked &&
      document.querySelector(`input[name="${node.name}"]:checked`));
  // How a thing looks, with what stands around it: a focus ring may be drawn on any of these.
  window.look = (node) =>
    [node, node.nextElementSibling, node.firstElementChild, node.parentElement,
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
@pytest.mark.parametrize(
    "kind",
    [
        "sketch",
        "playground",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("home", "choice", "teach")),
    ],
)
def test_keyboard_alone_reaches_everything_and_shows_where_it_is(app, open_page, kind):
    path, selector = KINDS[kind]
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


def test_the_search_dialog_gives_focus_back(app, open_page):
    page = ready(open_page(app.url + KINDS["glossary"][0]), ".gt-asked")
    button = page.get_by_role("button", name="Search")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Search the course")).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
