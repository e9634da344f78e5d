"""A typed number is graded by the facts that the answers name, and hostile text is refused."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.outputs.typed import TOLERANCE, Typed, grade
from lessons.prose.steps import Option, Question

QUESTION = Question(
    "q",
    (),
    tuple(Option(key, key, "why", key) for key in ("half", "root", "zero", "nan")),
    kind="number",
)
FACTS = {"half": 0.5, "root": 0.9623, "zero": 0.0, "nan": float("nan")}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("0.5", "half"),
        ("−0.5", ""),
        ("0.509", "half"),
        ("1/2", "half"),
        (" 1 / −2 ", ""),
        ("0/3", "zero"),
        ("0.52", ""),
        ("0.96", "root"),
        (" +9.6e-1 ", "root"),
        ("1", ""),
        ("0", "zero"),
        ("0.001", ""),
        ("1e300", ""),
    ],
)
def test_a_number_counts_as_the_fact_it_equals(text: str, key: str) -> None:
    assert grade(QUESTION, "root", text, FACTS).key == key


@pytest.mark.parametrize(
    "text",
    ["", "1/0", "1/", "/2", "1/2/3", "nan", "inf", "1e999", "a", "a/b", "0,5", "__import__", "٣"],
)
def test_what_is_no_number_is_refused_by_a_sentence_that_names_it_whole(text: str) -> None:
    with pytest.raises(ValueError, match=rf"{re.escape(text)}.*\.$"):
        grade(QUESTION, "root", text, FACTS)


def test_a_text_too_long_for_a_number_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        grade(QUESTION, "root", "1" * 500, FACTS)


def test_an_answer_may_have_another_name_than_its_fact() -> None:
    options = (Option("renamed", "", "why", "root"), *QUESTION.options[:1])
    typed = grade(replace(QUESTION, options=options), "renamed", "0.9623", FACTS)
    assert (typed.key, typed.computed) == ("renamed", 0.9623)


def test_another_fact_makes_another_answer_right() -> None:
    assert grade(QUESTION, "root", "0.5", {**FACTS, "half": 7.0, "root": 0.5}).key == "root"


@given(st.floats(-1e9, 1e9, allow_nan=False))
def test_within_two_percent_and_never_far_off(value: float) -> None:
    facts = dict.fromkeys(FACTS, float("nan")) | {"root": value}
    assert grade(QUESTION, "root", repr(value * (1 + 0.9 * TOLERANCE)), facts).key == "root"
    far = value * 1.1 + (1 if value >= 0 else -1)
    assert grade(QUESTION, "root", repr(far), facts).key == ""


@pytest.mark.parametrize("right", [float("nan"), float("inf"), -float("inf"), 10**309])
def test_nothing_can_be_right_where_the_result_is_not_finite(right: float) -> None:
    with pytest.raises(ValueError, match=r"nothing to compare .* change .*\.$"):
        grade(QUESTION, "root", "1", {**FACTS, "root": right})


def test_a_number_too_far_off_to_subtract_is_refused() -> None:
    with pytest.raises(ValueError, match=r"too far from .*\.$"):
        grade(QUESTION, "root", "-1.7e308", {**FACTS, "root": 1.7e308})


FACT = st.one_of(st.floats(), st.integers(-(10**400), 10**400))


@given(st.fixed_dictionaries(dict.fromkeys(FACTS, FACT)), st.floats(allow_nan=False).map(repr))
def test_what_was_graded_can_be_read_back_and_told(facts: dict[str, float], text: str) -> None:
    try:
        typed = grade(QUESTION, "root", text, facts)
    except ValueError:
        return
    again = Typed.parse(QUESTION, str(typed))
    assert again.key == typed.key
    assert (again.value, again.computed) == pytest.approx((typed.value, typed.computed), rel=1e-5)
    assert again.distance().startswith("Your number is ")


def test_a_large_distance_is_counted_out() -> None:
    assert Typed(2.0, "", 1.5).distance().startswith("Your number is 0.5 above 1.5, torch")
    assert Typed(7, "", 1200.0).distance().startswith("Your number is 1193 below 1200, torch")
    assert Typed(7, "", 2e9).distance().startswith("Your number is 2e+09 below 2e+09, torch")
