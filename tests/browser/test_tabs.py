"""Progress with the course open in two tabs: neither undoes what was done in the other."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.ui.words import WORDS
from tests.browser.looking import on, ready
from tests.conftest import OpenPage
from tests.support.server import Server

pytestmark = pytest.mark.browser


def kept(page: Page) -> list[str]:
    """The lessons in the cookie, each with its step."""
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    return sorted(re.findall(r"(\w+:\d+)", cookies.get("gradient_tricks_lab", "")))


def comes_to_keep(page: Page, *lessons: str) -> None:
    name = "document.cookie.match(/gradient_tricks_lab=([^;]*)/)?.[1] ?? ''"
    page.wait_for_function(
        f"text => JSON.stringify(({name}).match(/\\w+:\\d+/g)?.sort() ?? []) === text",
        arg=str(sorted(lessons)).replace("'", '"').replace(", ", ","),
    )


def move(page: Page) -> None:
    """A message of the lab that changes nothing of what is remembered."""
    seq = page.locator(".gl-lab").get_attribute("data-seq")
    page.locator(".st-key-words .gt-handle").first.press("ArrowRight")
    page.wait_for_function("seq => document.querySelector('.gl-lab').dataset.seq !== seq", arg=seq)


def test_two_tabs_keep_what_either_has_done_and_forgotten_stays_forgotten(
    app: Server, open_page: OpenPage
) -> None:
    first = ready(open_page(app.url + "/stop_gradient?lesson=wrong_place"))
    second = first.context.new_page()
    second.goto(app.url + "/override_map?lesson=clip_identity")
    ready(second)
    on(first, 2)
    comes_to_keep(first, "wrong_place:2")
    move(second)
    assert kept(second) == ["wrong_place:2"], "who has done nothing writes nothing"
    on(second, 2)
    comes_to_keep(second, "clip_identity:2", "wrong_place:2")
    on(first, 3)
    comes_to_keep(first, "clip_identity:2", "wrong_place:3")
    first.goto(app.url + "/course")
    expect(first.locator(".st-key-progress")).to_contain_text(WORDS("remembered"))
    first.get_by_role("button", name=WORDS("forget_progress")).click()
    first.get_by_role("button", name=WORDS("forget_everything")).click()
    comes_to_keep(first)
    on(second, 3)
    comes_to_keep(second, "clip_identity:3")
