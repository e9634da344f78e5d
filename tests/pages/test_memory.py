"""The cookie: what a learner did comes back, and what a stranger wrote does no harm."""

import pytest
from streamlit import config

from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import chapters, find, lessons
from lessons.outputs.quiz import LENGTH
from pages.ui import memory
from pages.ui.memory import COOKIE, LONGEST_COOKIE, Trail, pack, unpack, unpack_scores


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


def test_trails_come_back() -> None:
    kept = everything()
    assert unpack(pack(kept, {})) == kept
    one = {"noise_leaks": Trail(2, {"leak": "band"}, {"leak": True})}
    assert unpack(pack(one, {})) == one
    assert unpack("2!noise_leaks:2:l=1b/~round") == one, "a goal of an earlier release"


def test_scores_come_back_and_no_others() -> None:
    scores = {"reversal": 4, "clipping": 0}
    assert unpack_scores(pack(everything(), scores)) == scores
    assert unpack(pack({}, scores)) == {}
    assert unpack_scores("2!reversal:6/clipping:-1/flip:2/reversal:4:x/nothing:1/clipping") == {}


def test_only_the_first_answer_counts_and_the_last_is_shown() -> None:
    (question,) = (q for q in find("noise_leaks").prose.questions if q.name == "leak")
    one = Trail()
    for key, right in (("line", False), ("band", True), ("line", False), ("band", True)):
        one.commit(question, key, right)
    assert one == Trail(1, {"leak": "band"}, {"leak": False})
    assert unpack(pack({"noise_leaks": one}, {})) == {"noise_leaks": one}


@pytest.mark.parametrize(
    ("base", "name", "path"),
    [
        ("", COOKIE, "/"),
        ("gradients", f"{COOKIE}_gradients", "/gradients/"),
        ("/a/b.c-d/", f"{COOKIE}_a_b_c_d", "/a/b.c-d/"),
        ("schüle", f"{COOKIE}_sch_C3_BCle", "/sch%C3%BCle/"),  # as a browser asks for it
    ],
)
def test_the_cookie_has_the_apps_base_path(
    base: str, name: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "get_option", {"server.baseUrlPath": base}.get)
    assert (memory._name(), memory._path()) == (name, path)


def test_the_whole_course_fits_a_cookie() -> None:
    text = pack(everything(), {chapter.slug: LENGTH for chapter in chapters()})
    assert len(text) <= LONGEST_COOKIE
    assert not set(text) & set(' ;,"\\'), "a cookie's value has none of these"


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "%", "null", "[]", "2!", "2!noise_leaks", "2!noise_leaks:", "[" * 100_000),
        *("2!" + "/" * 20_000, "2!" + "\x00" * 100_000, "2!no_such_lesson:1", "flip:3"),
        '{"noise_leaks": {"step": 3, "answers": {"leak": "band"}, "done": true}}',
        "%7B%22noise_leaks%22%3A%7B%22step%22%3A3%7D%7D",
        "2!noise_leaks:9999999999*:leak",
        "2!noise_leaks:x*:leak=1nothing:nothing=1band",
        *(f"2!noise_leaks:1:leak={answer}" for answer in ("2band", "_band", "band")),
        *(f"2!flip:1:twice={answer}" for answer in ("1nan~product~1", "11e999~product~1",
          "11~no_such_answer~1", "1~~~~", "01~product~nan", "01~~-inf")),
        *(f"2!wrong_place:1:gradient=1{sketch}" for sketch in ("clean", "y" * 9, "z" * 8)),
    ],
)  # fmt: skip
def test_nonsense_is_nothing(text: str) -> None:
    trails = unpack(text)
    assert {*trails} <= {lesson.slug for lesson in lessons()}
    assert all(trail == Trail() for trail in trails.values())


def test_a_step_past_the_end_is_the_last_and_one_that_is_no_number_is_the_first() -> None:
    leaks = find("noise_leaks")
    assert unpack("2!noise_leaks:999") == {leaks.slug: Trail(len(leaks.prose.steps))}
    answered = Trail(1, {"leak": "band"}, {"leak": True})
    assert unpack("2!noise_leaks:٣:leak=1band") == {leaks.slug: answered}


def test_a_cookie_in_the_earlier_format_is_still_read() -> None:
    trails = {"noise_leaks": Trail(4, {"leak": "band"}, {"leak": True}, done=True)}
    assert unpack("2!noise_leaks:4*:leak=1band") == trails
    assert len(pack(trails, {})) < len("2!noise_leaks:4*:leak=1band")
    assert unpack(pack(trails, {})) == trails


@pytest.mark.parametrize("lesson", lessons(), ids=lambda one: one.slug)
def test_each_answer_alone_comes_back(lesson: Lesson) -> None:
    for question in lesson.prose.questions:
        for option in question.options if question.kind in ("choice", "bug") else ():
            one = Trail(1, {question.name: option.key}, {question.name: True})
            assert unpack(pack({lesson.slug: one}, {})) == {lesson.slug: one}
