"""The lesson silent_key: keys typed by anybody, against the engine."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lessons.chapters.override_map.silent_key.lesson import (
    outcome,
    silent_key,
)
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find
from lessons.outputs.review import review
from lessons.tricks import TrickError, op_types
from tests.support import course
from tests.support.folded import folded

X = [-2.0, 0.5, 1.0, 2.5]


run = partial(course.run, "silent_key", x="-2, 0.5, 1, 2.5")


@pytest.mark.parametrize("key", ["Sign", "sign"])
def test_a_key_that_binds_the_sign_passes_everything_on(key):
    result = run(key=key)
    assert result["trick_gradient"].y.tolist() == pytest.approx(np.cos(X))
    assert result["intended_gradient"].y.tolist() == pytest.approx(np.cos(X))


@pytest.mark.parametrize("key", ["Sing", "Matmul", "MatMul", "", "Sin", "sin", "SIGN", "Sign:0"])
def test_under_any_other_key_the_gradient_stays_zero(key):
    result = run(key=key)
    assert not result["trick_gradient"].y.any()
    assert not result["true_gradient"].y.any()
    assert result["forward"].y.tolist() == np.sign(np.sin(X)).tolist()


@pytest.mark.parametrize(
    ("key", "here", "note"),
    [
        ("Sign", "overrides", ""),
        ("sign", "overrides", "ignores this key"),
        ("Sing", "refuses", "did you mean"),
        ("Matmul", "refuses", "did you mean matmul / MatMul?"),
        ("MatMul", "warns", "Op types that ran: sin, sign."),
    ],
)
def test_what_is_said_of_a_key(key, here, note):
    assert outcome(key).ends == here
    notes = " ".join(message.text for message in run(key=key).notes)
    assert note in notes if note else not notes


@pytest.mark.parametrize("key", ["Sing", "MatMul"])
def test_the_words_are_the_engines_own(key):
    x = torch.ones(1, requires_grad=True)
    if outcome(key).ends == "refuses":
        with pytest.raises(TrickError) as caught:
            silent_key(x, key)
        assert str(caught.value) == outcome(key).words
    else:
        with pytest.warns(UserWarning, match="matched no op") as warned:
            silent_key(x, key)
        assert str(warned[0].message) == outcome(key).words


def test_the_graph_shows_the_override_or_none():
    lesson = find("silent_key")
    for key, expected in (("Sign", np.cos(X[0])), ("Sing", 0.0), ("MatMul", 0.0)):
        recording = lesson.record(lesson.validate({"key": key, "x": str(X[0])}))
        assert recording.gradients["x"].numbers == pytest.approx([expected])


@folded("name", [n for pair in op_types().items() for n in pair if n])
def test_every_op_type_there_is_can_be_typed(name):
    result = run(key=name)
    assert np.isfinite(result["trick_gradient"].y).all()


@given(st.text(max_size=60))
def test_any_text_is_refused_with_a_sentence_or_runs(text):
    lesson = find("silent_key")
    try:
        values = lesson.validate({"key": text})
    except InvalidParametersError as error:
        refused = error.errors
    else:
        refused = {}
        assert np.isfinite(lesson.compute(values)["trick_gradient"].y).all()
    assert all(name == "key" and message.endswith(".") for name, message in refused.items())


def test_a_question_about_tensorflow_is_answered_in_its_name():
    lower, absent = review(find("silent_key"), {"lower": "rule", "absent": "error"})[:2]
    assert lower.by == "TensorFlow"
    assert lower.computed.startswith("0, because the key matches nothing")
    assert absent.by == "Torch"
