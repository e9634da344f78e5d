"""The critic's leak: gradients and values against closed forms, and with the stop taken away."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.critic_leak.lesson import (
    by_autograd,
    by_formula,
    critic_leak,
    learn,
)
from lessons.outputs.catalogue import find
from tests.lessons.titles import read_back
from tests.support import course

run = partial(course.run, "critic_leak")


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


def settled(
    stop: str,
    weight: float,
    logit: float,
    rewards: tuple[float, float],
    rate: float = 0.3,
    updates: int = 400,
) -> float:
    def loss(v: torch.Tensor, z: torch.Tensor, r: float) -> torch.Tensor:
        return critic_leak(v, z, r, weight, stop)

    given = scalar(0.0), scalar(logit), rewards, (rate, 0.0), updates
    return float(learn(by_autograd(loss), *given)[0][-1])


@pytest.mark.parametrize(
    ("weight", "logit", "rewards"), [(0.3, -3.0, (1.0, 0.0)), (2.0, 1.5, (-2.0, 5.0))]
)
def test_the_value_settles_at_the_mean_reward_plus_entropy_over_weight(
    weight: float, logit: float, rewards: tuple[float, float]
) -> None:
    p = sigmoid(logit)
    mean = p * rewards[0] + (1 - p) * rewards[1]
    entropy = -p * math.log(p) - (1 - p) * math.log(1 - p)
    assert settled("no", weight, logit, rewards) == pytest.approx(mean + entropy / weight, rel=1e-6)
    assert settled("yes", weight, logit, rewards) == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize("weight", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("logit", [-3.0, 0.3])
def test_the_formula_of_the_own_losses_is_what_autograd_gives(weight: float, logit: float) -> None:
    given = scalar(0.5), scalar(logit), (1.0, -0.4), (0.3, 0.2), 50
    formula = learn(partial(by_formula, weight), *given)
    autograd = learn(by_autograd(lambda v, z, r: critic_leak(v, z, r, weight, "yes")), *given)
    for one, other in zip(formula, autograd, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-14)


def test_before_the_first_update_each_name_stands_beside_its_point() -> None:
    lesson = find("critic_leak")
    for updates, beside in (("0", True), ("60", False)):
        values = course.settings(lesson, updates=updates)
        (figure,) = lesson.lab.figures(lesson.compute(values), values)
        end = figure.layout["xaxis"]["range"][1]
        names = [one for one in figure.data if one.get("mode") == "text"]
        assert len(names) == 4
        assert all((one["x"][0] < 0.1 * end) is beside for one in names[:3]), "no line leads there"
        assert names[3]["x"] == [end]
        started = read_back(lesson.lab.words, "starts", figure.title)
        assert (started.get("v") == "0.5") is beside


def test_with_an_actor_that_learns_the_leak_goes_and_the_value_meets_the_mean_reward() -> None:
    asked = find("critic_leak").prose.steps[-2].lab
    for rate, apart in (("0", 0.6), ("1", 0.05)):
        curves = {one.name: one.y for one in run(**{**asked, "actor_rate": rate}).curves}
        left = curves["value"][-1] - curves["mean_reward"][-1]
        assert (left > apart) if rate == "0" else (0 <= left < apart)


def test_with_no_loss_of_its_own_the_value_rises_by_the_entropy_each_update() -> None:
    curves = {one.name: one.y for one in run(weight="0", rate="0.1", v="2").curves}
    assert np.diff(curves["value"]) == pytest.approx(0.1 * math.log(2))
    assert np.ptp(curves["value_own"]) == 0
