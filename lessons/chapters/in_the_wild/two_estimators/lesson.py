"""Two gradients of one expectation: through the sample, and by the sample's log-probability."""

import torch

from lessons.chapters.in_the_wild.two_estimators.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.tricks import stop_gradient


def two_estimators(
    mu: torch.Tensor, eps: torch.Tensor, sigma: float, estimator: str, baseline: float
) -> torch.Tensor:
    x = mu + sigma * eps
    if estimator == "path":
        return (x - 3) ** 2
    if estimator == "score":
        x = stop_gradient(x)
    cost = stop_gradient((x - 3) ** 2)
    logp = -0.5 * ((x - mu) / sigma) ** 2
    return (cost - baseline) * logp


def with_a_baseline(result: Result) -> str:
    """What the mean cost, taken as the baseline, changes: the mean, the variance, or nothing."""
    mean, before, after, exact = (
        float(result.facts[name])
        for name in ("based_expected", "score_variance", "based_variance", "exact")
    )
    if abs(mean - exact) > 1e-6 * abs(exact):
        return "moves"
    return "calmer" if after < 0.99 * before else "nothing"


LESSON = Lesson(
    program=two_estimators,
    lab=LAB,
    predictions={"baseline": with_a_baseline},
    highlight="x = stop_gradient(x)",
)
