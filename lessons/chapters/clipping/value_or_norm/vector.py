"""A gradient of two components, clipped in two ways: the vectors by role.

Torch only: exported files carry these very functions.
"""

from collections.abc import Callable

import torch

from lessons.kit.gradients import gradient

Program = Callable[[torch.Tensor, float], tuple[torch.Tensor, torch.Tensor]]
"""From w, shape [n], and a limit: w with its gradient clipped by value, and by norm."""


def bowl(w: torch.Tensor) -> torch.Tensor:
    """A loss whose gradient at w is w itself: half the squared length."""
    return (w * w).sum(-1) / 2


def by_role(program: Program, w: torch.Tensor, limit: float) -> dict[str, torch.Tensor]:
    """The value and the loss's gradient at w, by autograd.

    Args:
        program: the lesson's forward pass.
        w: shape [n], floating point.
        limit: of each component by value, of the length by norm.

    Returns:
        forward: w as it leaves the clip; true_gradient: with no clip; trick_gradient: clipped by
        value; intended_gradient: clipped by norm. All of shape [n].
    """
    w = w.detach().requires_grad_()
    by_value, by_norm = program(w, limit)
    return {
        "forward": by_value.detach(),
        "trick_gradient": gradient(bowl(by_value), w),
        "true_gradient": gradient(bowl(w), w),
        "intended_gradient": gradient(bowl(by_norm), w),
    }
