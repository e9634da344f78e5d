"""The running example of chapter 1: y = x², noise u, z = √(y·u), and its gradients by role.

Torch only: exported files carry these very functions.
"""

from collections.abc import Callable

import torch

from lessons.kit.draws import unit_draws
from lessons.kit.gradients import gradient

Program = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""Forward value z from x and noise u, with whatever trick the lesson is about."""


def noisy(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """The forward expression without any trick: √(x²·u)."""
    return torch.sqrt(x**2 * u)


def noise_free(x: torch.Tensor) -> torch.Tensor:
    """What the gradient is wanted of: √(x²)."""
    return torch.sqrt(x**2)


def by_role(program: Program, x: torch.Tensor, u: torch.Tensor) -> dict[str, torch.Tensor]:
    """Forward value and the gradient in its three roles, computed by autograd.

    Args:
        program: the lesson's forward pass.
        x: any shape, floating point.
        u: broadcasts with x, same dtype and device.

    Returns:
        forward and trick_gradient of the program; true_gradient of the same forward expression
        without tricks, noise frozen; intended_gradient, of the expression without noise.
    """
    return {**of_this_noise(program, x, u), "intended_gradient": intended(x)}


def of_this_noise(program: Program, x: torch.Tensor, u: torch.Tensor) -> dict[str, torch.Tensor]:
    """The roles that another draw of u would change: all but the intended gradient."""
    x = x.detach().requires_grad_()
    z = program(x, u)
    return {
        "forward": z.detach(),
        "trick_gradient": gradient(z, x),
        "true_gradient": gradient(noisy(x, u), x),
    }


def intended(x: torch.Tensor) -> torch.Tensor:
    """The gradient that is wanted: that of the expression without noise."""
    x = x.detach().requires_grad_()
    return gradient(noise_free(x), x)


def first_draw(seed: int, count: int, low: float, high: float) -> torch.Tensor:
    """The first draw of u ~ U(low, high) for this seed: float64, shape [count]."""
    return low + (high - low) * next(unit_draws(seed, 0, count))[0]
