"""A sketch is graded by the computed curve and the beliefs' curves, and hostile text is refused."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.contract.lesson import Lesson
from lessons.contract.result import Result, Series
from lessons.contract.sketch import LEVELS, Sketch
from lessons.outputs.catalogue import lessons
from lessons.prose.steps import Step
from tests.support.present import present

X = (-2.0, -1.0, 1.0, 2.0)


def with_slope(slope: float) -> Sketch:
    x = np.array(X)
    beliefs = {"line": slope * x, "flat": 0 * x, "bent": slope * np.abs(x)}
    return Sketch(X, near=0.4, low=-3.0, high=3.0, label="dy/dx", beliefs=beliefs)


SKETCH = with_slope(1.0)
DRAWN = [
    (lesson, step)
    for lesson in lessons()
    for step in lesson.prose.steps
    if step.question and step.question.kind == "sketch"
]
EACH = pytest.mark.parametrize(("lesson", "step"), DRAWN, ids=lambda one: getattr(one, "slug", ""))


Function = Callable[[np.ndarray], np.ndarray]


def result(slope: float = 1.0, y: Function | None = None) -> Result:
    x = np.linspace(-2.5, 2.5, 51)
    curve = slope * x if y is None else y(x)
    series = Series("trick_gradient", "trick_gradient", x, curve)
    return Result((series,), (series,))


def drawn(values: Sequence[float], of: Sketch = SKETCH) -> str:
    return of.write(np.array(values))


def test_a_sketch_counts_as_the_belief_whose_curve_it_resembles() -> None:
    grade = SKETCH.grade
    assert grade(drawn([-2.2, -0.8, 1.1, 1.7]), result()).key == "line"
    assert grade(drawn([2, 1, 1, 2]), result()).key == "bent"
    assert grade(drawn([0, 0.1, 0, 0]), result()).key == "flat"
    assert grade(drawn([3, -3, 3, -3]), result()).key == ""


def test_hits_are_those_near_the_computed_curve_not_near_a_belief() -> None:
    falling = result(y=lambda x: -x)
    graded = SKETCH.grade(drawn([-2, -1, 1, 2]), falling)
    assert (graded.key, graded.hits) == ("line", 0)
    assert SKETCH.grade(drawn([2, 1, -1, 0]), falling).hits == 3
    assert "3 of 4 handles" in str(SKETCH.grade(drawn([2, 1, -1, 0]), falling))


def test_the_beliefs_decide_and_what_is_off_the_chart_counts_as_its_edge() -> None:
    flat_is_line = with_slope(0.0).grade(drawn([0, 0, 0, 0]), result(slope=0.0))
    assert (flat_is_line.key, flat_is_line.hits) == ("line", 4)
    steep = with_slope(9.0).grade(drawn([-3, -3, 3, 3]), result(slope=9.0))
    assert (steep.key, steep.hits) == ("line", 4)


def test_gaps_of_the_curve_are_bridged_and_a_short_curve_is_an_error() -> None:
    with_gap = result(y=lambda x: np.where(np.abs(x) < 0.05, np.nan, x))
    assert SKETCH.grade(drawn(X), with_gap).hits == len(X)
    short = replace(SKETCH, x=(-9.0, 9.0))
    with pytest.raises(ValueError, match="does not reach"):
        short.computed(result())


@pytest.mark.parametrize(
    "text",
    [None, 7, [], {}, "", "000", "00000", "zzzz", "٠٠٠٠", "0 00", "-1.0", "0" * 10**6, b"0000"],
)
def test_what_is_no_sketch_is_refused_with_a_sentence(text: Any) -> None:
    with pytest.raises(ValueError, match=r"A sketch of this curve has .*\.$"):
        SKETCH.read(text)


@given(st.lists(st.integers(0, LEVELS), min_size=len(X), max_size=len(X)))
def test_every_sketch_comes_back_from_its_text(levels: list[int]) -> None:
    y = SKETCH.low + np.array(levels) / LEVELS * (SKETCH.high - SKETCH.low)
    assert np.allclose(SKETCH.read(SKETCH.write(y)), y, atol=1e-9)
    graded = SKETCH.grade(SKETCH.write(y), result())
    assert 0 <= graded.hits <= len(X)
    assert graded.key in ("line", "flat", "bent", "")


def test_the_gap_is_named_where_it_is_widest() -> None:
    graded = SKETCH.grade(drawn([-2, -1, 1, 0.5]), result())
    assert (graded.widest, graded.gap) == (3, "off by up to 1.5 at x = 2")
    assert "3 of 4 handles" in str(graded)
    assert graded.gap in str(graded)
    assert SKETCH.grade(drawn(X), result()).gap == ""


@EACH
def test_a_sketch_is_drawn_on_the_labs_own_chart(lesson: Lesson, step: Step) -> None:
    """On the axis of the whole chart, with its name, and with its curves that are not covered."""
    sketch = lesson.sketch(present(step.question))
    values = lesson.validate(step.lab)
    hidden = frozenset(present(step.question).hides)
    (chart,) = (
        one
        for one in lesson.lab.figures(lesson.compute(values), values)
        if one.name == sketch.chart
    )
    level = (sketch.high - sketch.low) / LEVELS
    assert (sketch.low, sketch.high) == pytest.approx(chart.layout["yaxis"]["range"], abs=level)
    assert chart.layout["xaxis"]["range"][0] <= min(sketch.x)
    assert max(sketch.x) <= chart.layout["xaxis"]["range"][1]
    assert sketch.label == chart.layout["yaxis"]["title"]["text"]
    roles = {line["role"] for line in sketch.lines}
    assert roles
    assert not roles & hidden
    assert len(roles) == len(sketch.lines), "each is named once"
    curves = {one.role: one for one in lesson.compute(values).curves}
    for line in sketch.lines:
        of = curves[line["role"]]
        low, high = (of.y if end is None else end for end in (of.low, of.high))
        for stretch in line["stretches"]:
            assert (np.diff(stretch["x"]) > 0).all(), "no line leads back"
            there = np.isin(of.x, stretch["x"])
            ends = np.clip([low[there], high[there]], sketch.low, sketch.high)
            assert np.isclose(ends, stretch["y"]).any(axis=0).all()
            if line["dash"] != "ticks":
                within = (of.x >= stretch["x"][0]) & (of.x <= stretch["x"][-1])
                assert np.isfinite(of.y[within]).all(), "a gap stays a gap"
    x, y = sketch.whole(lesson.compute(values))
    assert set(sketch.x) <= set(x), "the whole curve passes each handle"
    at = [y[x.index(one)] for one in sketch.x]
    assert np.allclose(at, sketch.computed(lesson.compute(values)))


def test_a_chart_without_0_among_its_levels_is_an_error() -> None:
    for low, high in ((1.0, 2.0), (-1.0, 2.3)):
        with pytest.raises(ValueError, match="0 is no level"):
            replace(SKETCH, low=low, high=high)
