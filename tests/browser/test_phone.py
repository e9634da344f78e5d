"""A lesson on a phone, in one column: nothing jumps, and text and lab are a press apart."""

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.browser.looking import PATIENT, becomes, ran, ready
from tests.browser.test_first_use import stands
from tests.support.amount import also

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
TOUCHED = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
SHIFTS = (
    PATIENT
    + """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const moved = sources.map(({ node }) => node?.textContent?.slice(0, 40));
    if (!hadRecentInput) shifts.push([value, moved]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
)


@pytest.mark.parametrize(
    "address",
    [
        "/override_map?lesson=clip_identity&step=2",  # a sketch
        *also(
            "/stop_gradient?lesson=noise_leaks&step=2",  # a question
            "/reversal?lesson=moons&step=2",  # a training
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


@pytest.mark.long
def test_no_line_breaks_anew_once_its_font_has_come(app, browser: Browser):
    held: list[Route] = []
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.add_init_script(SHIFTS)
    page.route(
        "**/*.woff2", lambda route: held.append(route)
    )  # playwright takes no method of a list
    page.goto(app.url + "/stop_gradient?lesson=noise_leaks&step=2", wait_until="commit")
    page.wait_for_selector(".st-key-turn p", state="attached", timeout=90_000)
    page.wait_for_timeout(300)  # all of the text is there, its fonts are not
    page.route("**/*.woff2", lambda route: route.continue_())
    for route in held:
        route.continue_()
    ready(page).wait_for_timeout(1500)
    shifts = page.evaluate("shifts")
    context.close()
    assert sum(value for value, _ in shifts) < 0.01, shifts


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


def tap(one: Locator) -> None:
    """With a finger, which leaves its hover behind."""
    box = one.bounding_box()
    assert box
    one.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_from_the_text_to_a_graph_and_on_with_a_finger(app, browser: Browser):
    with browser.new_context(**TOUCHED) as context:
        page = context.new_page()
        page.goto(app.url + "/stop_gradient?lesson=two_passes&step=3")
        ready(page)
        look = """one => ["backgroundColor", "borderColor"]
            .map((name) => getComputedStyle(one)[name])"""
        turn = page.locator(".st-key-next button")
        rests = turn.evaluate(look)
        page.get_by_role("button", name="See the graph").click()
        expect(page.locator(".gl-graph")).to_be_in_viewport(ratio=0.9)
        turn.scroll_into_view_if_needed()
        tap(turn)
        expect(page.locator(".gt-eyebrow")).to_contain_text("Step 4 of")
        expect(turn).to_contain_text("Skip the question")
        ran(page)
        expect(page.locator(".st-key-words")).to_be_focused()  # the new step has been scrolled to

        def is_under_the_hand() -> bool:
            turn.scroll_into_view_if_needed()
            box = turn.bounding_box()
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            return turn.evaluate("one => one.matches(':hover')")

        becomes(page, is_under_the_hand, True)
        assert turn.evaluate(look) == rests, "looks as if it were the one to press"


def test_of_a_tall_graph_the_step_is_in_sight(app, browser: Browser):
    """Within its box, from See the graph to the last Next."""
    clear = """(id) => {
        const at = document.querySelector('.gl-node[data-step="current"]');
        const { top, bottom } = at.getBoundingClientRect();
        const box = document.querySelector(".gl-drawing").getBoundingClientRect();
        return at.dataset.id === id && top >= box.top && bottom <= box.bottom;
    }"""
    with browser.new_context(**TOUCHED) as context:
        page = context.new_page()
        page.goto(app.url + "/stop_gradient?lesson=wrong_place&step=3")
        ready(page)
        page.get_by_role("button", name="See the graph").click()
        nodes = "sqrt", "sqrt", "add", "stop_gradient", "pow"
        for index, node in enumerate(nodes):
            if index:
                tap(page.locator(".gl-stepper").get_by_role("button", name="Next"))
            page.wait_for_function(clear, arg=node)
        page.locator(".gl-stepper .gl-range").press("ArrowLeft")
        page.wait_for_function(clear, arg="stop_gradient")


@pytest.mark.parametrize(("step", "leads"), [(4, 1), (5, 0), *also((7, 0))])
def test_no_press_leads_to_a_lab_that_shows_another_program(step, leads, app, open_page):
    page = ready(open_page(f"{app.url}/stop_gradient?lesson=two_passes&step={step}", **PHONE))
    expect(page.locator(".st-key-turn button").first).to_be_visible()
    expect(page.locator("[data-see]")).to_have_count(leads)


@pytest.mark.long
def test_a_fix_of_one_call_is_read_on_one_line(app, open_page):
    page = ready(open_page(app.url + "/stop_gradient?lesson=two_passes&step=5", **PHONE))
    page.get_by_text("Keep the graph with").click()
    page.get_by_role("button", name="Run the assertion").click()
    added = page.locator(".st-key-bug ins.gt-row")
    expect(added).to_contain_text("d_loss.backward(retain_graph=True)")
    size = page.locator(".st-key-bug .gt-wrap").last.evaluate(
        "one => parseFloat(getComputedStyle(one).fontSize)"
    )
    assert added.bounding_box()["height"] < 2 * size, "it goes on in another line"
    # Nor does iOS zoom in on what is typed.
    page.goto(app.url + "/stop_gradient?lesson=two_passes&step=7")
    field = page.locator(".st-key-question input")
    assert field.evaluate("one => getComputedStyle(one).fontSize") == "16px"


def test_hand_and_eye_are_together_where_a_network_trains(app, browser: Browser):
    with browser.new_context(**TOUCHED) as context:
        page = context.new_page()
        page.goto(app.url + "/reversal?lesson=moons&step=2")
        ready(page)
        # The chart that the text speaks of is the first, in the first picture too.
        chart = page.locator("[data-figure=accuracy]")
        tops = page.locator(".gl-figures > .gl-figure").evaluate_all(
            "all => all.map((one) => [one.getBoundingClientRect().top, one.dataset.figure])"
        )
        assert min(tops)[1] == "accuracy", tops
        page.locator('[data-control="scale"]').evaluate(
            "one => { one.style.scrollMarginTop = '60px'; one.scrollIntoView(); }"
        )
        expect(chart).to_be_in_viewport(ratio=0.6)
        # Share stands clear of the line above it.
        above = page.locator(".gl-trainer .gl-trained").bounding_box()
        share = page.locator(".gl-share > summary").bounding_box()
        assert share["y"] >= above["y"] + above["height"]
        page.goto(app.url)
        ready(page)
        first = page.locator("[data-figure=gradient]").bounding_box()["y"]
        assert first < page.locator("[data-figure=forward]").bounding_box()["y"]


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
