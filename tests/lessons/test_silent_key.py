"""The lesson silent_key: keys typed by anybody, against the engine."""

from functools import partial

import numpy as np
import pytest

from lessons.chapters.override_map.silent_key.lesson import outcome
from lessons.outputs.catalogue import find
from lessons.outputs.review import review
from lessons.tricks import op_types
from tests.support import course
from tests.support.folded import folded

X = [-2.0, 0.5, 1.0, 2.5]


run = partial(course.run, "silent_key", x="-2, 0.5, 1, 2.5")


@pytest.mark.parametrize(
    ("key", "found"),
    [("Sign", np.cos(X)), ("sign", np.cos(X)), ("MatMul", 0), ("Sin", 0), ("SIGN", 0), ("", 0)],
)
def test_a_key_that_binds_the_sign_passes_everything_on_and_no_other_does(key, found):
    result = run(key=key)
    assert result["trick_gradient"].y == pytest.approx(found * np.ones(4))
    assert not result["true_gradient"].y.any()


@pytest.mark.parametrize(
    ("key", "here", "note"),
    [
        ("Sign", "silence", ""),
        ("sign", "silence", "ignores this key"),
        ("Sing", "error", "did you mean"),
        ("Matmul", "error", "did you mean matmul / MatMul?"),
        ("MatMul", "warning", "Op types that ran: sin, sign."),
    ],
)
def test_what_is_said_of_a_key(key, here, note):
    assert outcome(key).answer == here
    notes = " ".join(message.text for message in run(key=key).notes)
    assert note in notes if note else not notes


@folded("name", [n for pair in op_types().items() for n in pair if n])
def test_every_op_type_there_is_can_be_typed(name):
    result = run(key=name)
    assert np.isfinite(result["trick_gradient"].y).all()


def test_a_question_about_tensorflow_is_answered_in_its_name():
    lower, absent = review(find("silent_key"), {"lower": "rule", "absent": "error"})[:2]
    assert lower.by == "TensorFlow"
    assert lower.computed.startswith("0, because the key matches nothing")
    assert absent.by == "Torch"
