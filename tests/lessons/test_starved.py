"""A loss that starves: softmax with squared error against its closed form."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from lessons.chapters.clipping.starved.lesson import CURVE, on_both, starved, to_the_right
from lessons.outputs.catalogue import find
from tests.support import course
from tests.support.course import numbers

SQUARED: dict[str, Any] = {"right": 0.0, "loss": "squared", "scale": 1.0}


run = partial(course.run, "starved")


@pytest.mark.parametrize("scale", [1.0, 7.0])
@pytest.mark.parametrize("loss", ["squared", "cross"])
def test_both_logits_get_opposite_gradients_as_long_as_nothing_is_rounded(
    loss: str, scale: float
) -> None:
    x = torch.linspace(-6.0, 9.0, 31, dtype=torch.float64)
    settings: dict[str, Any] = {"right": 0.3, "loss": loss, "scale": scale}
    wrong = course.by_role(CURVE.experiment, on_both(starved), settings, x=x)
    right = to_the_right(starved, x, **settings)
    assert torch.allclose(wrong["trick_gradient"], -right, rtol=1e-9, atol=1e-14)


def test_where_the_right_probability_underflows_nothing_is_left_to_scale() -> None:
    gone = numbers(run().facts)["gone"]
    left = [to_the_right(starved, torch.tensor([lead]), **SQUARED) for lead in (gone - 1, gone)]
    assert [float(one) != 0 for one in left] == [True, False]


def test_the_other_logit_is_in_chart_and_table_and_covered_with_the_rest() -> None:
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
        if not hidden:
            assert circles["y"][-1] > -12
            assert np.isnan(zeros["y"]).all()
        else:
            assert circles["y"] == zeros["y"] == [], "no tool of a browser tells them"


def test_an_exact_zero_stands_in_a_row_of_its_own() -> None:
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
