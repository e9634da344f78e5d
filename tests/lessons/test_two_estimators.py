"""Two estimators of one gradient: means and variances by closed forms, draws, and without stops."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.two_estimators.lesson import (
    MOST_DRAWS,
    each_draw,
    moments,
    normal_draws,
    two_estimators,
)
from lessons.outputs.catalogue import find
from tests.support import course
from tests.support.course import right

PLACES = [(1.0, 1.0), (-2.0, 0.5), (3.0, 2.0), (10.0, 0.1)]


run = partial(course.run, "two_estimators")


@pytest.mark.parametrize(("mu", "sigma"), PLACES)
@pytest.mark.parametrize("baseline", [0.0, 5.0, -7.5])
def test_one_mean_and_three_variances_as_the_closed_forms_have_them(
    mu: float, sigma: float, baseline: float
) -> None:
    d, c = mu - 3, (mu - 3) ** 2 - baseline
    square = c**2 + 12 * d**2 * sigma**2 + 15 * sigma**4 + 6 * c * sigma**2
    path, score = 4 * sigma**2, square / sigma**2 - 4 * d**2
    found = {name: moments(two_estimators, mu, sigma, name, baseline) for name in ("path", "score")}
    for one, variance in ((found["path"], path), (found["score"], score)):
        assert one.mean == pytest.approx(2 * (mu - 3), rel=1e-9, abs=1e-9 * math.sqrt(variance))
        assert one.variance == pytest.approx(variance, rel=1e-9)


def test_the_commit_shows_the_baseline_that_was_asked_about() -> None:
    lesson = find("two_estimators")
    question = next(one for one in lesson.prose.questions if one.name == "baseline")
    assert float(question.reveal["baseline"]) == pytest.approx(run().facts["cost"])
    assert run(**question.reveal).facts["trick_variance"] == pytest.approx(42)


@pytest.mark.parametrize("seed", range(4))
def test_draws_agree_with_the_quadrature(seed: int) -> None:
    eps = normal_draws(seed)
    for estimator, baseline in (("path", 0.0), ("score", 0.0), ("score", 5.0)):
        exact = moments(two_estimators, 1.0, 1.0, estimator, baseline)
        slopes = each_draw(two_estimators, eps, 1.0, 1.0, estimator, baseline)[1]
        error = math.sqrt(exact.variance / MOST_DRAWS)
        assert abs(slopes.mean().item() - exact.mean) < 4 * error
        assert slopes.var().item() == pytest.approx(exact.variance, rel=0.06)


def test_without_the_stop_the_answer_is_another() -> None:
    lesson = find("two_estimators")

    def forgotten(
        mu: torch.Tensor,
        eps: torch.Tensor,
        sigma: float,
        estimator: str,
        baseline: float,
    ) -> torch.Tensor:
        if estimator == "path":
            return two_estimators(mu, eps, sigma, estimator, baseline)
        x = mu + sigma * eps
        cost = ((x - 3) ** 2).detach()
        return (cost - baseline) * -0.5 * ((x - mu) / sigma) ** 2

    values = lesson.validate({})
    mean = partial(right, lesson, "mean")
    assert mean(lesson.compute(values)) == "same"
    assert mean(lesson.lab.compute(forgotten, values)) == "zero"


def test_fewer_draws_are_the_first_of_many() -> None:
    few, many = run(draws="3"), run(draws="1000")
    assert np.array_equal(few["trick_gradient"].y, many["trick_gradient"].y[:3])
