"""A loss that starves: softmax with squared error against its closed form and TensorFlow."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from lessons.chapters.clipping.starved.lab import FAR, share_of_wrong, through_logarithms
from lessons.chapters.clipping.starved.lesson import starved
from lessons.kit.curve import by_role
from lessons.outputs.catalogue import find

REFERENCE = {
    case["id"]: case
    for case in json.loads(
        (Path(__file__).parents[1] / "data" / "tensorflow.json").read_text("utf-8")
    )
}
SQUARED = {"right": 0.0, "loss": "squared", "scale": 1.0}
CROSS = SQUARED | {"loss": "cross"}


def run(**given: str):
    lesson = find("starved")
    return lesson.compute(lesson.validate(given))


def roles(x, dtype=torch.float64, **settings):
    x = torch.tensor(x, dtype=dtype)
    return by_role(starved, through_logarithms, share_of_wrong, x, settings)


@pytest.mark.parametrize("name", ["s1_sm_two_class", "s1_sm_right", "s1_sm_two_class_f32"])
def test_tensorflow_gives_the_same_losses_and_gradients(name):
    case = REFERENCE[name]
    single = case["inputs"]["dtype"] == "float32"
    ahead = [wrong - right for wrong, right in case["inputs"]["logits"]]
    for settings, value, slope in (
        (SQUARED, "squared_error", "d_squared"),
        (CROSS, "cross_entropy", "d_cross_entropy"),
    ):
        ours = roles(ahead, torch.float32 if single else torch.float64, **settings)
        close = {"rel": 1e-3 if single else 1e-8, "abs": 1e-7 if single else 1e-15}
        assert ours["forward"].tolist() == pytest.approx(case["outputs"][value], **close)
        wrong = [row[0] for row in case["gradients"][slope]]
        assert ours["trick_gradient"].tolist() == pytest.approx(wrong, **close)


def test_both_gradients_are_their_closed_forms():
    x = np.linspace(-6.0, 9.0, 61)
    p1 = 1 / (1 + np.exp(-(x - 0.5)))
    settings = {"right": 0.5, "scale": 3.0}
    squared = roles(x.tolist(), loss="squared", **settings)
    cross = roles(x.tolist(), loss="cross", **settings)
    expected = 3 * 4 * p1**2 * (1 - p1)
    for role in ("trick_gradient", "true_gradient"):
        assert np.allclose(squared[role].numpy(), expected, rtol=1e-9, atol=1e-14)
        assert np.allclose(cross[role].numpy(), 3 * p1, rtol=1e-9)
    assert np.allclose(squared["intended_gradient"].numpy(), p1, rtol=1e-12)
    assert np.allclose(squared["forward"].numpy(), 3 * 2 * p1**2, rtol=1e-9)
    assert np.allclose(cross["forward"].numpy(), -3 * np.log(1 - p1), rtol=1e-9)


def test_the_true_gradient_is_the_central_difference_of_the_loss():
    x, h = torch.linspace(-4.0, 6.0, 41, dtype=torch.float64), 1e-5
    for settings in (SQUARED, CROSS):
        difference = (starved(x + h, **settings) - starved(x - h, **settings)) / (2 * h)
        ours = by_role(starved, through_logarithms, share_of_wrong, x, settings)
        assert torch.allclose(ours["true_gradient"], difference, rtol=1e-5, atol=1e-9)


def test_the_peak_and_the_tail_are_where_the_course_says():
    facts = run().facts
    assert facts["peak_share"] == pytest.approx(2 / 3, abs=1e-3)
    assert facts["peak"] == pytest.approx(4 * (2 / 3) ** 2 / 3, rel=1e-5)
    assert facts["far"] == pytest.approx(4 * math.exp(-FAR), rel=1e-6)
    assert facts["even"] == 0.5


def test_in_float32_a_sure_mistake_has_a_gradient_of_exactly_zero():
    sure = roles([FAR], torch.float32, **SQUARED)
    assert sure["trick_gradient"].tolist() == [0.0]
    assert sure["true_gradient"].item() == pytest.approx(4 * math.exp(-FAR), rel=1e-4)
    facts = run().facts
    assert (facts["by_nothing"], facts["by_scale"], facts["by_norm"]) == (0.0, 0.0, 0.0)
    assert facts["by_digits"] == pytest.approx(4 * math.exp(-FAR), rel=1e-6)
    assert facts["by_loss"] == pytest.approx(1.0)
    shown = run(x="4, 20", point="2", dtype="float32")
    assert shown.facts["trick_gradient"] == 0.0
    assert shown.facts["true_gradient"] > 0.0


def test_an_exact_zero_is_a_gap_in_the_chart_of_powers():
    lesson = find("starved")
    values = lesson.validate({"x": "4, 25", "dtype": "float32"})
    figure = lesson.lab.figures(lesson.compute(values), values, frozenset())[-1]
    trick = next(trace for trace in figure.data if "trick" in trace["line"]["color"])
    assert np.isnan(trace_end(trick))
    assert not np.isnan(trick["y"][60])


def trace_end(trace):
    return trace["y"][-1]


def test_the_answers_follow_the_numbers():
    """Another program makes another answer right."""
    lesson = find("starved")
    values = lesson.validate({})

    def answers(program):
        result = lesson.lab.compute(program, values, lambda share: None)
        return [lesson.predictions[name](result) for name in ("worse", "rescue")]

    def cross_only(x, right, loss, scale):
        return starved(x, right, "cross", scale)

    def always_zero(x, right, loss, scale):
        return starved(x, right, loss, scale) if loss == "cross" else 0 * x

    def scaled_first(x, right, loss, scale):
        return scale * torch.sigmoid(x - right)

    assert answers(starved) == ["starves", "loss"]
    assert answers(cross_only)[0] == "grows"
    assert answers(always_zero)[0] == "zero"
    assert answers(scaled_first) != answers(starved)
