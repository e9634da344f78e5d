"""The cookie: what a learner did comes back, and what a stranger wrote does no harm."""

import json
from urllib.parse import quote

import pytest

from lessons import find, lessons
from pages.ui.memory import LONGEST, Trail, parse, written


def cookie(content) -> str:
    return quote(json.dumps(content))


def everything() -> dict[str, Trail]:
    """Every lesson done, every question answered with its longest answer."""
    trails = {}
    for lesson in lessons():
        trails[lesson.slug] = one = Trail(len(lesson.prose.steps), done=True)
        for question in lesson.prose.questions:
            key = max((option.key for option in question.options), key=len)
            typed = f"-0.123456~{key}~-1.23457e-05"
            drawn = "y" * len(lesson.sketches[question.name].x) if question.kind == "sketch" else ""
            answer = {"number": typed, "sketch": drawn}.get(question.kind, key)
            one.commit(question, answer, right=False)
    return trails


def test_trails_come_back():
    kept = everything()
    assert parse(written(kept)) == kept
    one = {"noise_leaks": Trail(2, {"leak": "band"}, {"leak": True})}
    assert parse(written(one)) == one


def test_the_old_form_is_read_without_what_was_right_at_first():
    kept = {"noise_leaks": {"step": 3, "answers": {"leak": "band"}, "done": True}}
    assert parse(cookie(kept)) == {"noise_leaks": Trail(3, {"leak": "band"}, done=True)}


def test_only_the_first_answer_counts_and_the_last_is_shown():
    (question,) = (q for q in find("noise_leaks").prose.questions if q.name == "leak")
    one = Trail()
    for key, right in (("line", False), ("band", True)):
        one.commit(question, key, right)
    assert one == Trail(1, {question.name: "band"}, {question.name: False})


def test_the_whole_course_fits_a_cookie():
    text = written(everything())
    assert len(text) <= LONGEST * max(len(lessons()) / 27, 0.1)
    assert not set(text) & set(' ;,"\\'), "a cookie's value has none of these"
    stuffed = {slug: Trail(2, {"leak": "band" * 20}) for slug in ("a" * n for n in range(1, 90))}
    assert len(written(stuffed)) <= LONGEST + 500


@pytest.mark.parametrize(
    "text",
    [
        "2!",
        "2!" + "/" * 20_000,
        "2!noise_leaks",
        "2!noise_leaks:",
        "2!noise_leaks:٣:leak=1band",
        "2!noise_leaks:9999999999*:leak",
        "2!noise_leaks:x*:leak=1nothing:nothing=1band",
        "2!noise_leaks:1:leak=2band",
        "2!flip:1:twice=1nan~product~1",
        "2!flip:1:twice=11e999~product~1",
        "2!flip:1:twice=11~no_such_answer~1",
        "2!flip:1:twice=1~~~~",
        "2!wrong_place:1:gradient=1clean",
        "2!wrong_place:1:gradient=1yyyyyyyyy",
        "2!wrong_place:1:gradient=1zzzzzzzz",
    ],
)
def test_nonsense_in_the_new_form_is_nothing(text):
    for trail in parse(text).values():
        assert trail.answers in ({}, {"leak": "band"})
        assert trail.step in (1, 4)
        assert not (trail.done and trail.answers)


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
