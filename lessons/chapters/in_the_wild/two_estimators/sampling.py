"""Draws of the estimators, and their exact mean and variance: autograd at quadrature nodes."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch

from lessons.contract.result import Array
from lessons.kit.gradients import gradient
from lessons.kit.inputs import array

Program = Callable[..., torch.Tensor]
"""From mu and eps, shape [n], sigma, estimator and baseline: what each draw adds, shape [n]."""

MOST_DRAWS = 100_000

TARGET = 3.0
"""Where the cost is 0; the program says so, too."""

_NODES = 12
"""Of the quadrature: exact up to the degree 23; the square of a score's gradient has 6."""


class Moments(NamedTuple):
    """The mean and the variance of one draw's gradient."""

    mean: float
    variance: float


@lru_cache(maxsize=4)
def normal_draws(seed: int) -> torch.Tensor:
    """Standard normal numbers, float64, shape [MOST_DRAWS]; fewer draws are the first of them."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(MOST_DRAWS, dtype=torch.float64, generator=generator)


def each_draw(
    program: Program,
    eps: torch.Tensor,
    mu: float,
    sigma: float,
    estimator: str,
    baseline: float | torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What each draw adds to the loss, and its gradient by mu, both of eps's shape."""
    means = torch.full_like(eps, mu).requires_grad_()
    added = program(means, eps, sigma, estimator, baseline)
    return added.detach(), gradient(added, means)


def moments(program: Program, mu: float, sigma: float, estimator: str, baseline: float) -> Moments:
    """Exact up to rounding: the gradients of all of these estimators are polynomials of eps."""
    eps, share = _quadrature()
    _, slopes = each_draw(program, torch.from_numpy(eps), mu, sigma, estimator, baseline)
    found = array(slopes)
    mean = float(share @ found)
    return Moments(mean, float(share @ (found - mean) ** 2))


def over_baselines(program: Program, mu: float, sigma: float, baselines: Array) -> Array:
    """The variance of the score function's gradient at each baseline, shape [b]."""
    eps, share = _quadrature()
    count = len(baselines)
    _, slopes = each_draw(
        program,
        torch.from_numpy(np.tile(eps, count)),
        mu,
        sigma,
        "score",
        torch.from_numpy(np.repeat(baselines, len(eps))),
    )
    found = array(slopes).reshape(count, len(eps))
    means = found @ share
    spread: Array = (found - means[:, None]) ** 2 @ share
    return spread


def expected_cost(mu: float, sigma: float, power: int = 0) -> float:
    """The mean of the cost times eps to this power."""
    eps, share = _quadrature()
    return float(share @ ((mu + sigma * eps - TARGET) ** 2 * eps**power))


def of_a_pair(program: Program, mu: float, sigma: float) -> float:
    """The mean gradient of two draws whose baseline is the mean of their own two costs."""
    eps, share = _quadrature()
    one, other = (torch.from_numpy(part.ravel()) for part in np.meshgrid(eps, eps))
    both = np.outer(share, share).ravel()
    costs = [(mu + sigma * part - TARGET) ** 2 for part in (one, other)]
    baseline = (costs[0] + costs[1]) / 2
    slopes = [each_draw(program, part, mu, sigma, "score", baseline)[1] for part in (one, other)]
    return float(both @ array(slopes[0] + slopes[1])) / 2


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Array, Array]:
    """Nodes and weights for the mean over a standard normal variable."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()
