"""The bench: everything in sight, everything to be moved, in an address, on a phone, embedded."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.bench.tricks import TRICKS
from lessons.bench.words import label
from lessons.outputs.catalogue import chapters_by_slug
from pages.labs.words import VIEWS
from pages.ui.words import WORDS
from tests.browser.looking import (
    DRAWING,
    FOCUSABLE,
    MORE,
    SPY,
    answered,
    box_of,
    control,
    exact,
    middle,
    node,
    open_drawers,
    pull,
    ran,
    ready,
    says,
)
from tests.conftest import OpenPage
from tests.support.amount import also
from tests.support.server import Server

pytestmark = pytest.mark.browser

PARTS = (
    '[data-control="trick"]', ".gl-svg", '[data-control="in.x.values"]', '[data-control="noise"]',
    '[data-area="a"]', '[data-area="b"]', '[data-figure="a.forward"]', '[data-figure="b.forward"]',
    '[data-figure="a.gradient"]', '[data-figure="b.gradient"]', ".gl-both",
)  # fmt: skip
"""What is in sight at once."""
TOUCHING = """() => [...document.querySelectorAll(".gl-lab :is(.gl-control, .gl-figure, .gl-both)")]
  .filter((one) => one.checkVisibility() && !one.querySelector(".gl-figure"))
  .map((one) => [one.dataset.control ?? one.dataset.figure ?? "", one.getBoundingClientRect()])
  .flatMap(([name, one], place, all) => all.slice(place + 1)
    .filter(([, other]) => one.left < other.right - 1 && other.left < one.right - 1
      && one.top < other.bottom - 1 && other.top < one.bottom - 1)
    .map(([other]) => `${name} over ${other}`))"""
"""Parts that lie over others."""


@pytest.fixture
def page(bare: str, open_page: OpenPage) -> Page:
    """The lab alone."""
    return ready(open_page(bare, script=SPY))


@pytest.fixture
def home(app: Server, open_page: OpenPage) -> Page:
    return ready(open_page(app.url, script=SPY))


def sentence(page: Page) -> Locator:
    return page.locator(".gl-both")


def card(page: Page, trick: str) -> Locator:
    return page.locator(f'.gl-option:has([value="{trick}"])')


def choose(page: Page, name: str, value: str) -> None:
    page.locator(f'[data-control="{name}"] .gl-option:has([value="{value}"])').click()
    answered(page)


def test_after_one_click_all_of_a_trick_is_in_sight(home: Page) -> None:
    page = home
    for trick in TRICKS:
        card(page, trick).click()
        answered(page)
        assert page.locator('[data-area="a"] :is(.gl-control)').first.is_visible(), trick
        for part in PARTS:
            box = box_of(page.locator(part))
            assert box["y"] >= 0, (trick, part)
            assert box["y"] + box["height"] <= 800, (trick, part)
        assert page.evaluate(TOUCHING) == [], trick
        assert len(page.evaluate(FOCUSABLE)) <= 30, trick


def test_a_wide_window_has_no_empty_half_and_on_a_phone_both_stand_side_by_side(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(app.url, 1920, 1080))
    low = box_of(page.locator(".gl-both"))
    assert low["y"] > 850, "the charts take the room"
    assert box_of(page.locator(".gl-lab"))["width"] > 1500
    page.set_viewport_size({"width": 390, "height": 844})
    scroll = "document.querySelector('.stMain').scrollWidth"
    page.wait_for_function(f"{scroll} <= 390")  # charts take their new width one by one
    a, b = (box_of(page.locator(f'[data-figure="{side}.forward"]')) for side in "ab")
    assert a["y"] == b["y"]
    assert a["x"] + a["width"] <= b["x"]
    assert page.evaluate(TOUCHING) == []


def test_an_end_of_the_bracket_is_dragged_and_the_address_brings_it_back(
    home: Page, open_page: OpenPage
) -> None:
    page = home
    expect(sentence(page)).to_contain_text("of A only")
    end = middle(page.locator('[data-bracket="a"] [data-end="1"]'))
    far = box_of(node(page, "sqrt"))
    pull(page, end, far["x"] + far["width"] - end[0])
    page.mouse.up()
    expect(page.locator('[data-control="a.cut"] [value="z"]')).to_be_checked()
    expect(sentence(page)).to_contain_text("neither")
    answered(page)
    choose(page, "b.cut", "none")
    page.get_by_role("button", name=label("new_draw")).click()
    answered(page)
    said = sentence(page).inner_text()
    again = ready(open_page(page.url))
    expect(sentence(again)).to_have_text(said, use_inner_text=True)


def test_each_lane_of_the_graph_shows_whether_its_own_variant_sends_a_gradient(page: Page) -> None:
    """B's lanes are parts of the same edges as A's."""
    choose(page, "a.cut", "everything")
    heads = page.locator(".gl-edge > .gl-back").and_(page.locator(":visible"))
    assert heads.count() == 2, "B's alone"
    choose(page, "a.cut", "none")
    choose(page, "b.cut", "everything")
    assert heads.count() == 3, "A's alone"


def test_a_click_on_an_op_chooses_it_for_both_and_a_rule_changes_the_gradient(page: Page) -> None:
    card(page, "override_map").click()
    answered(page)
    node(page, "mul").click()
    answered(page)
    for side in "ab":
        expect(control(page, f"{side}.op", "select")).to_have_value("mul")
    choose(page, "b.rule", "flip")
    formula = page.locator('[data-area="b"] .gl-formula')
    expect(formula).to_have_text(label("instead_of_own", rules="mul: -grad, -grad"))


def test_all_of_it_works_by_keyboard(page: Page) -> None:
    page.locator('[data-control="trick"] [value="stop_gradient"]').focus()
    page.keyboard.press("ArrowRight")
    answered(page)
    expect(page.locator('[data-control="b.backward"] [value="identity"]')).to_be_checked()
    page.locator('[data-control="b.backward"] [value="identity"]').focus()
    page.keyboard.press("ArrowRight")
    answered(page)
    expect(page.locator('[data-area="b"] .gl-formula')).to_contain_text("clamp")


def test_a_point_in_a_chart_moves_the_input_of_both(page: Page) -> None:
    pull(page, middle(page.locator('[data-figure="b.forward"] .points path').first), -30)
    page.mouse.up()
    answered(page)
    moved = float(exact(page, "in.x.entry").input_value())
    assert moved < -2
    shown = f"at x = {moved:g}".replace("-", "−")
    for side in "ab":
        expect(page.locator(f'[data-figure="{side}.gradient"]')).to_contain_text(shown[:10])


def test_it_leads_to_the_lesson_and_back_with_the_lessons_case(home: Page) -> None:
    page = home
    choose(page, "a.cut", "none")
    choose(page, "b.cut", "yu")
    page.locator(".gl-links a").first.click()
    ready(page)
    expect(page).to_have_url(re.compile("lesson=wrong_place"))
    page.get_by_role("link", name=WORDS("on_the_bench")).click()
    expect(page.locator('[data-control="b.cut"] [value="yu"]')).to_be_checked()


CHAPTERS = [one for one in TRICKS if one != "straight_through"]


@pytest.mark.parametrize("trick", [CHAPTERS[0], *also(*CHAPTERS[1:])])
def test_a_chapter_without_a_lesson_is_the_bench_on_its_trick(
    app: Server, open_page: OpenPage, trick: str
) -> None:
    page = ready(open_page(f"{app.url}/{trick}"))
    expect(card(page, trick).locator("input")).to_be_checked()
    ran(page)
    links = page.locator(".stPageLink a[href*='lesson=']")
    assert links.count() >= len(chapters_by_slug()[trick].lessons)


def test_an_embed_shows_the_bench_alone_and_a_teachers_link_hides_and_locks(
    app: Server, open_page: OpenPage
) -> None:
    page = ready(open_page(f"{app.url}/?embed=true&hide=noise&fix=in.x.values"))
    expect(page.locator('[data-control="noise"]')).to_be_hidden()
    expect(control(page, "in.x.values")).to_be_disabled()
    ran(page)
    assert page.locator(".stPageLink").count() == 0
    page = ready(open_page(f"{app.url}/?fix=in.u.seed"))
    expect(page.get_by_role("button", name=label("new_draw"))).to_be_disabled()


def test_the_link_is_copied_and_says_so(page: Page) -> None:
    copy = page.locator(".gl-links button")
    expect(copy).to_have_text(says("copy_link"))
    copy.click()
    expect(copy).not_to_have_text(says("copy_link"))
    choose(page, "b.cut", "none")
    expect(copy).to_have_text(says("copy_link"))


def test_a_drawer_that_opens_comes_into_sight(page: Page) -> None:
    page.get_by_role("button", name=VIEWS["table"]).click()
    answered(page)
    page.wait_for_function(
        """() => {
          const { top, bottom } = document.querySelector(".gl-table").getBoundingClientRect();
          return top >= 0 && bottom < innerHeight + 1;
        }"""
    )


def test_the_picture_of_the_bench_has_its_charts_its_sentence_and_its_address(home: Page) -> None:
    page = home
    open_drawers(page, MORE)
    page.locator(".gl-share summary").click()
    expect(page.locator(".gl-pictures li").last).to_be_in_viewport()
    titles = page.locator(".gl-pictures li span").all_inner_texts()
    assert len({*titles}) == len(titles), "A's and B's"
    page.evaluate(DRAWING)
    with page.expect_download():
        page.locator(".gl-pictures li", has_text=says("charts_and_sentence")).get_by_role(
            "button"
        ).click()
    words = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", page.evaluate("drawing")))
    assert " ".join(sentence(page).inner_text().split()) in " ".join(words.split())
    assert [one in words for one in ("A: value", "B: value", "B: gradient")] == [True] * 3
    assert page.url.partition("?")[0] in words


def test_a_number_in_the_formula_is_dragged_and_another_trick_leaves_it_as_it_is(
    page: Page,
) -> None:
    card(page, "reversal").click()
    answered(page)
    exact(page, "b.scale").fill("2")
    answered(page)
    formula = page.locator('[data-area="b"] .gl-formula')
    expect(formula).to_contain_text("flip_gradient(x, 2.0)")
    number = formula.locator(".gt-handle")
    expect(number).to_have_text("2.0")
    pull(page, middle(number), 60)
    page.mouse.up()
    answered(page)
    moved = float(exact(page, "b.scale").input_value())
    assert moved > 2.2
    expect(number).to_have_text(str(moved))
    for trick in ("clipping", "reversal"):
        card(page, trick).click()
        answered(page)
    expect(exact(page, "b.scale")).to_have_value(str(moved))
