"""One bad sample in a batch, against closed forms."""

import math
from functools import partial

import numpy as np
import pytest

from lessons.chapters.in_the_wild.one_outlier.lesson import ordinary
from lessons.outputs.catalogue import find
from tests.support import course

run = partial(course.run, "one_outlier")


def by_hand(size: float = 100.0, angle: float = 120.0) -> np.ndarray:
    """The samples' gradients at w = 0 with nothing but arithmetic."""
    turn = math.radians(angle)
    bad = (math.cos(turn), math.sin(turn))
    found = []
    for place, (a, b) in enumerate([bad, *ordinary(7)]):
        error = 2 * a + b + (size if place == 0 else 0.0)  # w · x − y, at w = 0
        found.append((error * a, error * b))
    return np.array(found)


@pytest.mark.parametrize("size", [0.0, 3.0, 100.0, 1e6])
@pytest.mark.parametrize("limit", [0.0, 0.3, 1.0, 50.0])
def test_each_clip_is_its_closed_form(size: float, limit: float) -> None:
    samples = by_hand(size)
    mean = samples.mean(0)
    lengths = np.linalg.norm(samples, axis=1, keepdims=True)
    short = samples * np.minimum(1.0, limit / np.maximum(lengths, 1e-300))
    expected = {
        "none": mean,
        "batch": mean * min(1.0, limit / np.linalg.norm(mean)),
        "sample": short.mean(0),
    }
    for clip, gradient in expected.items():
        result = run(clip=clip, size=repr(size), limit=repr(limit))
        assert np.allclose(result["trick_gradient"].y, gradient, rtol=1e-9, atol=1e-12)
        assert np.allclose(result["intended_gradient"].y, samples[1:].mean(0), rtol=1e-9)
        assert np.allclose(result.planes["raw"], samples, rtol=1e-9)
        drawn = short if clip == "sample" else samples
        assert np.allclose(result.planes["samples"], drawn, rtol=1e-9, atol=1e-12)


def test_no_title_says_how_far_an_arrow_without_a_direction_turns() -> None:
    lesson = find("one_outlier")
    values = course.settings(lesson, clip="batch", limit=0)
    (figure,) = lesson.lab.figures(lesson.compute(values), values)
    assert figure.title == figure.subject
