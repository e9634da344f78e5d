"""Roots of several inputs, whose gradients are infinite at 0 and NaN below, then clipped."""

from collections.abc import Callable

import torch

from lessons.kit.gradients import gradient

Program = Callable[[torch.Tensor, str, str, float], torch.Tensor]
"""From w, which root, which clip and the limit: the roots of w."""


def finite_part(slopes: torch.Tensor, clip: str, limit: float) -> torch.Tensor:
    """What a clip should leave: 0 where a slope is not finite, the others clipped by themselves."""
    kept = torch.where(slopes.isfinite(), slopes, 0.0)
    if clip == "value":
        return kept.clamp(-limit, limit)
    if clip == "norm":
        length = float(kept.double().norm())
        return kept * min(1.0, limit / length) if length else kept
    return kept


def by_role(
    program: Program, w: torch.Tensor, root: str, clip: str, limit: float
) -> dict[str, torch.Tensor]:
    """Forward value and the gradient of the roots' sum in its three roles.

    The true gradient is what autograd returns with no clip, its NaNs too: a chart that says “before
    clipping” must not show a number there that a clip then seems to spoil.

    Args:
        program: the lesson's forward pass.
        w: shape [n], floating point.
        root, clip: one of the lab's options each.
        limit: of each component by value, of the length by norm.
    """
    w = w.detach().requires_grad_()
    y = program(w, root, clip, limit)
    true = gradient(program(w, root, "none", limit), w)
    return {
        "forward": y.detach(),
        "trick_gradient": gradient(y, w),
        "true_gradient": true,
        "intended_gradient": finite_part(true, clip, limit),
    }
