"""Fixtures for tests that drive the labs and the app in a real browser.

`bare` is where the labs are alone on their pages, without Streamlit: what concerns a lab and not
what is around it goes there. `app` is the app, served once for all tests.
`open_page(url, width=1280, height=800, theme="light")` opens a page as a new visitor, who finds
nothing of another's, with `script` run in it before the page's own; the test fails when anything on
it was reported as an error in the browser's console, but what `expected` finds, and a failed test
leaves in test-results/ what its pages looked like.

Playwright keeps an event loop running in this thread: a test cannot call asyncio.run, and has `run`
of tests.server.asgi instead.
"""

import gc
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import Literal

import pytest
from hypothesis import settings
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    expect,
    sync_playwright,
)
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from pages.server.limits import cores
from tests.support.alone import Alone, python_alone
from tests.support.amount import LONG, cases
from tests.support.browser import PATIENCE, Theme, launch_shell_with_profile, new_context
from tests.support.present import present
from tests.support.server import ROOT, Server, streamlit
from tests.support.visitor import Tabs, arrive

Heard = Literal["console", "pageerror"]
OpenPage = Callable[..., Page]
RESULTS = ROOT / "test-results"
FAILED = pytest.StashKey[bool]()
# In CI nobody sees the screenshots: this shows whether a lab came, and whether it was ready.
PAGE_STATE = """() => [...document.querySelectorAll(".gl-lab, .stApp")].map((one) =>
  `${one.className} ${JSON.stringify(one.dataset)}`
).concat(document.body.innerText.slice(0, 4000)).join("\\n")"""
BROWSER = ("tests/browser/", "tests/doctor/test_page.py", "tests/pages/test_whole_app.py")
# Files that share what takes long to start or to compute: a fork server, a Python that has loaded
# torch alone, each lesson's result.
SHARED_WORKER = {
    **{
        f"tests/labs/test_{name}.py": "tests/labs/test_messages.py"
        for name in ("lesson", "linked", "numbers", "payload")
    },
    "tests/server/test_trainings.py": "tests/server/test_lanes.py",
    "tests/lessons/test_command_line.py": "tests/lessons/test_plain_torch.py",
}
NOTHING = re.compile("(?!)")

settings.register_profile(
    "ours", deadline=None, max_examples=cases(40, 1000), derandomize=not LONG, print_blob=True
)
settings.load_profile("ours")
expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture(autouse=True)
def _main_stays() -> Iterator[None]:
    """Restore the main module, which AppTest replaces: a process started later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True, scope="module")
def _freeze() -> None:
    """Freeze what earlier files made: the doctor looks through all other objects for optimizers."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def profile(playwright: Playwright) -> Iterator[BrowserContext]:
    with launch_shell_with_profile(playwright) as profile:
        profile.set_default_timeout(1000 * PATIENCE)
        for page in profile.pages:
            page.close()
        yield profile


@pytest.fixture(scope="session")
def tabs(profile: BrowserContext) -> Tabs:
    return Tabs(profile)


@pytest.fixture(scope="session")
def browser(profile: BrowserContext) -> Browser:
    """For contexts of one's own, that begin without caches."""
    return present(profile.browser)


@pytest.fixture(scope="session")
def app() -> Iterator[Server]:
    with streamlit(ROOT / "app.py") as server:
        yield server


@pytest.fixture(scope="session")
def bare() -> Iterator[str]:
    """The address of the labs on pages without Streamlit."""
    from tests.browser.bare import labs

    with labs() as url:
        yield url


