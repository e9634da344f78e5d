"""The playground in the app: come back to, come to from a lesson, its files."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.looking import ready
from tests.browser.test_playground import PAGE, number, program, shows, write

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_the_first_undo_after_coming_back_is_heard(app, open_page):
    page = ready(open_page(app.url + PAGE))
    text = program(page).input_value()
    for power in ("4", "6"):
        write(page, text.replace("x**2", f"x**{power}"))
        shows(page, "y", "value", "16, 1, 1" if power == "4" else "64, 1, 1")
    page.get_by_role("button", name="Undo").click()
    shows(page, "y", "value", "16, 1, 1")
    page.get_by_role("link", name="Glossary").first.click()
    page.wait_for_url("**/glossary*")
    expect(page.locator(".gl-lab")).to_have_count(0)
    page.get_by_role("link", name="Playground").first.click()
    page.wait_for_url("**/playground*")
    ready(page)
    shows(page, "y", "value", "16, 1, 1")
    page.get_by_role("button", name="Undo").click()
    shows(page, "y", "value", "4, 1, 1")
    expect(program(page)).to_have_value(text)


@pytest.mark.long  # on a commit test_wire.py has the file of a lesson
def test_the_downloaded_file_runs_and_agrees_with_the_screen(app, open_page, alone, tmp_path):
    page = ready(open_page(f"{app.url}{PAGE}?preset=guided_relu"))
    page.get_by_text("Take it with you").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download for torch").click()
    file = tmp_path / "exported.py"
    download.value.save_as(file)
    gradient = json.loads(alone.run(tmp_path, [["exported.py"]])[0])["trick_gradient"]["x"]
    shown = [number(page, row, "autograd").replace("−", "-") for row in ("x₁", "x₂")]
    assert [float(text) for text in shown] == pytest.approx(gradient, rel=1e-4)


def test_a_lesson_opens_its_program_here_and_again(app, open_page):
    page = ready(open_page(f"{app.url}/reversal?lesson=flip"))
    for _ in range(2):
        page.get_by_role("link", name="Open this program").click()
        page.wait_for_url("**/playground*")
        expect(program(page)).to_have_value("y = flip_gradient(x, 2)\nout = y**3 + 2 * x")
        shows(page, "x₃", "autograd", "−4")
        write(page, "y = 7 * x")
        shows(page, "x₃", "autograd", "7")
        page.wait_for_timeout(500)
        page.get_by_role("link", name="Reversal").first.click()
        page.wait_for_url("**/reversal*")
        ready(page)
