"""A weight of value 1: its gradient by hand, without its stop, and differentiated twice."""

import math
from functools import partial

import pytest
import torch

from lessons.chapters.in_the_wild.value_one.lesson import second_on_average, value_one
from lessons.outputs.catalogue import find
from tests.lessons.titles import read_back
from tests.support import course
from tests.support.course import numbers

run = partial(course.run, "value_one")


def without_its_stop(x: torch.Tensor, advantages: torch.Tensor, form: str) -> torch.Tensor:
    """What value_one would be had its author forgotten the stop."""
    return value_one(x, advantages, "no_stop" if form == "ratio" else form)


def test_the_exponential_has_the_second_derivative_of_the_expected_loss_and_logp_has_not() -> None:
    x = torch.linspace(-5, 5, 41, dtype=torch.float64)
    p = torch.sigmoid(x)
    expected = (-p * (1 - p) * (1 - 2 * p)).numpy()  # the second derivative of −sigmoid(x)
    ratio = second_on_average(value_one, x, "ratio")
    plain = second_on_average(value_one, x, "plain")
    assert ratio.numpy() == pytest.approx(expected, abs=1e-12)
    # By hand: the chance of being sampled, times the curvature of −log p.
    assert plain.numpy() == pytest.approx((p * p * (1 - p)).numpy(), abs=1e-12)
    assert not second_on_average(without_its_stop, x, "ratio").any()
    facts = numbers(run().facts)
    assert math.copysign(1, facts["second_plain"]) != math.copysign(1, facts["second_true"])


def test_a_loss_that_is_not_finite_does_not_read_0() -> None:
    lesson = find("value_one")
    values = lesson.validate({"advantages": "1e308", "dtype": "float32", "x": "0"})
    figures = lesson.lab.figures(lesson.compute(values), values)
    assert figures[1].title == lesson.lab.words("gradient_title", loss="−∞", length="∞")


def test_a_line_that_two_tokens_share_names_both() -> None:
    lesson = find("value_one")
    values = lesson.validate({})
    first = lesson.lab.figures(lesson.compute(values), values)[0]
    names = {
        one["text"][0].strip("\u00a0"): one["y"][0] for one in first.data if one["mode"] == "text"
    }
    assert names == pytest.approx({"A = 1 (1)": -1, "A = −0.5 (2, 3)": 0.5}, abs=0.05)


def test_what_an_uneven_list_means_is_said() -> None:
    few, many = run(x="1, 2, 3, 4"), run(x="1")
    assert few["forward"].y[3] == few["trick_gradient"].y[3] == 0
    words = find("value_one").lab.words
    assert read_back(words, "others_zero", few.notes[0].text)
    assert read_back(words, "left_out", many.notes[0].text) == {
        "given": words(
            "advantages_given",
            advantages=words.counted("advantages", 3),
            logits=words.counted("logits", 1),
        )
    }
