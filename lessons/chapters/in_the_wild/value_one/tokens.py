"""Sampled tokens under a policy: what each adds to the loss, and its gradients by role.

Each token was sampled against one other token; x is how far its logit is ahead, so its probability
is sigmoid(x). The loss is the sum of what the tokens add.
"""

from collections.abc import Callable

import torch
from torch.nn import functional

from lessons.kit.gradients import gradient

Program = Callable[[torch.Tensor, torch.Tensor, str], torch.Tensor]
"""From logits and advantages, both of shape [n], and the form: what each token adds, shape [n]."""


def without_stop(x: torch.Tensor, advantages: torch.Tensor, form: str) -> torch.Tensor:
    """The same forward expression with no trick."""
    logp = functional.logsigmoid(x)
    return -(logp if form == "plain" else torch.exp(logp - logp)) * advantages


def policy_gradient(x: torch.Tensor, advantages: torch.Tensor) -> torch.Tensor:
    """Minus the advantage times the derivative of log sigmoid(x), as a formula."""
    return -advantages * torch.sigmoid(-x)


def by_role(
    program: Program, x: torch.Tensor, advantages: torch.Tensor, form: str
) -> dict[str, torch.Tensor]:
    """What each token adds to the loss, and the loss's gradient, all of shape [n].

    Returns:
        forward; trick_gradient: by autograd; true_gradient: of the same expression without a stop;
        intended_gradient: the policy gradient.
    """
    x = x.detach().requires_grad_()
    added = program(x, advantages, form)
    return {
        "forward": added.detach(),
        "trick_gradient": gradient(added, x),
        "true_gradient": gradient(without_stop(x, advantages, form), x),
        "intended_gradient": policy_gradient(x, advantages).detach(),
    }


def second(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The second derivative of y by x, entry by entry; zeros where no path leads back."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True, materialize_grads=True)
    return gradient(first, x).detach()


def second_on_average(program: Program, x: torch.Tensor, form: str) -> torch.Tensor:
    """The second derivative of the loss, on average over both tokens that can be sampled.

    Args:
        program: the loss of one sampled token.
        x: how far the first token is ahead, shape [n]; its advantage is 1, the other's is 0.
        form: of the loss.

    Returns:
        Shape [n]: each token's second derivative, weighted by its probability.
    """
    x = x.detach().requires_grad_()
    first = second(program(x, torch.ones_like(x), form), x)
    other = second(program(-x, torch.zeros_like(x), form), x)
    p = torch.sigmoid(x.detach())
    return p * first + (1 - p) * other


def second_of_expected(x: torch.Tensor) -> torch.Tensor:
    """The second derivative of the expected loss itself: minus the first token's probability."""
    x = x.detach().requires_grad_()
    return second(-torch.sigmoid(x), x)
