"""The small VQ-VAE: which loss moves what at one point, and codes that start too far out."""

from functools import partial

import numpy as np
import pytest

from lessons.chapters.in_the_wild.codebook.lesson import LAB, PARTS, vq_losses
from lessons.outputs.catalogue import find
from lessons.training.under_way import finished
from tests.support import course
from tests.support.course import numbers

LESSON = find("codebook")
values = partial(course.settings, LESSON)


@pytest.mark.parametrize("z", [(0.1, 0.9), (-0.7, -0.2), (40.0, -3.0), (0.5, 0.4)])
def test_each_loss_moves_what_the_paper_says(z: tuple[float, float]) -> None:
    given = values(z1=z[0], z2=z[1], dtype="float64")
    reconstruction, codebook, commitment = (
        LESSON.compute(given | {"part": part})["trick_gradient"].y for part in PARTS
    )
    assert not reconstruction[2:4].any()
    assert reconstruction[:2].any()
    assert not codebook[[0, 1, 4]].any()
    assert not commitment[2:].any()
    away = np.array(z) - LESSON.compute(given)["forward"].y[2:4]
    assert codebook[2:4] == pytest.approx(-away)
    assert commitment[:2] == pytest.approx(0.25 * away)


@pytest.mark.slow
def test_codes_that_start_far_out_stay_out_of_use() -> None:
    near, far = (
        numbers(finished(LAB, vq_losses, values(seeds=3, steps=150, start=start)).facts)
        for start in (1, 5)
    )
    assert near["trick_used"] > 15
    assert far["trick_used"] < 8
    assert far["trick_error_lowest"] > near["trick_error_highest"]
