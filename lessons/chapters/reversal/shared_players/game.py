"""Two players on one feature: an extractor, and a classifier that tells two domains apart.

Torch only: exported files carry these very functions.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from lessons.kit.gradients import gradient

Program = Callable[..., torch.Tensor]
"""The domain loss from w1, w2, x, domain, scale and the lesson's own settings by name."""

SOURCE = ((-0.5, 0.5), (-0.1, -0.6), (0.4, 0.3))
TARGET = ((-0.4, -0.3), (0.2, 0.6), (0.5, -0.4))
EXTRACTOR = ((1.0, 0.3), (-0.2, 0.8))


def examples(gap: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs [n, 2] of both domains, their centres ``gap`` apart; domains [n], 0 or 1. float64."""
    shift = torch.tensor([gap / 2, 0.0], dtype=torch.float64)
    source, target = (torch.tensor(rows, dtype=torch.float64) for rows in (SOURCE, TARGET))
    domain = torch.cat([torch.zeros(len(source)), torch.ones(len(target))]).double()
    return torch.cat([source - shift, target + shift]), domain


def weights(turn: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The extractor's weight [2, 2]; the classifier's [2], of length 1, at this angle in degrees.

    float64.
    """
    angle = torch.deg2rad(torch.tensor(turn, dtype=torch.float64))
    return torch.tensor(EXTRACTOR, dtype=torch.float64), torch.stack([angle.cos(), angle.sin()])


def domain_loss(
    w1: torch.Tensor, w2: torch.Tensor, x: torch.Tensor, domain: torch.Tensor
) -> torch.Tensor:
    """The domain loss with nothing reversed."""
    return functional.binary_cross_entropy_with_logits(x @ w1 @ w2, domain)


def wanted(
    w1: torch.Tensor, w2: torch.Tensor, x: torch.Tensor, domain: torch.Tensor, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """What both players should get, as formulas: −scale times the gradient, and the gradient."""
    feature = x @ w1
    miss = (torch.sigmoid(feature @ w2) - domain) / len(x)
    return -scale * (x.T @ torch.outer(miss, w2)), feature.T @ miss


def both(loss: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
    """The gradient of all weights in one row: the extractor's, then the classifier's.

    Zeros where nothing leads back to them.
    """
    if not loss.requires_grad:
        return torch.zeros(w1.numel() + w2.numel(), dtype=w1.dtype, device=w1.device)
    slopes = torch.autograd.grad(loss, (w1, w2), materialize_grads=True)
    return torch.cat([slope.flatten() for slope in slopes])


def by_role(
    program: Program,
    w1: torch.Tensor,
    w2: torch.Tensor,
    x: torch.Tensor,
    domain: torch.Tensor,
    scale: float,
    **settings: Any,
) -> dict[str, torch.Tensor]:
    """The loss, shape [1], and the gradient of all weights in its three roles, shape [6].

    Args:
        program: the lesson's forward pass.
        w1, w2: extractor [2, 2] and classifier [2].
        x, domain: inputs [n, 2] and 0 or 1 for each.
        scale: λ.
        settings: what the program takes besides.
    """
    w1, w2 = w1.detach().requires_grad_(), w2.detach().requires_grad_()
    loss = program(w1, w2, x, domain, scale, **settings)
    return {
        "forward": loss.detach().reshape(1),
        "trick_gradient": both(loss, w1, w2),
        "true_gradient": both(domain_loss(w1, w2, x, domain), w1, w2),
        "intended_gradient": torch.cat(
            [part.detach().flatten() for part in wanted(w1, w2, x, domain, scale)]
        ),
    }


def at_features(
    program: Program,
    w1: torch.Tensor,
    w2: torch.Tensor,
    x: torch.Tensor,
    domain: torch.Tensor,
    scale: float,
    **settings: Any,
) -> torch.Tensor:
    """The gradient that leaves the reversal towards each example's feature, shape [n, 2].

    With the identity for an extractor the inputs are the features.
    """
    feature = (x @ w1).detach().requires_grad_()
    eye = torch.eye(2, dtype=w1.dtype, device=w1.device)
    loss = program(eye, w2.detach(), feature, domain, scale, **settings)
    return gradient(loss, feature)
