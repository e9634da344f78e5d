"""Values learned from values: where the training rests with a stop on the target and without."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.moving_target.lesson import LAB, task_of, td_loss
from lessons.outputs.catalogue import find
from lessons.training.under_way import Run, finished
from tests.support import course
from tests.support.amount import also
from tests.support.course import numbers
from tests.support.present import present

pytestmark = pytest.mark.slow

LESSON = find("moving_target")
values = partial(course.settings, LESSON)


@pytest.mark.parametrize("chance", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("discount", [0.5, 0.9, 1.0])
def test_with_the_stop_the_true_values_are_at_rest_and_without_the_lowest_loss(
    chance: float, discount: float
) -> None:
    task = task_of(values(task="walk", chance=chance, discount=discount))
    w = task.rests(stop=False).requires_grad_()
    loss = task.loss(w)
    assert torch.autograd.grad(loss, w)[0].abs().max() < 1e-12
    assert float(loss.detach()) < float(task.loss(task.true()))
    assert task.rms_error(task.rests(stop=True), task.true()) < 1e-12


@pytest.mark.parametrize("rate", [0.2, *also(0.05, 0.01)])
def test_a_shared_weight_grows_with_the_stop_at_any_small_rate_and_falls_without(
    rate: float,
) -> None:
    given = values(task="two", rate=rate, steps=int(10 / rate), dtype="float64")
    facts = numbers(finished(LAB, td_loss, given).facts)
    seen = LESSON.compute(given).facts
    assert facts["trick_off_lowest"] > 1e4
    assert facts["plain_off_highest"] < 1e-3
    assert seen["factor_stopped"] == pytest.approx(1 + 2 * rate * (2 * 0.9 - 1))
    assert seen["factor_open"] == pytest.approx(1 - 2 * rate * (2 * 0.9 - 1) ** 2)


def test_the_resting_error_is_not_drawn_before_the_run() -> None:
    given = values(seeds=2, steps=4, chance=1)
    run = Run(LAB, td_loss, given)
    seen = []
    for _ in range(2):
        traces = present(LAB.training).figures(run.history, given)[0].data
        (still,) = (one for one in traces if one.get("name") == "lowest mean squared error")
        seen.append(bool(np.isfinite(still["y"]).all()))
        run.advance(math.inf, given)
    assert seen == [False, True]
