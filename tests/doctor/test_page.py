"""The page of a trace, opened from the disk without any network: faults, steps, keys, looks."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, BrowserContext, Page, expect

from lessons.gradient_tricks.doctor import Trace, trace
from tests.browser.test_accessibility import broken as broken_by_axe
from tests.doctor import broken, models
from tests.recorder.programs import Program
from tests.support.amount import also
from tests.support.browser import Theme, new_context
from tests.support.present import present

pytestmark = pytest.mark.browser


OpenTrace = Callable[..., Page]
LOOKS: tuple[tuple[int, Theme], ...] = ((1280, "light"), (390, "dark"), (320, "light"))


@pytest.fixture
def open_trace(browser: Browser, tmp_path: Path) -> Iterator[OpenTrace]:
    """Opens a page from a file, offline; what it asks for or complains of fails the test."""
    contexts: list[BrowserContext] = []
    asked: list[str] = []
    wrong: list[str] = []

    def open_(made: Trace, javascript: bool = True) -> Page:
        path = made.save(tmp_path / "trace.html")
        context = new_context(
            browser,
            viewport={"width": 1280, "height": 844},
            offline=True,
            java_script_enabled=javascript,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []
    assert {url.partition("#")[0].rpartition("/")[2] for url in asked} <= {"trace.html"}


def computed(page: Page) -> float:
    """Seconds that the page's process has computed, whatever time a busy machine made it wait."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    assert found["ProcessTime"] > 0
    return float(found["ProcessTime"])


def traced(program: Program, *numbers: float) -> Trace:
    x = torch.tensor(numbers or (1.0, 2.0), dtype=torch.float32, requires_grad=True)
    return trace(program, x)


def test_buttons_and_links_step_through_the_backward_pass(open_trace: OpenTrace) -> None:
    made = traced(lambda x: (x * x).exp().sum())
    page = open_trace(made)
    steps = [step["sentence"] for step in present(made.drawn).spec["steps"]]
    expect(page.locator(".said")).to_have_text(f"Step {len(steps)} of {len(steps)}")
    expect(page.locator(".steps > li:visible")).to_contain_text(steps[-1])
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".said")).to_contain_text("nothing has flowed back yet")
    expect(page.locator(".edge .gradient:visible")).to_have_count(0)
    expect(page.get_by_role("button", name="Back")).to_be_disabled()
    for sentence in steps:
        page.get_by_role("button", name="Next").click()
        expect(page.locator(".steps > li:visible")).to_contain_text(sentence)
    expect(page.locator(".edge[data-ahead]")).to_have_count(0)
    expect(page.locator(".edge .sent").first).to_have_css("fill", "none")
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".said")).to_have_text(f"Step {len(steps) - 1} of {len(steps)}")


def test_a_fault_leads_to_its_node(open_trace: OpenTrace) -> None:
    page = open_trace(traced(broken.edited))
    page.get_by_role("link", name="y was changed by add").click()
    node = page.locator('.node[data-id="exp"]')
    expect(node).to_be_focused()
    expect(node).to_have_attribute("data-stale", "")
    expect(page.locator(".detail")).to_contain_text("the backward pass reads 3.718")
    expect(page.locator(".steps > li:visible")).to_contain_text("y was changed by add")


def test_a_click_and_the_arrows_tell_whole_tensors(open_trace: OpenTrace) -> None:
    page = open_trace(traced(lambda x: (x * x).sum(), 3.0, 4.0))
    page.locator('.node[data-id="mul"]').click()
    expect(page.locator(".detail")).to_contain_text("mul = [9, 16] (2, float32)")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".detail")).to_contain_text("sum")
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text("Before the first")


def test_without_a_script_every_step_is_there_to_read(open_trace: OpenTrace) -> None:
    made = traced(broken.root)
    page = open_trace(made, javascript=False)
    expect(page.locator(".steps > li:visible")).to_have_count(
        len(present(made.drawn).spec["steps"])
    )
    expect(page.locator("button:visible")).to_have_count(0)
    expect(page.locator(".faults > li")).to_have_count(len(made.faults))


@pytest.mark.parametrize("program", [broken.root, *also(broken.edited, broken.item)])
def test_the_page_fits_and_is_accessible(open_trace: OpenTrace, program: Program) -> None:
    page = open_trace(traced(program))
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert broken_by_axe(page) == [], width


@pytest.mark.long  # the recording alone takes seconds
def test_ten_thousand_ops_open_within_two_seconds_of_computing(open_trace: OpenTrace) -> None:
    made = traced(models.loop)
    assert len(made.recording.ops) > 10_000
    page = open_trace(made)
    expect(page.locator(".said")).to_contain_text("Step")
    page.get_by_role("button", name="Back").click()
    expect(page.locator(".node[data-step=current]")).to_have_count(1)
    assert computed(page) < 2
    expect(page.get_by_text("The program ran 10,001 ops")).to_be_visible()


def test_in_a_notebook_it_stands_in_a_frame_of_its_own(
    open_trace: OpenTrace, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>n</title>{traced(broken.root)._repr_html_()}")
    context = new_context(browser, offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Back").click()
    expect(frame.locator(".said")).to_contain_text("Step 5 of 6")
    context.close()
