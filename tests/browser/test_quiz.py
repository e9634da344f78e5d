"""A quiz in a real browser: its tasks are done in the lab, and its end names what was missed."""

import re

import pytest
from playwright.sync_api import Page, expect

from lessons.outputs.quiz import LENGTH, Match, Prediction, quiz
from pages.ui.words import WORDS
from tests.browser.looking import control, edge, press_on, ready
from tests.conftest import OpenPage
from tests.support.amount import also
from tests.support.server import Server

pytestmark = pytest.mark.browser

SEED = 18  # a question, a cut, a move, a question, two charts
VERDICT = ".st-key-verdict"


def toggle(page: Page, name: str, hand: str) -> None:
    """Cut an edge or mend it."""
    if hand == "mouse":
        edge(page, name).locator("text").first.click()
    else:
        press_on(page, name, "Enter")


def press(page: Page, name: str, hand: str) -> None:
    """Press the button of this name."""
    button = page.get_by_role("button", name=name)
    if hand == "mouse":
        button.click()
    else:
        button.press("Enter")


def is_open(page: Page) -> None:
    """The lab shows a task that is not done."""
    ready(page)
    expect(page.get_by_role("button", name=WORDS("show_a_way"))).to_be_visible()
    expect(page.locator(VERDICT)).to_have_count(0)


@pytest.mark.parametrize("hand", ["mouse", *also("keyboard")])
def test_a_task_is_done_the_moment_its_goal_is_reached(
    hand: str, app: Server, open_page: OpenPage
) -> None:
    items = quiz("reversal", SEED)
    width = 1280 if hand == "mouse" else 390
    page = open_page(f"{app.url}/reversal?quiz={SEED}", width)
    for place, item in enumerate(items):
        expect(page.locator(".st-key-quiz")).to_contain_text(
            WORDS("question_of", number=place + 1, all=LENGTH)
        )
        if isinstance(item, Prediction):
            tile = page.locator(".st-key-tiles button").nth(item.keys.index(item.right))
            tile.click() if hand == "mouse" else tile.press("Enter")
        elif isinstance(item, Match):
            ready(page)
            for side in item.keys:
                expect(page.locator(f'[data-view="{side}.gradient"] svg').first).to_be_visible()
            formula = page.locator(f'[data-area="{item.right}"] .gl-formula')
            expect(formula).to_be_hidden()
            press(page, item.right.upper(), hand)
            expect(formula).to_be_visible()
        elif "cuts" in item.solved:
            is_open(page)
            expect(page.locator(".gl-control:visible")).to_have_count(0)  # a cut alone solves it
            toggle(page, "flip_gradient:0", hand)
            expect(edge(page, "flip_gradient:0")).to_have_attribute("data-state", "cut")
            is_open(page)
            toggle(page, "flip_gradient:0", hand)
            toggle(page, item.solved["cuts"], hand)
            expect(page.locator(VERDICT)).to_be_focused()
            expect(page.locator(VERDICT)).to_contain_text(WORDS("you_did_it"))
            page.reload()
            expect(edge(page, item.solved["cuts"])).to_have_attribute("data-state", "cut")
            page.go_back()
            is_open(page)
            expect(page.locator('.gl-edge[data-state="cut"]')).to_have_count(0)
            toggle(page, item.solved["cuts"], hand)
        elif "scale" in item.solved:
            is_open(page)
            slider = control(page, "scale")
            if hand == "mouse":
                slider.fill(item.solved["scale"])
            else:
                press(page, WORDS("show_a_way"), hand)
                expect(slider).to_have_value(item.solved["scale"])
        expect(page.locator(VERDICT)).to_be_focused()
        expect(page).to_have_url(re.compile(rf"&said=\d{{{place + 1}}}&at={place}$"))
        label = WORDS("see_end") if item is items[-1] else WORDS("next_question")
        expect(page.get_by_role("button", name=label)).to_be_in_viewport(ratio=1)
        press(page, label, hand)
    missed = page.get_by_role("link", name=WORDS("missed", lesson="", step="").split(" ")[0])
    right = LENGTH if hand == "mouse" else LENGTH - 1
    expect(page.locator("h2")).to_have_text(WORDS("score", right=right, all=LENGTH))
    expect(missed).to_have_count(LENGTH - right)
    if hand == "keyboard":
        missed.press("Enter")
        (shown,) = (one for one in items if "scale" in getattr(one, "solved", ()))
        expect(page).to_have_url(re.compile(rf"lesson={shown.lesson.slug}&step=\d"))
