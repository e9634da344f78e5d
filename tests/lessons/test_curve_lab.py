"""The curve lab: curves, axes, notes, differences."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from lessons.contract.devices import DTYPES
from lessons.contract.lesson import Lesson
from lessons.contract.settings import slider
from lessons.kit.chart_pieces import round_up
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.experiment import Roles
from lessons.kit.gradients import gradient
from lessons.kit.inputs import AlongX
from lessons.kit.line_names import named
from lessons.outputs.catalogue import find
from tests.lessons.a_curve import WORDS
from tests.support.course import run


class Shifted(AlongX):
    shift = slider(0, 0, 1)


@pytest.mark.parametrize("slug", ["clip_identity", "flip"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_curves_have_a_point_at_zero_and_agree_with_the_points(slug: str, dtype: str) -> None:
    result = run(slug, dtype=dtype, x="0, 1, 2")
    for series in result.curves:
        assert len(series.x) % 2 == 1
        middle = len(series.x) // 2
        assert series.x[middle] == 0.0
        assert series.y[middle] == result[series.name].y[0]


def test_a_lessons_own_cause_is_told_before_the_general_ones() -> None:
    def root(x: torch.Tensor, shift: float) -> torch.Tensor:
        return (x + shift).sqrt()

    def causes(x: torch.Tensor, roles: Roles) -> Iterator[tuple[torch.Tensor, str]]:
        yield x < 0, "the root of a negative number is NaN."

    lab = curve_lab(Curve(Shifted, root, lambda x, shift: torch.ones_like(x), WORDS, causes=causes))
    lesson = Lesson(root, lab)
    result = lesson.compute(lesson.validate({"x": "-1, 0, 4"}))
    assert next(note.text for note in result.notes) == (
        "At x = −1: the root of a negative number is NaN."
    )
    assert "At x = 0:" in result.notes[1].text
    assert result["true_gradient"].y[2] == 0.25
    assert not np.isfinite(result["true_gradient"].y[:2]).any()


def test_facts_that_no_text_quotes_are_not_computed() -> None:
    asked = []

    def facts(run: Run, settings: Shifted) -> dict[str, float]:
        asked.append(settings)
        return {"doubled": 2 * run()["trick_gradient"]}

    def square(x: torch.Tensor, shift: float) -> torch.Tensor:
        return x**2

    lab = curve_lab(Curve(Shifted, square, lambda x, shift: 2 * x, WORDS, facts=(facts,)))
    lesson = Lesson(square, lab)
    values = lesson.validate({"x": "3"})
    result = lesson.compute(values)
    lesson.lab.figures(result, values)
    assert (result.facts["trick_gradient"], asked) == (6.0, [])
    assert (result.facts["doubled"], result.facts["doubled"], len(asked)) == (12.0, 12.0, 1)


def test_gradient_is_zero_without_a_path_to_x() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert gradient(x.detach() ** 2, x).tolist() == [0.0, 0.0]
    assert gradient(torch.tensor([1.0], requires_grad=True), x).tolist() == [0.0, 0.0]


def test_an_axis_never_overflows() -> None:
    largest = np.array([-1.7e308, 1.0])
    assert math.isfinite(2 * round_up([largest], 1.0))
    result = run("clip_identity", x="-1.7e308, 1.7e308")
    lesson = find("clip_identity")
    for figure in lesson.lab.figures(result, lesson.validate({})):
        low, high = figure.layout["xaxis"]["range"]
        assert math.isfinite(high - low)


def ends(**last: float) -> dict[str, float]:
    """Where the name of each line stands that ends at this height, on an axis from 0 to 100."""
    layout = {
        "xaxis": {"range": [0.0, 1.0]},
        "yaxis": {"range": [0.0, 100.0]},
        "margin": {"t": 0, "b": 0, "r": 0},
    }
    lines = [(role, role, np.array([0.0, y])) for role, y in last.items()]
    traces = named(lines, layout, 200)
    return {trace["text"][0].strip("\u00a0"): trace["y"][0] for trace in traces}


def test_the_names_of_lines_stand_in_the_order_of_their_ends() -> None:
    for high in (60.0, 57.0):  # 20 and 14 pixels above the other one
        found = ends(trick_gradient=high, true_gradient=50.0)
        assert found["trick_gradient"] > found["true_gradient"]
    together = ends(trick_gradient=50.5, intended_gradient=50.0, true_gradient=50.2)
    assert together["trick_gradient"] < together["intended_gradient"] < together["true_gradient"]
