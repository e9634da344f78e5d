"""What chapter 2's lessons on the map itself claim, in numbers."""

import pytest

from lessons.outputs.catalogue import find
from tests.engine.test_reference import CASES


def answer(slug, name):
    """The right answer to a question, and all its facts, at its own step."""
    lesson = find(slug)
    step = next(one for one in lesson.prose.steps if one.question and one.question.name == name)
    result = lesson.compute(lesson.validate(step.lab))
    return lesson.right(step.question, result), result.facts


@pytest.mark.parametrize(
    ("slug", "key", "expected"),
    [
        ("clip_identity", "sum_clipped", {"hook_came": 5, "hook_each": 0, "hook_unclipped": 50}),
        ("upstream_not_true", "exp_lost", {"exp_came": 0.3, "exp_tenth": 0.3 * 7.38905609893065}),
        ("type_not_name", "by_type", {"words_came": 5, "words_by_name": 11, "words_plain": 7}),
        ("silent_key", "usual", {"frozen_names": "weight, bias"}),
        ("scope", "first", {"block_came": 6, "block_both": 11}),
    ],
)
def test_the_new_place_is_computed(slug, key, expected):
    right, facts = answer(slug, "transfer")
    assert right == key
    assert {name: facts[name] for name in expected} == pytest.approx(expected)


def test_a_library_call_hides_its_products_in_torch_and_shows_them_in_tensorflow():
    facts = find("scope").compute(find("scope").validate({})).facts
    assert facts["unit_came"] == facts["unit_plain"] == pytest.approx(16 / 125)
    assert facts["unit_hidden"] == CASES["c_hidden_ops"]["gradients"]["d_l2_normalize"][0]
