"""A function of x with settings, and its gradients by role.

Torch only: exported files carry these very functions.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from lessons.kit.gradients import gradient

Program = Callable[..., torch.Tensor]
"""Forward value from x and the lesson's settings by name, entry by entry."""


def by_role(
    program: Program,
    expression: Program,
    intended: Program,
    x: torch.Tensor,
    settings: Mapping[str, Any],
) -> dict[str, torch.Tensor]:
    """Forward value and the gradient in its three roles.

    Args:
        program: the forward pass with the lesson's trick in it.
        expression: the same forward pass without any trick.
        intended: the gradient that is wanted, as a formula of its own.
        x: shape [n], floating point.
        settings: what all three take besides x.

    Returns:
        forward and trick_gradient of the program, by autograd; true_gradient of the expression,
        by autograd; intended_gradient by its formula.
    """
    x = x.detach().requires_grad_()
    y = program(x, **settings)
    return {
        "forward": y.detach(),
        "trick_gradient": gradient(y, x),
        "true_gradient": gradient(expression(x, **settings), x),
        "intended_gradient": intended(x.detach(), **settings),
    }
