"""Where a clip stands in a training step: against closed forms, and training done by hand."""

from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.clipping.where_to_clip.lesson import train, where_to_clip
from lessons.outputs.catalogue import find
from tests.support import course
from tests.support.course import right

W, V, X = 1.0, 2.0, 2.0
run = partial(course.run, "where_to_clip")


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def by_hand(place: str, limit: float, rate: float, steps: int):
    """Losses and used gradients of plain descent, with nothing but arithmetic."""
    w, v, losses, used = W, V, [], []
    for _ in range(steps):
        losses.append((v * w * X) ** 2 / 2)
        at_h = v * v * w * X  # dL/dh for h = w·x
        if place == "graph":
            at_h = min(max(at_h, -limit), limit)
        slopes = np.array([at_h * X, v * (w * X) ** 2])
        if place == "after":
            slopes *= min(1.0, limit / np.hypot(*slopes))
        used.append(slopes)
        w, v = w - rate * slopes[0], v - rate * slopes[1]
    return losses, used


@pytest.mark.parametrize("place", ["none", "graph", "after", "late", "early"])
@pytest.mark.parametrize("limit", [0.5, 3.0, 100.0])
def test_training_is_what_arithmetic_by_hand_says(place, limit):
    losses, used = train(where_to_clip, scalar(W), scalar(V), X, place, limit, 0.05, 4)
    expected, slopes = by_hand(place, limit, 0.05, 4)
    assert losses.tolist() == pytest.approx(expected, rel=1e-5)
    assert np.allclose(used.numpy(), slopes, rtol=1e-5)  # clip_grad_norm_ adds 1e-6 to the norm


@pytest.mark.parametrize("place", ["none", "early", "after"])
def test_which_number_is_returned_is_graded_from_the_number(place):
    lesson = find("where_to_clip")
    result = run(place=place)
    assert right(lesson, "returned", result) == "before"
    result.facts["returned"] = result.facts["example_limit"]
    assert right(lesson, "returned", result) == "after"
