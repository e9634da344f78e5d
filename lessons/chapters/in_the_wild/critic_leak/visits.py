"""Updates of a critic and an actor on a state with two actions, and the gradients of one visit."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from lessons.recorder.torch_private import sent_to

Program = Callable[..., torch.Tensor]
"""The loss of one visit from the value, the logit of the action taken, its reward, the weight of
the critic's loss, and whether the advantage is detached; tensors of one shape, entry by entry."""


def own_losses(
    v: torch.Tensor, logit: torch.Tensor, reward: torch.Tensor | float, weight: float
) -> torch.Tensor:
    """Actor's and critic's losses, each with a gradient for its own parameter alone.

    The actor's loss reads the advantage as plain data; the critic's has no logit in it.
    """
    error = reward - v
    log_p = torch.nn.functional.logsigmoid(logit)
    return -log_p * error.detach() + weight * error**2 / 2


def by_role(
    program: Program, v: torch.Tensor, logit: torch.Tensor, reward: float, weight: float, stop: str
) -> dict[str, torch.Tensor]:
    """The loss of one visit, shape [1], and the gradients of value and logit by role, shape [2].

    Returns:
        forward; trick_gradient: what autograd gives; true_gradient: the derivative of the loss as
        it is computed, with no stop; intended_gradient: each parameter from its own loss alone.
    """

    def gradients(loss: Callable[..., torch.Tensor], *more: Any) -> torch.Tensor:
        leaves = [one.detach().requires_grad_() for one in (v, logit)]
        out = loss(*leaves, reward, weight, *more)
        if not out.requires_grad:
            return torch.zeros(2, dtype=v.dtype, device=v.device)
        found = torch.stack(torch.autograd.grad(out, leaves, materialize_grads=True))
        return found + 0.0  # a weight of 0 leaves −0

    def plain(v: torch.Tensor, logit: torch.Tensor, reward: float, weight: float) -> torch.Tensor:
        advantage = reward - v
        return -torch.nn.functional.logsigmoid(logit) * advantage + weight * advantage**2 / 2

    return {
        "forward": program(v, logit, reward, weight, stop).detach().reshape(1),
        "trick_gradient": gradients(program, stop),
        "true_gradient": gradients(plain),
        "intended_gradient": gradients(own_losses),
    }


def learn(
    loss: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor],
    v: torch.Tensor,
    logit: torch.Tensor,
    rewards: tuple[float, float],
    rates: tuple[float, float],
    updates: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Plain gradient descent on the mean loss over many visits.

    Of the visits, a share of σ(logit) takes action a, the rest action b. Both are computed at once
    and weighted by their shares, so nothing is drawn.

    Args:
        loss: of visits, from values, logits of the actions taken, and rewards, each of shape [2].
        v, logit: at first, no dimensions; they stay as they are.
        rewards: of a and of b.
        rates: learning rates of the critic and of the actor.
        updates: how many.

    Returns:
        The value and the mean reward under the policy, before the first update and after each:
        shape [updates + 1].
    """

    def slopes(
        v: torch.Tensor, logits: torch.Tensor, paid: torch.Tensor, shares: torch.Tensor
    ) -> Iterable[torch.Tensor]:
        v, logits = (one.detach().requires_grad_() for one in (v, logits))
        found = loss(v, logits, paid)
        if not found.requires_grad:
            return torch.zeros_like(v), torch.zeros_like(logits)
        came = sent_to([v, logits], found, shares)
        return [
            torch.zeros_like(leaf) if one is None else one
            for leaf, one in zip((v, logits), came, strict=True)
        ]

    return _descend(slopes, v, logit, rewards, rates, updates)


def learn_apart(
    weight: float,
    v: torch.Tensor,
    logit: torch.Tensor,
    rewards: tuple[float, float],
    rates: tuple[float, float],
    updates: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """``learn`` with ``own_losses``, whose gradients are a formula: a target, so no autograd."""

    def slopes(
        v: torch.Tensor, logits: torch.Tensor, paid: torch.Tensor, shares: torch.Tensor
    ) -> Iterable[torch.Tensor]:
        error = paid - v
        return -shares * weight * error, -shares * error * torch.sigmoid(-logits)

    return _descend(slopes, v, logit, rewards, rates, updates)


def _descend(
    slopes: Callable[..., Iterable[torch.Tensor]],
    v: torch.Tensor,
    logit: torch.Tensor,
    rewards: tuple[float, float],
    rates: tuple[float, float],
    updates: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What ``learn`` does, with what each visit sends to its copies of value and logit."""
    v, logit = v.detach(), logit.detach()
    paid = torch.tensor(rewards, dtype=v.dtype, device=v.device)
    signs = torch.tensor([1.0, -1.0], dtype=v.dtype, device=v.device)
    values, policies = [], []
    for done in range(updates + 1):
        logits = logit * signs  # log σ(−logit) is the log-probability of b
        shares = torch.sigmoid(logits)
        values.append(v)
        policies.append(shares)
        if done < updates:
            to_v, to_logits = slopes(v.expand(2), logits, paid, shares)
            v = v - rates[0] * to_v.sum()
            logit = logit - rates[1] * (to_logits * signs).sum()
    return torch.stack(values), (torch.stack(policies) * paid).sum(1)


def actor_steps(v: float, logit: float, rewards: tuple[float, float]) -> tuple[float, float]:
    """Mean and standard deviation over visits of the gradient that one visit sends to the logit."""
    logits = torch.tensor([logit, -logit], dtype=torch.float64)
    shares = torch.sigmoid(logits)
    paid = torch.tensor(rewards, dtype=torch.float64)
    leaf = logits.clone().requires_grad_()
    loss = own_losses(torch.tensor(v, dtype=torch.float64), leaf, paid, 0.0)
    (slopes,) = torch.autograd.grad(loss.sum(), leaf)
    slopes = slopes * torch.tensor([1.0, -1.0], dtype=torch.float64)  # by the logit of a
    mean = (shares * slopes).sum()
    spread = (shares * (slopes - mean) ** 2).sum().sqrt()
    return float(mean), float(spread)
