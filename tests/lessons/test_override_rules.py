"""Chapter 2's lessons on what a rule is handed and must return, against closed forms,
TensorFlow's numbers and central differences."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from lessons import find
from lessons.override_map.upstream_not_true.lesson import halve
from lessons.tricks import identity

REFERENCE = {
    case["id"]: case
    for case in json.loads(
        (Path(__file__).parents[1] / "data" / "tensorflow.json").read_text("utf-8")
    )
}


def run(slug: str, **given: str):
    lesson = find(slug)
    return lesson.compute(lesson.validate(given))


def answers(slug: str, program, *names: str) -> list[str]:
    """The right answers if this were the lesson's program."""
    lesson = find(slug)
    result = lesson.lab.compute(program, lesson.validate({}), lambda share: None)
    return [lesson.predictions[name](result) for name in names]


def assert_true_gradient_is_the_difference(slug: str, **given: str) -> None:
    """Central differences of the forward value, at the learner's inputs."""
    lesson, h = find(slug), 1e-6
    result = lesson.compute(lesson.validate(given))
    x = result["forward"].x
    up, down = (
        lesson.compute(lesson.validate({**given, "x": ",".join(map(repr, (x + d).tolist()))}))
        for d in (h, -h)
    )
    slope = (up["forward"].y - down["forward"].y) / (2 * h)
    assert np.allclose(result["true_gradient"].y, slope, rtol=1e-6, atol=1e-6)


# 2.2: the rule gets the upstream gradient.


@pytest.mark.parametrize(
    ("op_type", "local", "slope"),
    [
        ("identity", "missing", lambda x: 36 * x),
        ("square", "missing", lambda x: 3 + 0 * x),
        ("mul", "missing", lambda x: 6 * x),
        ("square", "supplied", lambda x: 36 * x),
        ("mul", "supplied", lambda x: 36 * x),
    ],
)
def test_a_halving_rule_on_each_op_equals_its_closed_form(op_type, local, slope):
    result = run("upstream_not_true", x="-2, 0, 0.3, 3", op_type=op_type, local=local)
    x = result["forward"].x
    assert np.allclose(result["trick_gradient"].y, slope(x))
    assert np.allclose(result["forward"].y, (6 * x) ** 2)
    assert np.allclose(result["intended_gradient"].y, 36 * x)
    assert_true_gradient_is_the_difference("upstream_not_true", op_type=op_type, local=local)


def test_halving_gives_tensorflows_numbers_and_the_articles_comparison():
    case = REFERENCE["s1_half_in_article"]
    facts = run("upstream_not_true", x="3", dtype="float32").facts
    assert [facts["forward"]] == case["outputs"]["output_A"]
    assert [facts["on_identity"]] == case["gradients"]["d_output_A"]
    assert [facts["true_gradient"]] == case["gradients"]["d_output_clip"]
    assert [facts["bare_identity"]] == case["gradients"]["d_plain_identity"]
    assert [facts["handed_identity"]] == case["gradients"]["upstream_grad_received_by_A"]
    assert (facts["on_square"], facts["on_mul"], facts["square_supplied"]) == (3, 18, 108)


def test_one_gradient_for_a_product_of_two_tensors_is_refused_as_in_tensorflow():
    assert "Num gradients 1" in REFERENCE["s1_half_override_mul"]["outputs"]["error_message"]
    assert "Got 1, expected 2" in run("upstream_not_true").facts["refused"]


def test_what_the_rule_is_handed_is_told_apart():
    names = ("handed", "square")
    assert answers("upstream_not_true", halve, *names) == ["of_output", "lost"]

    def followed_by_a_factor(x, op_type, local):
        return 216 * halve(x, op_type, local)

    def supplied(x, op_type, local):
        return halve(x, op_type, "supplied")

    def ignored(x, op_type, local):
        return identity(torch.square(torch.mul(x, 6)))

    assert answers("upstream_not_true", followed_by_a_factor, "handed") == ["true_gradient"]
    assert answers("upstream_not_true", supplied, "square") == ["half"]
    assert answers("upstream_not_true", ignored, "square") == ["none"]
