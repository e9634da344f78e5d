"""What stands in a chart is seen: no name over another or beyond the frame, no line under one."""

import re
from itertools import product

import numpy as np
import pytest

from lessons.kit.line_names import NAMES
from lessons.outputs.catalogue import find
from tests.support.folded import folded

PHONE = 350
"""Pixels of the narrowest chart."""
LETTER, TALL = 5.0, 13.0
"""Pixels of a letter, and of a line of them."""
MANY = ", ".join(map(str, range(1, 13)))


def drawn(slug, name, hidden=frozenset(), **given):
    lesson = find(slug)
    values = lesson.validate(given)
    figures = lesson.figures(lesson.compute(values), values, hidden)
    return next(one for one in figures if one.name == name)


def names_meet(figure):
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
def test_many_names_below_an_axis_stand_apart_on_a_phone(slug, given):
    lesson = find(slug)
    values = lesson.validate(given)
    drawn = lesson.lab.figures(lesson.compute(values), values)
    assert not any(map(names_meet, drawn))
    assert any(figure.layout["xaxis"].get("ticktext") for figure in drawn)


def test_a_covered_peak_does_not_flatten_the_other_histogram():
    covered = drawn("right_place", "histogram", frozenset({"trick_gradient"}))
    true = next(one for one in covered.data if one["name"] == "true gradient")
    assert true["y"].min() == -1


@pytest.mark.parametrize("slug", ["two_players", "wrong_ways"])
def test_arrows_with_no_reversal_lie_on_those_of_autograd(slug):
    names = [one.get("name") for one in drawn(slug, "plane").data]
    assert names.index("autograd") < names.index("no reversal")


def boxes(figure):
    """Name, ends across and down of each label that is seen, in pixels of a phone."""
    (left, right), (low, _) = (figure.layout[axis]["range"] for axis in ("xaxis", "yaxis"))
    margin = figure.layout["margin"]
    per = (PHONE - margin["l"] - margin["r"]) / (right - left)  # both axes have one scale
    for one in figure.data:
        if one.get("mode") != "text" or not one.get("visible", True):
            continue
        (x,), (y,), (word,), side = one["x"], one["y"], one["text"], one["textposition"]
        wide = LETTER * max(map(len, word.split("<br>")))
        start = per * (x - left) - wide * (0.5 if "center" in side else "left" in side)
        lower = per * (y - low) - TALL * (0.5 if "middle" in side else "bottom" in side)
        yield word, (start, start + wide), (lower, lower + TALL), per * (right - left)


@folded("clip, limit, angle", product(["none", "batch"], ["1", "5"], range(-180, 180, 15)))
def test_the_name_of_the_bad_sample_and_of_the_mean_stand_apart(clip, limit, angle):
    figure = drawn("one_outlier", "arrows", clip=clip, limit=limit, angle=str(angle), size="200")
    words = [one for one in boxes(figure) if re.search("bad|clip", one[0])]
    for word, across, _, end in words:
        assert -20 < across[0] < across[1] < end + 20, word
    (_, a, b, _), (_, c, d, _) = words
    assert a[1] <= c[0] or c[1] <= a[0] or b[1] <= d[0] or d[1] <= b[0], words


@pytest.mark.parametrize("g", [("3", "1"), ("-3", "1"), ("1", "3"), ("-1", "-3"), ("3", "3")])
def test_the_names_of_three_arrows_that_are_one_stay_in_the_frame(g):
    figure = drawn("value_or_norm", "arrows", g1=g[0], g2=g[1], limit="5")
    named = [one for one in boxes(figure) if "=" in one[0]]
    assert len(named) == 2
    for word, across, _, end in named:
        assert -12 <= across[0] < across[1] <= end + 12, word


@pytest.mark.parametrize("given", [{}, {"x": "-2, 4, 12, 20", "dtype": "float32"}])
def test_each_line_of_the_starved_gradient_has_a_name(given):
    words = {
        one["text"][0].strip() for one in drawn("starved", "size", **given).data if "text" in one
    }
    assert words >= {NAMES["true_gradient"], NAMES["trick_gradient"], "right logit"}


def test_lines_that_are_one_are_all_seen():
    """The critic that is detached learns as from its own loss: the dashes lie on the line."""
    lines = {one.get("name"): one for one in drawn("critic_leak", "updates", stop="yes").data}
    order = [name for name in lines if name in ("mean reward", "your v", "own loss")]
    assert order == ["mean reward", "your v", "own loss"]
    assert lines["mean reward"]["line"]["width"] > lines["your v"]["line"]["width"]


def test_what_is_not_recorded_differs_by_more_than_its_colour():
    edges, ops, own_edges, own_ops = drawn("frozen_checkpoint", "recorded").data
    assert edges["line"]["dash"] != own_edges["line"]["dash"]
    assert ops["marker"]["symbol"] != own_ops["marker"]["symbol"]


def test_a_weight_at_the_end_of_what_floats_reach_has_an_axis():
    ends = drawn("unroll", "gradient", w="1e308, -1e308").layout["xaxis"]["range"]
    assert np.isfinite(ends[1] - ends[0])
