"""What a learner takes from a lab: its address, and its charts as pictures."""

import re
import struct
from pathlib import Path

import pytest

from lessons.outputs.catalogue import find
from tests.browser.looking import DRAWING, MORE, open_drawers, ready, says
from tests.conftest import OpenPage
from tests.support.server import Server

pytestmark = pytest.mark.browser

LESSON = "/reversal?lesson=flip&step=3&scale=2.5"


def test_a_lab_is_taken_away(app: Server, open_page: OpenPage) -> None:
    """Under the policy that the pages come with: it refuses pictures that are blobs."""
    page = ready(open_page(app.url + LESSON))
    open_drawers(page, "curves", MORE)
    page.locator("[data-figure=curves] .js-plotly-plot").wait_for()
    page.evaluate(DRAWING)
    page.locator(".gl-share summary").click()
    page.get_by_role("button", name=says("copy_link")).click()
    text = page.get_by_label(says("to_copy"))
    assert text.input_value() == page.evaluate("location.href")
    assert "scale=2.5" in text.input_value()
    with page.expect_download() as download:
        page.locator(".gl-pictures button").nth(1).click()
    assert download.value.suggested_filename == "curves.png"
    png = Path(download.value.path()).read_bytes()
    width, height = struct.unpack(">II", png[16:24])
    assert png[:4] == b"\x89PNG"
    assert min(width, height) > 400
    assert len(png) > 8_000, "something is drawn"
    drawing = page.evaluate("drawing")
    assert page.locator("[data-figure=curves] .gl-title").inner_text() in drawing
    assert re.sub(r"[`*]", "", find("flip").title) in drawing
    assert "/reversal?lesson=flip&amp;step=3&amp;scale=2.5</text>" in drawing
    assert "@font-face" in drawing
    assert "data:font/woff2;base64," in drawing
