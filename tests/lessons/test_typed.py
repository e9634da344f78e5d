"""A typed number is graded by the facts that the answers name, and hostile text is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons import lessons
from lessons.prose import Option, Question
from lessons.typed import CLOSE, Typed, grade

QUESTION = Question(
    "q", (), tuple(Option(key, key, "why") for key in ("half", "root", "zero", "nan")), "number"
)
FACTS = {"half": 0.5, "root": 0.9623, "zero": 0.0, "nan": float("nan")}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("0.5", "half"),
        ("−0.5", ""),
        ("0.509", "half"),
        ("0.52", ""),
        ("0.96", "root"),
        (" +9.6e-1 ", "root"),
        ("1", ""),
        ("0", "zero"),
        ("0.001", ""),
        ("1e300", ""),
    ],
)
def test_a_number_counts_as_the_fact_it_equals(text, key):
    assert grade(QUESTION, "root", text, FACTS).key == key


@pytest.mark.parametrize(
    "text", ["", "nan", "inf", "1e999", "a", "0,5", "1" * 500, "__import__", "٣"]
)
def test_what_is_no_number_is_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"\.$"):
        grade(QUESTION, "root", text, FACTS)


def test_another_fact_makes_another_answer_right():
    assert grade(QUESTION, "root", "0.5", {**FACTS, "half": 7.0, "root": 0.5}).key == "root"


@given(st.floats(-1e9, 1e9, allow_nan=False))
def test_within_two_percent_and_never_far_off(value):
    facts = dict.fromkeys(FACTS, float("nan")) | {"root": value}
    assert grade(QUESTION, "root", repr(value * (1 + 0.9 * CLOSE)), facts).key == "root"
    far = value * 1.1 + (1 if value >= 0 else -1)
    assert grade(QUESTION, "root", repr(far), facts).key == ""


@given(st.floats(-1e9, 1e9, allow_nan=False), st.sampled_from(["half", "root", ""]))
def test_what_is_remembered_comes_back(value, key):
    typed = Typed.parse(QUESTION, str(Typed(value, key, 0.9623)))
    assert (typed.key, typed.computed) == (key, 0.9623)
    assert typed.value == pytest.approx(value, rel=1e-5)


def test_the_distance_names_both_sides():
    above, below = (Typed(v, "", 1.5).distance() for v in (2.0, 1.25))
    assert "0.5 above 1.5" in above
    assert "0.25 below 1.5" in below


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_answers_to_type_are_facts_that_can_be_told_apart(lesson):
    for step in lesson.prose.steps:
        if step.question and step.question.kind == "number":
            result = lesson.compute(lesson.validate(step.lab))
            right = lesson.right(step.question, result)
            for option in step.question.options:
                text = f"{float(result.facts[option.key]):.5g}"
                typed = grade(step.question, right, text, result.facts)
                assert typed.key == option.key, f"{option.key} is as good as {typed.key}"
