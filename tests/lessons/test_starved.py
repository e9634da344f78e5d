"""A loss that starves: softmax with squared error against its closed form."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.clipping.starved.lesson import CURVE, FAR, on_both, starved, to_the_right
from lessons.outputs.catalogue import find
from tests.support import course

SQUARED = {"right": 0.0, "loss": "squared", "scale": 1.0}


run = partial(course.run, "starved")


def roles(x, dtype=torch.float64, **settings):
    x = torch.tensor(x, dtype=dtype)
    return course.by_role(CURVE.experiment, on_both(starved), settings, x=x)


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


def test_the_peak_and_the_tail_are_where_the_course_says():
    facts = run().facts
    assert facts["peak_share"] == pytest.approx(2 / 3, abs=1e-3)
    assert facts["peak"] == pytest.approx(4 * (2 / 3) ** 2 / 3, rel=1e-5)
    assert facts["far"] == pytest.approx(4 * math.exp(-FAR), rel=1e-6)
    assert facts["even"] == 0.5
    squared, cross = (run(loss=loss, right="1").facts for loss in ("squared", "cross"))
    assert (
        squared["squared_here"] == cross["squared_here"] == pytest.approx(squared["trick_gradient"])
    )


def test_in_float32_the_wrong_logit_of_a_sure_mistake_gets_0_and_the_right_one_does_not():
    sure = roles([FAR], torch.float32, **SQUARED)
    assert sure["trick_gradient"].tolist() == [0.0]
    assert sure["true_gradient"].item() == pytest.approx(4 * math.exp(-FAR), rel=1e-4)
    x = torch.tensor([FAR])
    assert to_the_right(starved, x, **SQUARED).item() == pytest.approx(-8.24461e-09, rel=1e-5)
    louder = to_the_right(starved, x, **SQUARED | {"scale": 1e6})
    assert louder.item() == pytest.approx(-0.00824462, rel=1e-5)
    shown = run(x="4, 20", point="2", dtype="float32")
    assert shown.facts["trick_gradient"] == shown.facts["far_wrong"] == 0.0
    assert shown.facts["to_right"] == shown.facts["far_right"] < 0.0
    assert shown.facts["true_gradient"] > 0.0


@pytest.mark.parametrize("scale", [1.0, 7.0])
@pytest.mark.parametrize("loss", ["squared", "cross"])
def test_both_logits_get_opposite_gradients_as_long_as_nothing_is_rounded(loss, scale):
    x = torch.linspace(-6.0, 9.0, 31, dtype=torch.float64)
    settings = {"right": 0.3, "loss": loss, "scale": scale}
    wrong = course.by_role(CURVE.experiment, on_both(starved), settings, x=x)
    right = to_the_right(starved, x, **settings)
    assert torch.allclose(wrong["trick_gradient"], -right, rtol=1e-9, atol=1e-14)


def test_scaling_rescues_and_clipping_alone_does_not():
    facts = run().facts
    assert facts["p_norm"] == facts["p_plain"] == pytest.approx(math.exp(-FAR), rel=1e-3)
    assert min(facts["p_rate"], facts["p_adam"], facts["p_loss"]) > 0.9


def test_where_the_right_probability_underflows_nothing_is_left_to_scale():
    gone = run().facts["gone"]
    left = [to_the_right(starved, torch.tensor([lead]), **SQUARED) for lead in (gone - 1, gone)]
    assert [float(one) != 0 for one in left] == [True, False]
    assert gone == 104


def test_the_other_logit_is_in_chart_and_table_and_covered_with_the_rest():
    lesson = find("starved")
    values = lesson.validate({"x": "4, 20", "dtype": "float32"})
    result = lesson.compute(values)
    right_logit = lesson.lab.words("right_logit")
    for hidden in (frozenset(), frozenset({"trick_gradient"})):
        sizes = lesson.figures(result, values, hidden)[0]
        circles, zeros = (one for one in sizes.data if one.get("name") == right_logit)
        assert circles.get("visible", True) == zeros.get("visible", True) == (not hidden)
        last = lesson.table(result, values, hidden).rows[-1][-1]
        assert last == ("?" if hidden else "−8.24461e−09")
    assert circles["y"][-1] > -12
    assert np.isnan(zeros["y"]).all()


def test_an_exact_zero_stands_in_a_row_of_its_own():
    lesson = find("starved")
    values = lesson.validate({"x": "4, 25", "dtype": "float32"})
    figure = lesson.lab.figures(lesson.compute(values), values)[0]
    powers, zeros = (
        trace["y"]
        for trace in figure.data
        if trace["mode"] == "lines" and "trick" in trace["line"]["color"]
    )
    axis = figure.layout["yaxis"]
    row = axis["tickvals"][axis["ticktext"].index("0")]
    assert np.isnan(powers[-1])
    assert zeros[-1] == row < min(axis["tickvals"][:-1])
    assert np.isnan(zeros[60])
    assert powers[60] > row
    assert not (np.isfinite(powers) & np.isfinite(zeros)).any(), "one line from a number to 0"
