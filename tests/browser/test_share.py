"""What a learner takes from a lab: its address, its charts, the lesson embedded in another site."""

import re
import struct
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from lessons.outputs.catalogue import find
from tests.browser.looking import LAB, MORE, elsewhere, open_drawers, ready, says
from tests.support.browser import new_context
from tests.support.server import Server

pytestmark = pytest.mark.browser

LESSON = "/reversal?lesson=flip&step=3&scale=2.5"


def saved(page: Page, form: str) -> bytes:
    """The chart of value and gradient as a picture of this form."""
    with page.expect_download() as download:
        page.locator(".gl-pictures button", has_text=form).nth(1).click()
    assert download.value.suggested_filename == f"curves.{form.lower()}"
    return Path(download.value.path()).read_bytes()


def test_a_lab_is_taken_away_and_stands_in_a_page_of_another_origin(
    app: Server, browser: Browser
) -> None:
    """Under the policy that the pages come with: it refuses pictures that are blobs."""
    context = new_context(browser, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(app.url + LESSON)
    ready(page)
    open_drawers(page, "curves", MORE)
    page.locator("[data-figure=curves] .js-plotly-plot").wait_for()
    page.locator(".gl-share summary").click()
    page.get_by_role("button", name=says("copy_link")).click()
    text = page.get_by_label(says("to_copy"))
    assert text.input_value() == page.evaluate("location.href")
    assert "scale=2.5" in text.input_value()
    png, svg = saved(page, "PNG"), saved(page, "SVG").decode()
    width, height = struct.unpack(">II", png[16:24])
    assert png[:4] == b"\x89PNG"
    assert min(width, height) > 400
    assert len(png) > 8_000, "something is drawn"
    title = page.locator("[data-figure=curves] .gl-title").inner_text()
    assert svg.startswith("<svg")
    assert title in svg
    assert re.sub(r"[`*]", "", find("flip").title) in svg
    assert "/reversal?lesson=flip&amp;step=3&amp;scale=2.5</text>" in svg
    assert "@font-face" in svg
    assert "data:font/woff2;base64," in svg
    page.get_by_role("button", name=says("copy_embed_code")).click()
    code = text.input_value()
    assert 'height="660"' in code

    with elsewhere(code) as address:
        page.goto(address)
        frame = page.frame_locator("iframe").first
        expect(frame.locator(LAB)).to_be_visible()
        frame.locator(".gl-tabs").get_by_role("button", name=MORE).click()
        expect(frame.locator('[data-control="scale"] .gl-exact')).to_have_value("2.5")
        expect(frame.locator(".st-key-turn [aria-current]")).to_have_attribute(
            "aria-label", re.compile("^Step 3: ")
        )
    context.close()
