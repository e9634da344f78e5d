"""The lab of a lesson: what is set, refused, and what stands in the address."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import asked, cells, control, ready

pytestmark = pytest.mark.browser

LESSON = "/stop_gradient?lesson=wrong_place&step=3"


def test_what_is_set_goes_into_the_address_without_a_new_history_entry(bare, open_page):
    page = ready(open_page(bare + LESSON))
    entries = page.evaluate("history.length")
    control(page, "x").fill("4, -4")
    control(page, "noise_high", "input[type=range]").press("ArrowRight")
    page.wait_for_function(
        "location.search.includes('noise_high=1.51') && location.search.includes('x=')"
    )
    assert asked(page)["x"] == "4, -4"
    assert float(asked(page)["noise_high"]) == pytest.approx(1.51)  # the step sets 1.5
    assert page.evaluate("history.length") == entries


BAD = [
    ("x", "a, b", "not a number"),
    ("x", "", "empty"),
    ("x", "1," * 9_999 + "1", "at most|characters"),
    ("x", "NaN", "not a number"),
    ("draws", "-3", "outside"),
    ("noise_low", "1.9", "above"),
]


def test_bad_input_is_refused_beside_its_field_and_the_picture_stays(bare, open_page):
    page = ready(open_page(bare + LESSON))
    before = cells(page)
    for name, text, said in BAD:
        field = control(page, name, "input:not([type=range])")
        good = field.input_value()
        field.fill(text)
        error = page.locator(f'[data-control="{name}"] .gl-error')
        expect(error).to_contain_text(re.compile(said))
        assert cells(page) == before
        assert page.locator("[data-figure=gradient] .trace").count() > 0
        expect(field).to_have_value(text)
        field.fill(good)
        expect(error).to_be_empty()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("x=a&draws=1e99&noise_low=9", "not a number"),
        ("evil=%3Cscript%3Ealert(1)%3C/script%3E", "evil"),
        ("x=" + "1," * 9_000, "at most|characters"),
        ("device=cuda:7", "no device cuda:7"),
    ],
    ids=lambda query: query[:40],
)
def test_what_an_address_asks_in_vain_is_said_and_the_rest_is_there(bare, open_page, query, said):
    page = ready(open_page(f"{bare}/stop_gradient?lesson=wrong_place&{query}"))
    assert len(cells(page)) >= 1
    expect(page.locator(".gl-lab")).to_contain_text(re.compile(said))


def test_the_line_of_the_trick_is_marked_in_the_code(bare, open_page):
    page = ready(open_page(bare + LESSON))
    expect(page.locator(".gt-code mark")).to_have_text("    yu_fixed = stop_gradient(yu - y) + y\n")


def test_a_slider_is_moved_by_keyboard_alone(bare, open_page):
    page = ready(open_page(bare + LESSON))
    before = cells(page)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(
            "document.activeElement.type === 'range' &&"
            "document.activeElement.closest('[data-control=noise_high]') !== null"
        ):
            break
    else:
        pytest.fail("Tab never reached the slider")
    for key in ("ArrowRight", "PageUp", "End", "Home", "PageDown", "ArrowLeft"):
        page.keyboard.press(key)
    page.keyboard.press("End")
    page.wait_for_function("location.search.includes('noise_high=2')")
    assert cells(page) != before
