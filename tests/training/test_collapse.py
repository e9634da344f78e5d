"""Self-supervised features: what the stop on the target branch changes, as means over seeds."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.collapse.lesson import (
    FEATURES,
    FULL,
    LAB,
    Pairs,
    measured,
    siamese,
)
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.outputs.catalogue import find
from lessons.training.under_way import Run, finished
from tests.recorder.programs import Program
from tests.support import course
from tests.support.amount import also
from tests.support.course import numbers
from tests.support.present import present

pytestmark = pytest.mark.slow

LESSON = find("collapse")
TARGETS = ("cosine", 1), ("cosine_1", 1)
"""Where the stop stands: the edges from the views to the two losses."""


values = partial(course.settings, LESSON)


def trained(*cuts: Cut, program: Program = siamese, **given: Any) -> Mapping[str, float]:
    chosen = values(**{"seeds": 4, "steps": 100} | given)
    whole = LESSON.cut_open(cuts) if cuts else program
    return numbers(finished(LAB, whole, chosen).facts)


def in_turn(*parts: tuple[dict[str, str], int]) -> list[Mapping[str, float]]:
    """Facts after each part of one run: settings changed on the way, and so many steps."""
    run = Run(LAB, siamese, values(seeds=2))
    found = []
    for changed, steps in parts:
        run.advance(math.inf, values(seeds=2, **changed), most=steps)
        found.append(numbers(run.history.facts))
    return found


def collapsed(facts: Mapping[str, float], arm: str) -> bool:
    """What the lesson calls collapse: all inputs have nearly the same features."""
    return facts[f"{arm}_spread"] < 0.1 * FULL


@pytest.mark.parametrize("one", [TARGETS[0], *also((TARGETS[1],))])
def test_one_cut_is_not_enough(one: Cut) -> None:
    assert collapsed(trained(one, target="open"), "trick")


def test_without_a_predictor_the_stop_halves_the_gradient_and_with_one_it_turns_it() -> None:
    without, with_one = (
        LESSON.compute(values(head=one, dtype="float64")) for one in ("none", "network")
    )
    assert without["trick_gradient"].y == pytest.approx(without["true_gradient"].y / 2)
    assert without.facts["kept"] == pytest.approx(0.5)
    assert np.ptp(with_one["trick_gradient"].y / with_one["true_gradient"].y) > 1


def test_the_spread_falls_faster_than_it_returns() -> None:
    before, fallen, after = in_turn(({}, 100), ({"target": "open"}, 100), ({}, 100))
    assert fallen["trick_spread"] < 0.3 * before["trick_spread"], "100 open steps lose most"
    returned = after["trick_spread"] - fallen["trick_spread"]
    assert returned < 0.2 * (before["trick_spread"] - fallen["trick_spread"]), "little returns"


def test_the_largest_spread_is_what_the_chart_says() -> None:
    corners = torch.cat([torch.eye(FEATURES), -torch.eye(FEATURES)], 1).double()[None]
    assert float(measured(corners, corners)["spread"]) == pytest.approx(FULL, rel=1e-12)


def test_a_head_reads_what_is_there_and_guesses_where_nothing_is() -> None:
    x = Pairs(siamese, values(seeds=8, dtype="float64")).x
    assert float(measured(x, x)["accuracy"].mean()) > 0.85
    fresh = torch.randn(x.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    assert 0.45 < float(measured(fresh, x)["accuracy"].mean()) < 0.55, "guesses, up to noise"
    assert 0.4 < float(measured(torch.ones_like(x), x)["accuracy"].mean()) < 0.6, "guesses"


def test_two_losses_near_their_lowest_are_two_lines_on_an_axis_that_names_losses() -> None:
    given = values(seeds=2, steps=100)
    figure = present(LAB.training).figures(finished(LAB, siamese, given), given)[0]
    axis = figure.layout["yaxis"]
    for place, word in zip(axis["tickvals"], axis["ticktext"], strict=True):
        assert float(word.replace("−", "-")) == pytest.approx(place - 1)
    low, high = axis["range"]
    lines = [one["y"] for one in figure.data if one["mode"] == "lines" and "fill" not in one]
    ends = [(math.log10(y[-1]) - low) / (high - low) for y in lines]
    assert len(ends) == 2
    assert abs(ends[0] - ends[1]) > 0.25, "a quarter of the axis apart, so both names fit"
    assert all(0 <= end <= 1 for end in ends)
