"""One loss of some weights: its gradient by role, what torch says, and some steps of training."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch

from lessons.kit.gradients import gradient

Program = Callable[..., torch.Tensor]
"""The loss, no dimensions, from the weights w, shape [n], and the settings by name."""

STEPS = 30
"""Steps of a training run."""
RATE = 0.02
"""Its learning rate: up to |x| = 3 no step is too long."""


def as_it_should_be(
    w: torch.Tensor, x: float, target: float, penalty: str, **_: Any
) -> torch.Tensor:
    """The same forward pass, no copy in it."""
    loss = ((w * x - target) ** 2).sum()
    return loss + 0.5 * (w**2).sum() if penalty == "yes" else loss


def by_role(
    program: Program, w: torch.Tensor, settings: Mapping[str, Any]
) -> dict[str, torch.Tensor]:
    """The loss and its gradient at the weights.

    Args:
        program: the lesson's loss.
        w: the weights, shape [n], floating point.
        settings: what the program takes besides.

    Returns:
        forward: the loss, shape [1]; trick_gradient: by autograd through the program, 0 where no
        gradient comes, NaN where torch refuses backward(); true_gradient: by autograd with no
        copy; intended_gradient: by a formula. All three of shape [n].
    """
    x, target, penalty = (settings[name] for name in ("x", "target", "penalty"))
    w = w.detach().requires_grad_()
    loss = program(w, **settings)
    came = gradient(loss, w) if loss.requires_grad else torch.full_like(w.detach(), math.nan)
    intended = 2 * x * (w.detach() * x - target)
    return {
        "forward": loss.detach().reshape(1),
        "trick_gradient": came,
        "true_gradient": gradient(as_it_should_be(w, **settings), w),
        "intended_gradient": intended + w.detach() if penalty == "yes" else intended,
    }


def refusal(program: Program, w: torch.Tensor, settings: Mapping[str, Any]) -> str:
    """What torch says when backward() is called on the loss; nothing where it runs."""
    try:
        program(w.detach().requires_grad_(), **settings).backward()  # type: ignore[no-untyped-call]
    except RuntimeError as error:
        return str(error)
    return ""


def arrives(program: Program, w: torch.Tensor, settings: Mapping[str, Any]) -> bool:
    """Whether the weights have a ``.grad`` after ``backward()``, were it of zeros."""
    w = w.detach().requires_grad_()
    loss = program(w, **settings)
    if not loss.requires_grad:
        return False
    return torch.autograd.grad(loss, w, allow_unused=True)[0] is not None


def refused_flag() -> str:
    """What torch says to ``loss.requires_grad = True`` on a loss with a history: one sentence."""
    loss = torch.ones(1, requires_grad=True).sum()
    try:
        loss.requires_grad = True
    except RuntimeError as error:
        return str(error).partition(". ")[0].removesuffix(".")
    return ""


def train(program: Program, w: torch.Tensor, settings: Mapping[str, Any]) -> torch.Tensor:
    """Some steps of plain gradient descent, the loss before each, shape [STEPS].

    A weight whose ``.grad`` is None stays as it is, as with any optimizer of torch. Where torch
    refuses backward(), no step is taken.
    """
    w = w.detach().clone().requires_grad_()
    losses = []
    for _ in range(STEPS):
        loss = program(w, **settings)
        losses.append(loss.detach())
        if loss.requires_grad:
            w.grad = None
            loss.backward()  # type: ignore[no-untyped-call]
            if w.grad is not None:
                w.detach().add_(w.grad, alpha=-RATE)  # as torch.optim.SGD does, which takes longer
    return torch.stack(losses)
