"""Takes the pictures that the README and reviewers look at: `python -m tests.support.screenshots`.

They come from the real app in a real browser, into tests/screenshots/.
"""

import itertools

from playwright.sync_api import sync_playwright

from tests.support.browser import launch
from tests.support.server import ROOT, streamlit

FOLDER = ROOT / "tests" / "screenshots"
LOOKS = {"light": (1280, 800, "light"), "dark": (1280, 800, "dark"), "phone": (390, 844, "light")}
SHOWN = {
    "home": "/",
    "lesson": "/stop_gradient?lesson=wrong_place&step=3&noise_low=0.5&noise_high=1.5",
}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with (
        streamlit(ROOT / "app.py") as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        for (look, size), (name, path) in itertools.product(LOOKS.items(), SHOWN.items()):
            width, height, theme = size
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(server.url + path)
            page.wait_for_selector('.gl-lab[data-ready="true"]')
            page.wait_for_timeout(1500)  # fonts
            page.screenshot(path=FOLDER / f"{name}-{look}.png")
            page.close()


if __name__ == "__main__":
    main()
