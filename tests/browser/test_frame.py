"""Results of a learner: as files, and told by a framed lesson to the page around it, where
third-party cookies are blocked, or to a learning platform.
"""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from lessons.contract.typed import Typed
from lessons.outputs.catalogue import find
from lessons.outputs.scorm import framed, package
from pages.ui.memory import COOKIE, Trail, pack
from pages.ui.words import WORDS
from tests.browser.looking import LAB, becomes, elsewhere, says
from tests.support.browser import launch, new_page

pytestmark = pytest.mark.browser

FLIP = find("flip")
RUNTIME = (Path(__file__).parent / "vendor" / "scorm12.min.js").read_bytes()
HEARS = """<script>
heard = [];
addEventListener("message", ({ origin, data }) => {
  if (data.type?.startsWith("gradient-tricks")) heard.push({ origin, data });
});
</script>"""
PLATFORM = """<iframe style="height: 700px; width: 100%"></iframe><script type="module">
import { Scorm12API } from "/runtime.js";
window.begin = (core) => {
  window.API = new Scorm12API({ autocommit: false });
  if (core) API.loadFromJSON({ core }, "");
  document.querySelector("iframe").src = "/index.html?" + Math.random();
};
begin();
</script>"""
CORE = """({ cmi, currentState }) => [
  cmi.core.lesson_status, cmi.core.score.raw, cmi.core.score.max, currentState
]"""
GONE = 2  # the state of a runtime that was told the end


@pytest.fixture
def page(playwright) -> Iterator[Page]:
    """A page in a browser that blocks cookies of third parties."""
    browser = launch(playwright, "--test-third-party-cookie-phaseout")
    yield new_page(browser, viewport={"width": 1280, "height": 800})
    browser.close()


def remember(page: Page, app: str, trail: Trail, site: str) -> None:
    """What this learner did in a frame of that site before."""
    value = pack({"flip": trail})
    named = {"name": COOKIE, "value": value, "domain": "127.0.0.1", "path": "/"}
    foreign = {"secure": True, "sameSite": "None", "partitionKey": site}
    page.context.add_cookies([named | foreign])


def nearly_done(choice: str) -> Trail:
    """At the last step, with all answered but its question; the first one with this choice."""
    trail = Trail(len(FLIP.prose.steps))
    said = {"reversed": choice, "twice": str(Typed(12, "product", 12)), "bug": FLIP.bug.right()}
    for question in FLIP.prose.questions[:3]:
        trail.commit(question, said[question.name], said[question.name] != "nothing")
    return trail


def type_the_last(lesson: FrameLocator, text: str) -> None:
    lesson.get_by_role("textbox", name=WORDS("your_answer")).fill(text)
    lesson.get_by_role("button", name=WORDS("answer"), exact=True).click()


def test_a_framed_lesson_remembers_keeps_to_itself_and_tells(app, page: Page):
    address = framed(FLIP, app.url, "lesson=flip&step=2")
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
        assert told["data"]["answers"][0]["lesson"] == "flip"
        becomes(page, lambda: COOKIE in [one["name"] for one in page.context.cookies()], True)
        (kept,) = (one for one in page.context.cookies() if one["name"] == COOKIE)
        assert (kept["sameSite"], kept["secure"]) == ("None", True)
        assert kept["partitionKey"].startswith("http://localhost")

        page.reload()
        expect(lesson.locator(".st-key-verdict")).to_be_visible()
        becomes(page, lambda: page.evaluate("heard.at(-1)?.data.answered"), 1)


def test_a_learner_downloads_the_results_of_the_lesson(app, page: Page):
    trail = nearly_done("nothing")
    trail.commit(FLIP.prose.questions[3], str(Typed(0, "residual", 0)), right=True)
    page.context.add_cookies(
        [{"name": COOKIE, "value": pack({"flip": trail}), "url": app.url}],
    )
    page.goto(f"{app.url}/reversal?lesson=flip&step={trail.step}")

    def downloaded(name: str) -> str:
        with page.expect_download() as download:
            page.get_by_role("button", name=says("download", name=name)).click()
        assert download.value.suggested_filename == name
        return Path(download.value.path()).read_text("utf-8")

    told = json.loads(downloaded("flip-results.json"))
    assert [one["right"] for one in told["answers"]] == [False, True, True, True]
    lines = downloaded("flip-results.csv").splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["flip"] * 4


def test_a_package_reports_to_a_learning_platform(app, page: Page):
    address = framed(FLIP, app.url, f"lesson=flip&step={len(FLIP.prose.steps)}")
    made = package(FLIP, address)
    assert made == package(FLIP, address)
    index = zipfile.ZipFile(io.BytesIO(made)).read("index.html")
    with elsewhere(PLATFORM, {"index.html": index, "runtime.js": RUNTIME}) as site:
        remember(page, app.url, nearly_done("path"), "http://localhost")
        page.goto(site)
        sco = page.frame_locator("iframe")
        lesson = sco.frame_locator("iframe")

        def reported() -> list[object]:
            return page.evaluate(f"({CORE})(API)")

        expect(lesson.locator(".st-key-turn")).to_be_visible()
        becomes(page, lambda: reported()[:3], ["incomplete", "75", "100"])
        forged = {"type": "gradient-tricks/results", "version": 1, "done": True}
        forged |= {"right": 4, "questions": 4}
        page.evaluate("(data) => frames[0].postMessage(data, '*')", forged)
        page.frames[1].evaluate("new Promise((done) => setTimeout(done, 100))")
        assert reported()[0] == "incomplete", "a message of another page"
        type_the_last(lesson, "0")
        becomes(page, lambda: reported()[:2], ["passed", "100"])
        page.evaluate("document.querySelector('iframe').src = 'about:blank'")
        becomes(page, lambda: reported()[3], GONE)

        page.context.clear_cookies()
        page.evaluate("begin({ lesson_status: 'passed', score: { raw: '100', max: '100' } })")
        expect(lesson.locator(".st-key-turn")).to_be_visible()
        assert reported()[:2] == ["passed", "100"], "a lesson that begins again lowers nothing"
        page.evaluate("document.querySelector('iframe').src = 'about:blank'")

        remember(page, app.url, nearly_done("nothing"), "http://localhost")
        page.evaluate("begin()")
        expect(lesson.locator(".st-key-turn")).to_be_visible()
        becomes(page, lambda: reported()[:2], ["incomplete", "50"])
        type_the_last(lesson, "0")
        becomes(page, lambda: reported()[:2], ["completed", "75"])
