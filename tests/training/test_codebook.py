"""The small VQ-VAE: which loss moves what at one point, and codes that start too far out."""

from functools import partial

import numpy as np
import pytest

from lessons.chapters.in_the_wild.codebook.lesson import LAB, vq_losses
from lessons.contract.result import Result
from lessons.outputs.catalogue import find
from lessons.training.under_way import finished
from tests.support import course
from tests.support.course import numbers

LESSON = find("codebook")
values = partial(course.settings, LESSON)


def sent(result: Result, part: str) -> np.ndarray:
    return next(one.y for one in result.curves if one.name == f"{part}_trick_gradient")


@pytest.mark.parametrize("z", [(0.1, 0.9), (-0.7, -0.2), (40.0, -3.0), (0.5, 0.4)])
def test_each_loss_moves_what_the_paper_says(z: tuple[float, float]) -> None:
    result = LESSON.compute(values(z1=z[0], z2=z[1], dtype="float64"))
    assert not sent(result, "reconstruction")[2:4].any()
    assert sent(result, "reconstruction")[:2].any()
    assert not sent(result, "codebook")[[0, 1, 4]].any()
    assert not sent(result, "commitment")[2:].any()
    away = np.array(z) - result["forward"].y[2:4]
    assert sent(result, "codebook")[2:4] == pytest.approx(-away)
    assert sent(result, "commitment")[:2] == pytest.approx(0.25 * away)


@pytest.mark.slow
def test_codes_that_start_far_out_stay_out_of_use() -> None:
    near, far = (
        numbers(finished(LAB, vq_losses, values(seeds=3, steps=150, start=start)).facts)
        for start in (1, 5)
    )
    assert near["trick_used"] > 15
    assert far["trick_used"] < 8
    assert far["trick_error_lowest"] > near["trick_error_highest"]
