"""The cliff: how steep it is, and what clipping does to descents from many starts."""

import math
from functools import partial

import pytest
import torch

from lessons.chapters.clipping.cliff.lesson import LAB, at_the_wall, cliff
from lessons.chapters.clipping.cliff.recurrent import WINDOWS, Window, surface
from lessons.check.trainings import read_trained
from lessons.outputs.catalogue import find
from lessons.training.under_way import finished
from tests.support import course
from tests.support.course import numbers

pytestmark = pytest.mark.slow

LESSON = find("cliff")
values = partial(course.settings, LESSON)


@pytest.mark.long
def test_the_papers_span_of_limits() -> None:
    """From half to ten times the average norm: slow at one end, too long a step at the other."""
    facts, whole = LESSON.compute(values()).facts, read_trained(LESSON)["ends"][""]  # "": defaults
    low, high = (
        numbers(finished(LAB, cliff, values(seeds=1, norm_limit=facts[name])).facts)
        for name in ("half_mean", "ten_means")
    )
    assert 0.3 < low["norm_stayed"] < whole["norm_stayed"] - 0.2, "many starts run out of steps"
    assert low["norm_left"] < 0.1, "short steps don't leave the window"
    assert high["norm_reached"] > 0.9, "long steps reach the valley first"
    assert high["norm_left"] > 0.8, "the longest step is longer than half the window is high"


@pytest.mark.parametrize("window", WINDOWS.values())
def test_the_map_shows_the_programs_errors(window: Window) -> None:
    error, norm = surface(cliff, window, torch.device("cpu"), torch.float64)
    places = torch.meshgrid(
        *(torch.linspace(*ends, 120, dtype=torch.float64) for ends in window), indexing="xy"
    )
    for row, column in ((0, 0), (30, 90), (110, 40)):
        w, b = (float(one[row, column]) for one in places)
        seen = LESSON.compute(values(w=w, b=b, path=1))
        slopes = seen["true_gradient"].y
        assert float(error[row, column]) == pytest.approx(seen.facts["error"], rel=1e-6)
        assert float(norm[row, column]) == pytest.approx(math.hypot(*slopes), rel=1e-6)


def test_a_flat_place_or_a_high_rate_gives_another_answer() -> None:
    assert at_the_wall(LESSON.compute(values(w=6.5, b=-1.6, path=20))) == "slow"
    assert at_the_wall(LESSON.compute(values(w=3.6, b=-1.66, rate=0.1))) == "valley"
