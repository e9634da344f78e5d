"""The running example of chapter 1: y = x², noise u, z = √(y·u), and its gradients by role."""

import torch

from lessons.contract.lab import Start
from lessons.contract.parameters import Numbers
from lessons.contract.settings import declared, slider, whole
from lessons.kit.experiment import Experiment, Program, Roles
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedIn, inputs, leaf, place_of, point_in_text
from lessons.kit.noise import unit_draws

MOST_DRAWS = 200_000


class Settings(ComputedIn):
    noise_low = slider(0.9, -0.5, 2)
    noise_high = slider(1.1, -0.5, 2)
    x = inputs("-2, -1, 1")
    draws = whole(500, 1, MOST_DRAWS, log=True)
    point = point_in_text(1, advanced=False)
    seed = whole(0, advanced=True)
    u = declared(Numbers("u", "", advanced=True, optional=True))


def noisy(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """The forward expression without any trick: √(x²·u)."""
    return torch.sqrt(x**2 * u)


def intended(x: torch.Tensor, u: torch.Tensor | None = None) -> torch.Tensor:
    """The gradient that is wanted: that of √(x²), without noise."""
    x = x.detach().requires_grad_()
    return gradient(torch.sqrt(x**2), x)


def noise_at_points(settings: Settings) -> torch.Tensor:
    """This draw of the noise at the learner's x: float64, shape [n]."""
    count = len(settings.x)
    if settings.u is not None:
        return torch.tensor(settings.u, dtype=torch.float64).expand(count)
    return first_draw(settings.seed, count, settings.noise_low, settings.noise_high)


def run(settings: Settings) -> Start:
    """This draw of the noise at the learner's x."""
    x = leaf(settings, "x")
    leaves = {"x": x.requires_grad_(), "u": noise_at_points(settings).to(x)}
    return Start(leaves, index=(place_of(settings),))


EXPERIMENT = Experiment(run, plain=noisy, intended=intended)


def by_role(program: Program, x: torch.Tensor, u: torch.Tensor) -> Roles:
    """The experiment's roles at these x, with this noise, which broadcasts with x."""
    start = Start({"x": x.detach().requires_grad_(), "u": u})
    return EXPERIMENT.by_role(program, start)


def first_draw(seed: int, count: int, low: float, high: float) -> torch.Tensor:
    """The first draw of u ~ U(low, high) for this seed: float64, shape [count]."""
    return low + (high - low) * next(unit_draws(seed, 0, count))[0]
