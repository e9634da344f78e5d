"""The right answer to a prediction: the text names the facts, and the nearest one is right."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from lessons.check.experiments import experiment_of
from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.text.words import ProseError
from lessons.outputs.catalogue import find
from lessons.prose.steps import Prose, read
from tests.support.course import right
from tests.support.present import present

FRONT = "---\ntitle: A title\n---\n"


def written(tmp_path: Path, step: str) -> Prose:
    """The prose of a file with this one step."""
    path = tmp_path / "en.md"
    path.write_text(
        f"{FRONT}\n## A step\n{step}\n- one = first: 1.\n  > Why.\n- two: 2.\n  > Why.\n"
    )
    return read(path)


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """A lesson that asks for `came`, with the answers `one`, for the fact `first`, and `two`."""
    return replace(find("flip"), prose=written(tmp_path, "<!-- predict: q asks=came -->\nWhich?"))


@pytest.mark.parametrize(
    ("came", "first", "two", "answer"),
    [
        (1.0, 1.5, 0.2, "one"),
        (1.0, 1.9, 0.2, "two"),
        (math.nan, 0.0, math.nan, "two"),
        (1.0, math.nan, 1e9, "two"),
        (math.inf, 0.0, math.inf, "two"),
        (-math.inf, 1.0, -math.inf, "two"),
        ("(1, 2)", "(2, 1)", "(1, 2)", "two"),
    ],
)
def test_the_answer_whose_fact_is_nearest_is_right(
    lesson: Lesson, came: float | str, first: float | str, two: float | str, answer: str
) -> None:
    facts = {"came": came, "first": first, "two": two}
    result = replace(lesson.compute(lesson.validate({})), facts=facts)
    assert right(lesson, "q", result) == answer


@pytest.mark.parametrize("gone", ["came", "first", "two"])
def test_a_fact_that_the_lab_does_not_compute_is_refused_by_name(lesson: Lesson, gone: str) -> None:
    facts = {"came": 1.0, "first": 1.0, "two": 2.0}
    del facts[gone]
    result = replace(lesson.compute(lesson.validate({})), facts=facts)
    with pytest.raises(ProseError, match=f"flip, question 'q': .* the fact '{gone}'. (Did|There)"):
        right(lesson, "q", result)


def test_answers_that_name_facts_need_a_question_that_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(ProseError, match=r"'one' names a fact, .* asks="):
        written(tmp_path, "<!-- predict: q -->\nWhich?")


WITHOUT = {
    "two_passes": {"path": "whole"},
    "wrong_place": {"gradient": "same"},
    "right_place": {"pair": "noisy_same"},
    "the_end": {"transfer": "both"},
    "clip_identity": {"summed": "none", "placed": "none"},
    "several_inputs": {"swapped": "same"},
    "several_outputs": {"unused": "right", "third": "right"},
    "scope": {"three": "once", "nested": "neither"},
    "second_derivative": {"identity": "not_at_all", "square": "plain"},
    "flip": {"reversed": "nothing", "twice": "nothing"},
    "value_one": {"slope": "flat"},
    "learned_step": {"difference": "straight", "scale": "straight_sum"},
    "unroll": {"left": "all_steps"},
    "cut_by_accident": {"silenced": "same", "second": "sum_of_both"},
    "in_place": {"data": "unharmed", "saved": "triple_old"},
    "router": {"stopped": "normalised_1"},
}
"""The right answers if the program is the one without its trick."""


@pytest.mark.parametrize("slug", WITHOUT)
def test_without_its_trick_a_program_makes_other_answers_right(slug: str) -> None:
    lesson = find(slug)
    plain_lesson = replace(lesson, program=present(experiment_of(lesson)).plain)
    plain = plain_lesson.compute(lesson.validate({}))
    assert {name: right(lesson, name, plain) for name in WITHOUT[slug]} == WITHOUT[slug]
