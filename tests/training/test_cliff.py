"""The cliff: how steep it is, and what clipping does to descents from many starts."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.clipping.cliff.figures import WORDS
from lessons.chapters.clipping.cliff.lesson import LAB, at_the_wall, cliff
from lessons.chapters.clipping.cliff.recurrent import WINDOWS, errors_at, surface
from lessons.chapters.clipping.cliff.space import shades
from lessons.check.trainings import read
from lessons.outputs.catalogue import find
from lessons.training.under_way import finished
from tests.support import course

pytestmark = pytest.mark.slow

LESSON = find("cliff")
NAMES = WORDS("none"), WORDS("by_value"), WORDS("by_norm")


values = partial(course.settings, LESSON)


@pytest.mark.long
def test_the_papers_span_of_limits():
    """From half to ten times the average norm: slow at one end, too long a step at the other."""
    facts, whole = LESSON.compute(values()).facts, read(LESSON)["ends"][""]
    low, high = (
        finished(LAB, cliff, values(seeds=1, norm_limit=facts[name])).facts
        for name in ("half_mean", "ten_means")
    )
    assert 0.3 < low["norm_stayed"] < whole["norm_stayed"] - 0.2
    assert low["norm_left"] < 0.1
    assert high["norm_reached"] > 0.9
    assert high["norm_left"] > 0.8, "the longest step is longer than half the window is high"


@pytest.mark.parametrize("window", WINDOWS.values())
def test_the_map_and_the_landscape_show_the_programs_errors(window):
    error, norm = surface(cliff, window, torch.device("cpu"), torch.float64)
    places = torch.meshgrid(
        *(torch.linspace(*ends, 120, dtype=torch.float64) for ends in window), indexing="xy"
    )
    assert np.allclose(errors_at(*places), error, rtol=1e-6, atol=1e-9)
    for row, column in ((0, 0), (30, 90), (110, 40)):
        w, b = (float(one[row, column]) for one in places)
        seen = LESSON.compute(values(w=w, b=b, path=1))
        slopes = seen["true_gradient"].y
        assert float(error[row, column]) == pytest.approx(seen.facts["error"], rel=1e-6)
        assert float(norm[row, column]) == pytest.approx(math.hypot(*slopes), rel=1e-6)


@pytest.mark.parametrize("window", WINDOWS.values())
def test_the_landscape_has_a_wall_in_the_shade_and_a_valley_below_it(window):
    seen = shades(window)
    places = {}
    for name, of in {"wall": seen < 0.2, "valley": seen > 1}.items():
        rows, columns = np.nonzero(of)
        places[name] = rows, columns
        assert len(rows) > 0.001 * seen.size, name
    (wall, along), (valley, across) = places["wall"], places["valley"]
    assert np.ptp(along) > 0.4 * seen.shape[1], "it runs through the picture"
    for column in np.intersect1d(along, across):
        assert valley[across == column].min() < wall[along == column].max()


def test_a_path_is_drawn_to_the_first_place_outside():
    result = LESSON.compute(values())
    figure, _ = LESSON.lab.figures(result, values())
    drawn = {trace["name"]: trace["x"] for trace in figure.data if trace.get("name")}
    none, by_value, by_norm = NAMES
    assert figure.title == WORDS("surface_title", thrown=WORDS("thrown_at", name=none, update=1))
    points = {name: len(x) for name, x in drawn.items()}
    assert points == {none: 2, by_value: 201, by_norm: 201}


def test_where_it_is_flat_the_answer_is_another():
    assert at_the_wall(LESSON.compute(values(w=6.5, b=-1.6, path=20))) == "slow"
    assert at_the_wall(LESSON.compute(values(w=3.6, b=-1.66, rate=0.1))) == "valley"
