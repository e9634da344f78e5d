"""Takes pictures of lessons in a real browser: `python -m tests.support.screenshots flip`.

Every step of the lessons that are named, at three sizes, light and dark, into test-results/looks/,
which git ignores: to look at. Without a name it takes the pictures of the README, into
tests/screenshots/.
"""

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from lessons.outputs.catalogue import find
from tests.browser.looking import LAB
from tests.support.browser import launch, new_page
from tests.support.server import ROOT, streamlit

README = ROOT / "tests" / "screenshots"
README_PAGES = {
    "home": "/",
    "lesson": "/stop_gradient?lesson=wrong_place&step=3&noise_low=0.5&noise_high=1.5",
}
LOOKS = ROOT / "test-results" / "looks"
SIZES = {"wide": (1280, 800), "tablet": (820, 1180), "phone": (390, 844)}
TALLEST = 6000
"""Pixels of a page that a picture shows."""


def pictures(slugs: Sequence[str]) -> Iterator[tuple[Path, str, str, str]]:
    """The file of each picture, and the path, size and theme of what it shows."""
    if not slugs:
        for name, path in README_PAGES.items():
            for look, size, theme in (
                ("light", "wide", "light"),
                ("dark", "wide", "dark"),
                ("phone", "phone", "light"),
            ):
                yield README / f"{name}-{look}.png", path, size, theme
    for lesson in map(find, slugs):
        numbers = range(1, len(lesson.prose.steps) + 1)
        for number, size, theme in itertools.product(numbers, SIZES, ("light", "dark")):
            path = f"/{lesson.chapter}?lesson={lesson.slug}&step={number}"
            yield LOOKS / f"{lesson.slug}-{number}-{size}-{theme}.png", path, size, theme


def main(slugs: Sequence[str]) -> None:
    with (
        streamlit(ROOT / "app.py") as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        for file, path, size, theme in pictures(slugs):
            width, height = SIZES[size]
            viewport = {"width": width, "height": height}
            page = new_page(browser, viewport=viewport, color_scheme=theme)
            page.goto(server.url + path)
            page.locator('.stApp[data-test-script-state="notRunning"]').wait_for()
            page.locator("h1").first.wait_for()
            if page.locator(".gl-lab").count():
                page.locator(LAB).wait_for()
            page.wait_for_timeout(1500)  # fonts and charts
            if slugs:  # the page to its end, not the window alone
                tall = page.evaluate("document.querySelector('.stMain').scrollHeight")
                page.set_viewport_size({"width": width, "height": min(max(tall, height), TALLEST)})
                page.wait_for_timeout(500)
            file.parent.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=file)
            page.close()
            print(file)


if __name__ == "__main__":
    main(sys.argv[1:])
