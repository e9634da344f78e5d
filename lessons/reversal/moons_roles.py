"""What one target point tells its features, by role: at features and a head of fixed numbers.

The numbers follow a formula where the training draws its weights: so other frameworks can compute
the same. Torch only.
"""

import math
from collections.abc import Callable
from typing import Any

import torch

from lessons.parameters import Values
from lessons.reversal.moons_net import scale_at

UNITS = 8
"""Features of the point."""

HIDDEN = 6
"""Units between the features and the domain head's logit."""


def spread(first: int, *shape: int) -> torch.Tensor:
    """Numbers from −1 to 1, float64: what multiples of the golden ratio have behind the point.

    Args:
        first: the first multiple.
        shape: of the result.
    """
    multiples = torch.arange(first, first + math.prod(shape), dtype=torch.float64)
    return (2 * (multiples * (math.sqrt(5) - 1) / 2 % 1) - 1).reshape(shape)


def one_point(
    device: torch.device, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The features of one target point, [UNITS], and the domain head's two layers, no biases."""
    features = spread(1, UNITS)
    inner = spread(1 + UNITS, HIDDEN, UNITS)
    outer = spread(1 + UNITS + HIDDEN * UNITS, 1, HIDDEN)
    return features.to(device, dtype), inner.to(device, dtype), outer.to(device, dtype)


def settings_of_one(
    inner: torch.Tensor, outer: torch.Tensor, values: Values, features: torch.Tensor
) -> dict[str, Any]:
    """What the program takes besides the features of one target point, λ at its full size."""

    def label_head(features: torch.Tensor) -> torch.Tensor:
        return features.mean().reshape(1, 1, 1)  # a target point has no label: it counts for 0

    def domain_head(features: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        return (outer @ torch.relu(inner @ features)).reshape(1, 1, 1)

    return {
        "label_head": label_head,
        "domain_head": domain_head,
        "labels": torch.zeros(1).to(features),
        "domains": torch.ones(1).to(features),
        "scale": float(values["scale"]),
        "scale_at_start": scale_at(0.0, values),
        "wiring": values["wiring"],
    }


def by_role(
    program: Callable[..., torch.Tensor],
    values: Values,
    device: torch.device,
    dtype: torch.dtype,
) -> dict[str, torch.Tensor]:
    """The features of one target point and the gradient of the loss at them, shape [UNITS].

    Returns:
        forward: the features. trick_gradient: by autograd, wired as chosen. true_gradient: the
        domain loss's, by autograd, with no trick. intended_gradient: −λ times the domain loss's,
        by formula.
    """
    features, inner, outer = one_point(device, dtype)
    features.requires_grad_()
    settings = settings_of_one(inner, outer, values, features)

    def gradient(**other: Any) -> torch.Tensor:
        loss = program(features, **(settings | other))
        (found,) = torch.autograd.grad(loss.sum(), features, materialize_grads=True)
        return found

    by_formula = domain_gradient(features.detach(), inner, outer)
    return {
        "forward": features.detach(),
        "trick_gradient": gradient(),
        "true_gradient": gradient(wiring="never"),
        "intended_gradient": -float(values["scale"]) * by_formula,
    }


def domain_gradient(
    features: torch.Tensor, inner: torch.Tensor, outer: torch.Tensor
) -> torch.Tensor:
    """The gradient of the domain loss at a target point's features, layer by layer by hand."""
    before = inner @ features
    upstream = torch.sigmoid(outer @ before.clamp(min=0)) - 1
    return ((upstream @ outer) * (before > 0)) @ inner
