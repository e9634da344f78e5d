"""The cookie: what a learner did comes back, and what a stranger wrote does no harm."""

import json
from urllib.parse import quote

import pytest

from pages.ui.memory import Trail, parse


def cookie(content) -> str:
    return quote(json.dumps(content))


def test_a_trail_comes_back():
    kept = {"noise_leaks": {"step": 3, "answers": {"leak": "band"}, "done": True}}
    assert parse(cookie(kept)) == {"noise_leaks": Trail(3, {"leak": "band"}, done=True)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "%",
        "null",
        cookie([]),
        cookie({"no_such_lesson": {"step": 1}}),
        cookie({"../../etc": {"step": 1}}),
        "[" * 100_000,
        quote("[" * 5_000),
    ],
)
def test_nonsense_is_nothing(text):
    assert parse(text) == {}


@pytest.mark.parametrize(
    "raw",
    [
        None,
        3,
        {"step": "2", "answers": [], "done": "yes"},
        {"step": -5, "answers": {"leak": "no such option", "nothing": "band"}},
        {"step": None, "answers": {"leak": 7}, "done": 1},
    ],
)
def test_what_is_not_as_it_should_be_is_left_out(raw):
    assert parse(cookie({"noise_leaks": raw})) == {"noise_leaks": Trail()}


def test_a_step_past_the_end_is_the_last():
    trail = parse(cookie({"noise_leaks": {"step": 10**30}}))["noise_leaks"]
    assert 1 < trail.step < 10
