"""The first picture of a lab comes with its page, unless it takes long; few compute at a time."""

import random
import threading
import time
from base64 import b64decode

import pytest

from lessons.outputs.catalogue import find
from lessons.playground import preset, to_url
from pages.labs import wire
from pages.labs.messages import Wish
from pages.ui import live, page_turn
from pages.ui.page_turn import AT_ONCE, ROOM
from pages.ui.place import Place
from pages.ui.playground_view import asked
from tests.playground.heavy import heavy


def wish(words):
    return Wish(lab="playground", values=asked(words)["values"], good={}, live=True)


def first(words):
    return live.first(wish(words).model_dump_json())


def test_what_learners_write_has_one():
    seq, what, body = wire.decode(b64decode(first({"program": to_url(preset("gumbel"))})))
    assert (seq, what) == (0, wire.FRAME)
    assert body["figures"]


def test_what_takes_long_a_page_does_not_begin():
    """Its lab asks for it: twelve such pages held up all for 9 s."""
    words = {"program": to_url(heavy(random.Random(40)))}
    begun = time.thread_time()
    assert first(words) == ""
    assert time.thread_time() - begun < live.SOON / 5


def test_the_next_who_opens_the_same_gets_the_same(monkeypatch):
    words = {"preset": "flip"}
    picture = first(words)
    monkeypatch.delattr(live, "_encoded")
    assert first(words) == picture


def test_what_is_kept_is_bounded_by_bytes():
    assert live._firsts._most == live.KEPT
    before = live._firsts.total
    live._firsts.get("some wish", lambda: "x" * 1000)
    assert live._firsts.total == before + 1000


def test_however_many_pages_are_opened_few_compute_at_a_time():
    """Each holds what it computes until it is done: 48 heavy ones at once took 0.4 GB."""
    inside, most = [], []

    def compute(number):
        with ROOM:
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.01)
            inside.remove(number)

    threads = [threading.Thread(target=compute, args=[number]) for number in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(most) == 12
    assert max(most) == AT_ONCE


class Taken:
    """A room that notes how often it was entered."""

    def __init__(self):
        self.times = 0

    def __enter__(self):
        self.times += 1

    def __exit__(self, *error):
        pass


@pytest.mark.parametrize(
    "compute",
    [
        lambda: first({"program": to_url(preset("flip").with_(title="a turn"))}),
        lambda: live.first(Wish(lab="flip", values={"scale": "1.2345"}).model_dump_json()),
        lambda: Place.opened(find("flip"), {"scale": "1.2346"}).result,
    ],
    ids=["a program", "a lesson", "a text"],
)
def test_what_a_page_computes_it_computes_in_its_turn(compute, monkeypatch):
    room = Taken()
    monkeypatch.setattr(page_turn, "ROOM", room)
    compute()
    assert room.times
