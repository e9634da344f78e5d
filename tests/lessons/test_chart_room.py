"""What stands in a chart is seen: no name over another or beyond the frame, no line under one."""

import re

import numpy as np
import pytest

from lessons.contract.figure import Figure
from lessons.kit.line_names import NAMES
from lessons.outputs.catalogue import find

PHONE = 350
"""Pixels of the narrowest chart."""
LETTER = 5.0
"""Pixels of a letter."""
MANY = ", ".join(map(str, range(1, 13)))


def drawn(slug: str, name: str, hidden: frozenset[str] = frozenset(), **given: str) -> Figure:
    lesson = find(slug)
    values = lesson.validate(given)
    figures = lesson.figures(lesson.compute(values), values, hidden)
    return next(one for one in figures if one.name == name)


def names_meet(figure: Figure) -> bool:
    """Whether two names below a chart's axis meet on a phone."""
    axis, margin = figure.layout.get("xaxis", {}), figure.layout.get("margin", {})
    if len(axis.get("tickvals", ())) < 2 or "ticktext" not in axis:
        return False
    low, high = axis["range"]
    per = (PHONE - margin["l"] - margin["r"]) / (high - low)
    rows = [re.sub("<su[bp]>|</su[bp]>", "", one).split("<br>") for one in axis["ticktext"]]
    wide = np.array([LETTER * max(map(len, one)) for one in rows])
    return bool(((wide[:-1] + wide[1:]) / 2 > np.diff(axis["tickvals"]) * per + 1).any())


@pytest.mark.parametrize(
    ("slug", "given"), [("value_one", {"x": MANY, "advantages": MANY}), ("not_finite", {"w": MANY})]
)
def test_many_names_below_an_axis_stand_apart_on_a_phone(slug: str, given: dict[str, str]) -> None:
    lesson = find(slug)
    values = lesson.validate(given)
    drawn = lesson.lab.figures(lesson.compute(values), values)
    assert not any(map(names_meet, drawn))
    assert any(figure.layout["xaxis"].get("ticktext") for figure in drawn)


def test_a_covered_peak_does_not_flatten_the_other_histogram() -> None:
    covered = drawn("right_place", "histogram", frozenset({"trick_gradient"}))
    true = next(one for one in covered.data if one["name"] == "true gradient")
    assert true["y"].min() == -1


@pytest.mark.parametrize("slug", ["two_players", "wrong_ways"])
def test_arrows_with_no_reversal_lie_on_those_of_autograd(slug: str) -> None:
    names = [one.get("name") for one in drawn(slug, "plane").data]
    assert names.index("autograd") < names.index("no reversal")


@pytest.mark.parametrize("angle", range(-180, 180, 45))
def test_the_name_of_the_bad_sample_stays_in_the_frame(angle: int) -> None:
    figure = drawn("one_outlier", "arrows", angle=str(angle), size="200")
    (left, right), (low, high) = (figure.layout[axis]["range"] for axis in ("xaxis", "yaxis"))
    (name,) = (one for one in figure.data if one.get("mode") == "text")
    (x,), (y,), (word,) = name["x"], name["y"], name["text"]
    margin = figure.layout["margin"]
    wide = LETTER * len(word) * (right - left) / (PHONE - margin["l"] - margin["r"])
    inwards = -wide if "left" in name["textposition"] else wide
    assert left < min(x, x + inwards) < max(x, x + inwards) < right
    assert low < y < high


def test_names_above_a_chart_go_with_what_a_question_covers() -> None:
    names = [
        [one["text"] for one in drawn("value_or_norm", "arrows", hidden).layout["annotations"]]
        for hidden in (frozenset(), frozenset({"trick_gradient"}))
    ]
    assert any("by value" in one for one in names[0])
    assert not any("by value" in one for one in names[1])


@pytest.mark.parametrize("given", [{}, {"x": "-2, 4, 12, 20", "dtype": "float32"}])
def test_each_line_of_the_starved_gradient_has_a_name(given: dict[str, str]) -> None:
    words = {
        one["text"][0].strip()
        for one in drawn("starved", "size", frozenset(), **given).data
        if "text" in one
    }
    assert words >= {NAMES["true_gradient"], NAMES["trick_gradient"], "right logit"}


def test_lines_that_are_one_are_all_seen() -> None:
    """The critic that is detached learns as from its own loss: the dashes lie on the line."""
    lines = {one.get("name"): one for one in drawn("critic_leak", "updates", stop="yes").data}
    order = [name for name in lines if name in ("mean reward", "your v", "own loss")]
    assert order == ["mean reward", "your v", "own loss"]
    assert lines["mean reward"]["line"]["width"] > lines["your v"]["line"]["width"]


def test_what_is_not_recorded_differs_by_more_than_its_colour() -> None:
    edges, ops, own_edges, own_ops = drawn("frozen_checkpoint", "recorded").data
    assert edges["line"]["dash"] != own_edges["line"]["dash"]
    assert ops["marker"]["symbol"] != own_ops["marker"]["symbol"]


def test_a_weight_at_the_end_of_what_floats_reach_has_an_axis() -> None:
    ends = drawn("unroll", "gradient", w="1e308, -1e308").layout["xaxis"]["range"]
    assert np.isfinite(ends[1] - ends[0])
