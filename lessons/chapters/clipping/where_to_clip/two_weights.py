"""A few steps of training on a loss of two weights, and the gradient that each step really used."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch

Program = Callable[..., torch.Tensor]
"""The loss from w, v, x, the place of the clip and the limit; with an optimizer it takes a step."""

STEPS = 8
"""Steps of a training run."""


def plain_loss(w: torch.Tensor, v: torch.Tensor, x: float) -> torch.Tensor:
    """The same forward pass with no clip."""
    return (v * (w * x)) ** 2 / 2


def train(
    program: Program,
    w: torch.Tensor,
    v: torch.Tensor,
    x: float,
    place: str,
    limit: float,
    rate: float,
    steps: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Some steps of plain gradient descent.

    Args:
        program: takes one step when it is given an optimizer.
        w, v: the weights at first, no dimensions; they stay as they are.
        x, place, limit: what the program takes besides.
        rate: the learning rate.
        steps: how many.

    Returns:
        The losses before each step, shape [steps], and the gradients that the steps used,
        shape [steps, 2].
    """
    weights = [weight.detach().clone().requires_grad_() for weight in (w, v)]
    optimizer = torch.optim.SGD(weights, lr=rate, foreach=False)
    used: list[torch.Tensor] = []

    def look(optimizer: Any, args: Any, kwargs: Any) -> None:
        slopes = [
            torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights
        ]
        used.append(torch.stack(slopes).clone())

    optimizer.register_step_pre_hook(look)
    losses = []
    for _ in range(steps):
        losses.append(program(*weights, x, place, limit, optimizer).detach())
        if len(used) < len(losses):  # nothing led back to a weight: no step
            used.append(torch.zeros_like(torch.stack(weights)).detach())
    return torch.stack(losses), torch.stack(used)


@lru_cache(maxsize=8)
def unclipped(
    program: Program,
    w: float,
    v: float,
    x: float,
    rate: float,
    dtype: torch.dtype,
    device: torch.device,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The training with no clip, once: it stays as it is while the limit is moved."""
    first, second = (torch.tensor(weight, dtype=dtype, device=device) for weight in (w, v))
    return train(program, first, second, x, "none", 0.0, rate, STEPS)


def shortened(slopes: torch.Tensor, limit: float) -> torch.Tensor:
    """A gradient, shape [n], clipped by norm: what should reach the weights."""
    length = float(slopes.double().norm())
    return slopes * min(1.0, limit / length) if length else slopes


def by_role(
    program: Program, w: torch.Tensor, v: torch.Tensor, x: float, place: str, limit: float
) -> dict[str, torch.Tensor]:
    """The loss, shape [1], and the first step's gradient of w and v in its roles, shape [2].

    Returns:
        forward; trick_gradient: what the step used; true_gradient: the loss's own, by autograd;
        intended_gradient: that one clipped by the norm of both.
    """
    losses, used = train(program, w, v, x, place, limit, rate=1.0, steps=1)
    leaves = [weight.detach().requires_grad_() for weight in (w, v)]
    true = torch.stack(torch.autograd.grad(plain_loss(leaves[0], leaves[1], x), leaves))
    return {
        "forward": losses,
        "trick_gradient": used[0],
        "true_gradient": true,
        "intended_gradient": shortened(true, limit),
    }