@pytest.fixture
def open_page(tabs: Tabs, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """A factory of pages; each page is a visitor of its own."""
    pages: list[Page] = []
    errors: list[str] = []

    with ExitStack() as until_left:

        def heard(page: Page, event: Heard, take: Callable[..., None]) -> None:
            page.on(event, take)
            until_left.callback(page.remove_listener, event, take)

        def open_page(
            url: str,
            width: int = 1280,
            height: int = 800,
            theme: Theme = "light",
            script: str = "",
            expected: re.Pattern[str] = NOTHING,
        ) -> Page:
            def note(message: ConsoleMessage) -> None:
                place, text = message.location["url"], message.text
                if message.type != "error":
                    return
                if not expected.search(text):
                    errors.append(f"console: {text} ({place})")

            page = tabs.newcomer(url, width, height, theme)
            pages.append(page)
            heard(page, "pageerror", lambda error: errors.append(f"uncaught: {error}"))
            heard(page, "console", note)
            until_left.enter_context(page.add_init_script(script))
            arrive(page, url)
            return page

        yield open_page

        failed = request.node.stash.get(FAILED, False) or bool(errors)
        if failed:
            save_screenshots(request.node.name, pages)
    for page in pages:
        tabs.leave(page, keep=not failed)
    assert not errors, "errors in the browser:\n" + "\n".join(errors)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page on a phone whose owner wants no motion."""
    touched = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with new_context(browser, **touched, reduced_motion="reduce") as context:
        yield context.new_page()


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    """Runs exported files, which need torch and nothing of the project."""
    with python_alone(tmp_path_factory.mktemp("alone")) as alone:
        yield alone


def pytest_sessionstart(session: pytest.Session) -> None:
    """Make ready who runs tests; the process that hands them out to workers needs none of it."""
    if session.config.pluginmanager.has_plugin("dsession"):
        return
    from lessons.outputs.process import suit_small_tensors

    suit_small_tensors()  # as the app does: with other workers beside, it saves minutes
    gc.disable()  # while modules are loaded and tests collected, all of which stays


def pytest_collection_finish() -> None:
    """Freeze all loaded objects, as the app does: the garbage collector needn't walk them."""
    gc.enable()
    gc.freeze()


class BrowserApart(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Schedule tests by file. The first worker runs the browser tests; an idle one takes some over.

    Two browsers all the time took longer on two cores, and one to the end left a core idle. More
    browsers than cores help nobody, and each starts a server of its own.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        # A file's tests share what it computed, so one worker gets them. This file's share nothing.
        return nodeid if file.endswith("test_every_lesson.py") else SHARED_WORKER.get(file, file)

    def _assign_work_unit(self, node: WorkerController) -> None:
        place = self.nodes.index(node)
        own = (scope for scope in self.workqueue if scope.startswith(BROWSER) == (place == 0))
        if scope := next(own, None):
            self.workqueue.move_to_end(scope, last=False)
        elif place >= max(2, cores()):
            node.shutdown()
            return
        super()._assign_work_unit(node)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than cores: those that drive a browser wait for it much of their time."""
    return cores() + ("not (browser" not in config.option.markexpr)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    config.option.loadscopereorder = False  # not by how many tests a file has, but as below
    return BrowserApart(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as slow what is given a lesson that trains, or a Python of its own."""
    from lessons.contract.lesson import Lesson
    from lessons.outputs.catalogue import lessons_by_slug

    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = (lessons_by_slug().get(one) if isinstance(one, str) else one for one in given)
    trains = any(isinstance(one, Lesson) and one.lab.training for one in named)
    if trains or "alone" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with slow tests first: a long one begun last would leave the others idle.

    The browser's files that need the app precede the rest: a worker that helps later needs none.
    """
    counted = (item for item in items if any(map(item.get_closest_marker, ("slow", "long"))))
    slow = Counter(item.path for item in counted)
    app = {item.path for item in items if "app" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: (-slow[item.path], item.path not in app))


def save_screenshots(name: str, pages: list[Page]) -> None:
    RESULTS.mkdir(exist_ok=True)
    for number, page in enumerate(pages, 1):
        if not page.is_closed():
            file = re.sub(r"[^\w.-]+", "-", f"{name}-{number}") + ".png"
            page.screenshot(path=RESULTS / file)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test failed, for `open_page`; show what its server logged and its page says."""
    report = yield
    if report.when == "call" and report.failed:
        item.stash[FAILED] = True
        for name, value in getattr(item, "funcargs", {}).items():
            if isinstance(value, Server):
                report.sections.append((f"server log of {name}", value.log()))
            elif isinstance(value, Page) and not value.is_closed():
                said = value.evaluate(PAGE_STATE)
                report.sections.append((f"what {name} shows", f"{value.url}\n{said}"))
    return report
