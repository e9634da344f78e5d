"""Takes pictures of the real app in a real browser: `python -m tests.support.screenshots`.

Every page and lesson at three sizes, light and dark, into test-results/looks/, which git ignores:
to look at. Words after the command choose pages by name (`home`, `flip`). `--steps` takes every
step of a lesson, not the first alone. `--readme` takes the pictures of the README, and no others,
into tests/screenshots/.
"""

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from lessons.outputs.catalogue import lessons
from pages.ui.words import WORDS
from tests.browser.looking import LAB
from tests.browser.test_accessibility import STATES, nothing
from tests.support.browser import Theme, launch
from tests.support.server import ROOT, streamlit

Look = tuple[int, int, Theme]
README = ROOT / "tests" / "screenshots"
README_LOOKS: dict[str, Look] = {
    "light": (1280, 800, "light"),
    "dark": (1280, 800, "dark"),
    "phone": (390, 844, "light"),
}
README_PAGES = {
    "home": "/",
    "lesson": "/stop_gradient?lesson=wrong_place&step=3&noise_low=0.5&noise_high=1.5",
}

LOOKS = ROOT / "test-results" / "looks"
THEMES: tuple[Theme, ...] = ("light", "dark")
SIZES = {"wide": (1280, 800), "tablet": (820, 1180), "phone": (390, 844)}
TALLEST = 6000
"""Pixels of a page that a picture shows."""

PAGES = {name: path for name, (path, _, act) in STATES.items() if act is nothing} | {
    "search": "/",
    "no_page": "/no_such_page",
    "no_lesson": "/stop_gradient?lesson=no_such_lesson",
    "no_term": "/glossary?term=no_such_term",
    "bad_values": "/stop_gradient?lesson=wrong_place&x=a&draws=1e99&evil=1&cuts=nothing:0",
    "bad_program": "/playground?program=%7B%22program%22%3A%22y%20%3D%20(x%22%7D",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="pages or lessons; all if none is named")
    parser.add_argument("--steps", action="store_true", help="every step of a lesson")
    parser.add_argument("--readme", action="store_true", help="the pictures of the README")
    asked = parser.parse_args()
    with (
        streamlit(ROOT / "app.py") as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        if asked.readme:
            for (kind, look), (name, path) in itertools.product(
                README_LOOKS.items(), README_PAGES.items()
            ):
                take(browser, server.url + path, look, README / f"{name}-{kind}.png")
            return
        for name, path in places(asked.steps):
            if asked.names and name.split("-")[0] not in asked.names:
                continue
            for (size, (width, height)), theme in itertools.product(SIZES.items(), THEMES):
                file = LOOKS / f"{name}-{size}-{theme}.png"
                take(
                    browser, server.url + path, (width, height, theme), file, whole=name != "search"
                )
            print(name)
    print(f"The pictures are in {LOOKS}")


def places(steps: bool) -> Iterator[tuple[str, str]]:
    """Names and paths of what there is to see."""
    yield from PAGES.items()
    for lesson in lessons():
        path = f"/{lesson.chapter}?lesson={lesson.slug}"
        if steps:
            for number in range(1, len(lesson.prose.steps) + 1):
                yield f"{lesson.slug}-{number}", f"{path}&step={number}"
        else:
            yield lesson.slug, path


def take(browser: Browser, url: str, look: Look, file: Path, whole: bool = False) -> None:
    """One picture, by a visitor who comes for the first time.

    Args:
        look: width, height, theme.
        whole: the page to its end, not the window alone.
    """
    width, height, theme = look
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    page.goto(url)
    settle(page)
    if file.name.startswith("search"):
        page.get_by_role("button", name=WORDS("search")).click()
        page.keyboard.type("gradient")
        page.wait_for_timeout(300)
    if whole:
        tall = page.evaluate("document.querySelector('.stMain').scrollHeight")
        page.set_viewport_size({"width": width, "height": min(max(tall, height), TALLEST)})
        page.wait_for_timeout(500)
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=file)
    context.close()


def settle(page: Page) -> None:
    """Wait until the page has run, its lab is drawn and its fonts are there."""
    page.locator('.stApp[data-test-script-state="notRunning"]').wait_for()
    page.locator("h1, [data-testid=stDialog]").first.wait_for()
    if page.locator(".gl-lab").count():
        page.locator(LAB).wait_for()
    page.wait_for_timeout(1500)


if __name__ == "__main__":
    main()
