"""Results of a learner: as files, and told by a framed lesson to the page around it, where
third-party cookies are blocked.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from lessons.outputs.catalogue import find
from lessons.outputs.typed import Typed
from pages.ui.memory import COOKIE, Trail, pack
from pages.ui.words import WORDS
from tests.browser.looking import LAB, becomes, elsewhere, says
from tests.support.browser import launch, new_page
from tests.support.present import present
from tests.support.server import Server

pytestmark = pytest.mark.browser

FLIP = find("flip")
BUG = present(FLIP.bug)
HEARS = """<script>
heard = [];
addEventListener("message", ({ origin, data }) => {
  if (data.type?.startsWith("gradient-tricks")) heard.push({ origin, data });
});
</script>"""


@pytest.fixture(scope="module")
def strict(playwright: Playwright) -> Iterator[Browser]:
    """A browser that blocks cookies of third parties."""
    with launch(playwright, "--test-third-party-cookie-phaseout") as strict:
        yield strict


@pytest.fixture
def page(strict: Browser) -> Iterator[Page]:
    page = new_page(strict, viewport={"width": 1280, "height": 800})
    yield page
    page.close()


def test_a_framed_lesson_remembers_keeps_to_itself_and_tells(app: Server, page: Page) -> None:
    address = f"{app.url}/reversal?lesson=wrong_ways&step=2&embed=true"
    with elsewhere(f"{HEARS}<iframe src='{address}' width=1200 height=700></iframe>") as site:
        page.goto(site)
        lesson = page.frame_locator("iframe")
        expect(lesson.locator(LAB)).to_be_visible()
        becomes(page, lambda: page.evaluate("heard.length"), 1)
        assert page.evaluate("heard[0].data.answered") == 0
        within = ".st-key-turn nav a, [href^='#'], [target=_blank][rel~=noopener]"
        expect(lesson.locator(f"a:not({within})")).to_have_count(0)
        expect(lesson.locator(".st-key-search button, .stPageLink")).to_have_count(0)

        lesson.locator(".st-key-tiles button").first.click()
        becomes(page, lambda: page.evaluate("heard.at(-1).data.answered"), 1)
        told = page.evaluate("heard.at(-1)")
        assert told["origin"] == app.url
        assert (told["data"]["type"], told["data"]["version"]) == ("gradient-tricks/results", 1)
        assert told["data"]["answers"][0]["lesson"] == "wrong_ways"
        becomes(page, lambda: COOKIE in [one["name"] for one in page.context.cookies()], True)
        (kept,) = (one for one in page.context.cookies() if one["name"] == COOKIE)
        assert (kept["sameSite"], kept["secure"]) == ("None", True)
        assert present(kept["partitionKey"]).startswith("http://localhost")

        page.reload()
        expect(lesson.locator(".st-key-verdict")).to_be_visible()
        becomes(page, lambda: page.evaluate("heard.at(-1)?.data.answered"), 1)


def test_a_learner_downloads_the_results_of_the_lesson(app: Server, page: Page) -> None:
    trail = Trail(len(FLIP.prose.steps))
    said = {"reversed": "0000000", "twice": str(Typed(12, "product", 12)), "bug": BUG.right()}
    for question in FLIP.prose.questions[:3]:
        trail.commit(question, said[question.name], question.name != "reversed")
    page.context.add_cookies(
        [{"name": COOKIE, "value": pack({"flip": trail}, {}), "url": app.url}],
    )
    page.goto(f"{app.url}/reversal?lesson=flip&step={trail.step}&embed=true")
    page.get_by_role("textbox", name=WORDS("your_answer")).fill("0")
    page.get_by_role("button", name=WORDS("answer"), exact=True).click()

    def downloaded(name: str) -> str:
        with page.expect_download() as download:
            page.get_by_role("button", name=says("download", name=name)).click()
        assert download.value.suggested_filename == name
        return Path(download.value.path()).read_text("utf-8")

    told = json.loads(downloaded("flip-results.json"))
    assert told["done"]
    assert [one["right"] for one in told["answers"]] == [False, True, True, True]
    lines = downloaded("flip-results.csv").splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["flip"] * 4
