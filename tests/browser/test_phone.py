"""A lesson on a phone, in one column: nothing jumps, and text and lab are a press apart."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import ran, ready
from tests.browser.test_first_use import stands
from tests.support.amount import also

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
# How slow this machine is, is not asked: a patient page waits until all of its text is there.
SHIFTS = """
const later = window.setTimeout;
window.setTimeout = (work, ms, ...more) => later(work, ms === 6000 ? 60000 : ms, ...more);
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const moved = sources.map(({ node }) => node?.textContent?.slice(0, 40));
    if (!hadRecentInput) shifts.push([value, moved]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize(
    "address",
    [
        "/stop_gradient?lesson=noise_leaks&step=2",  # a question
        "/override_map?lesson=clip_identity&step=2",  # a sketch
        "/reversal?lesson=moons&step=2",  # a training
        *also(
            "/stop_gradient?lesson=noise_leaks&step=5",  # a bug to find
            "/in_the_wild?lesson=codebook&step=1",
            "/gone_missing?lesson=cut_by_accident&step=1",
        ),
    ],
)
def test_nothing_jumps_while_a_step_loads(address, app, open_page):
    page = ready(open_page(app.url + address, **PHONE, script=SHIFTS))
    page.wait_for_timeout(1500)  # in which what comes late would move the rest
    shifts = page.evaluate("shifts")
    assert sum(value for value, _ in shifts) < 0.05, shifts


def test_a_press_leads_from_the_lab_back_to_the_text(app, open_page):
    page = ready(open_page(app.url + "/stop_gradient?lesson=right_place&step=3", **PHONE))
    back = page.get_by_role("button", name="Back to the text")
    expect(back).to_be_hidden()  # the text is in sight
    page.get_by_role("button", name="See the graph").click()
    expect(page.locator(".gl-graph .gl-svg")).to_be_in_viewport(ratio=0.5)
    expect(back).to_be_in_viewport(ratio=1)
    assert back.bounding_box()["height"] >= 44
    search = page.get_by_role("button", name="Search").bounding_box()
    box = back.bounding_box()
    assert box["x"] + box["width"] <= search["x"]
    back.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-words h2")).to_be_in_viewport(ratio=1)
    expect(page.locator(".st-key-words")).to_be_focused()
    expect(back).to_be_hidden()
    # Next from far below begins at the new step's beginning.
    page.locator(".st-key-next button").click()
    expect(page.locator(".gt-eyebrow")).to_contain_text("Step 4 of")
    heading = page.locator(".st-key-words h2")
    stands(page, heading, 61, 250, 600)  # in which it would have scrolled on
    # Beside the text nothing leads back to it.
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator(".gl-scroll").scroll_into_view_if_needed()
    expect(back).to_be_hidden()


def test_at_four_times_the_size_nothing_in_the_header_lies_over_another(app, open_page):
    """400 % in a window of 1280 by 1024."""
    url = app.url + "/stop_gradient?lesson=right_place&step=3"
    page = ready(open_page(url, width=320, height=256))
    page.get_by_role("button", name="See the graph").click()
    back = page.get_by_role("button", name="Back to the text")
    expect(back).to_be_in_viewport(ratio=1)
    box, search = back.bounding_box(), page.get_by_role("button", name="Search").bounding_box()
    assert box["x"] + box["width"] <= search["x"]
    assert box["height"] >= 44


def test_at_four_times_the_size_a_table_of_the_page_moves_nothing_sideways(app, open_page):
    page = ready(open_page(app.url + "/playground", width=320, height=256))
    fits = "(one) => one.scrollWidth <= one.clientWidth"
    main = page.locator(".stMain").element_handle()
    page.locator(".stMain .stMarkdown table").first.wait_for(state="attached")
    ran(page)
    for one in page.locator(".stMain details:has(.stMarkdown table)").all():
        one.locator("summary").click()
        expect(one.locator("table")).to_be_visible()
        page.wait_for_function(fits, arg=main)
    assert page.locator(".stMain .stMarkdown table").count() > 0
