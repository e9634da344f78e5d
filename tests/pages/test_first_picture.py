"""The first picture of a lab comes with its page, unless it takes a page too long."""

import json
import random
import time
from collections.abc import Callable
from unittest.mock import MagicMock

import pytest

from lessons.outputs.catalogue import find
from lessons.playground.document.as_text import packed, to_text
from pages.labs.messages import Wish
from pages.ui import live, place
from pages.ui.place import Place
from pages.ui.playground_view import order_from_address
from tests.pages.test_chapter_view import opened
from tests.support.heavy import heavy


def wish(words: dict[str, str]) -> Wish:
    order, _ = order_from_address(words)
    return Wish(lab="playground", values=order["values"], good={}, moving=True)


def first(words: dict[str, str]) -> list[str]:
    return live.first_messages(wish(words).model_dump_json())


def test_a_preset_has_one() -> None:
    message = json.loads(first({"preset": "gumbel"})[0])
    assert (message["seq"], message["kind"]) == (0, "frame")
    assert message["content"]["graph"]


def test_a_slow_first_picture_is_left_to_the_lab() -> None:
    heaviest = wish({"program": packed(to_text(heavy(random.Random(40))))})
    begun = time.thread_time()
    assert live.first_messages(heaviest.model_dump_json()) == []
    assert time.thread_time() - begun < live.PICTURE_TIME


@pytest.mark.parametrize(
    ("page", "words"),
    [("playground", {"program": packed("x = input([1])\ny = x*x")}), ("", {"own": "x*x*u"})],
)
def test_a_program_in_an_address_is_left_to_the_lab(
    page: str, words: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures: list[str] = []
    monkeypatch.setattr(live, "first_messages", pictures.append)
    opened(page)
    assert len(pictures) == 1  # the page's own
    opened(page, **words)
    assert len(pictures) == 1


def test_the_next_who_opens_the_same_gets_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"preset": "flip"}
    picture = first(words)
    monkeypatch.setattr(live, "LABS", {})
    assert first(words) == picture


@pytest.mark.parametrize(
    "compute",
    [
        lambda: first({"preset": "clip_inside"}),
        lambda: live.first_messages(Wish(lab="flip", values={"scale": "1.2345"}).model_dump_json()),
        lambda: Place.opened(find("flip"), {"scale": "1.2346"}).result,
    ],
    ids=["a program", "a lesson", "a text"],
)
def test_a_page_computes_where_there_is_room(
    compute: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    room = MagicMock()
    for module in (live, place):
        monkeypatch.setattr(module, "room", room)
    compute()
    assert room.__enter__.called
