"""Two players on one feature: an extractor, and a classifier that tells two domains apart."""

import torch
from torch.nn import functional

from lessons.contract.lab import Start
from lessons.kit.experiment import Program
from lessons.kit.gradients import gradient

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
    w1: torch.Tensor, w2: torch.Tensor, x: torch.Tensor, domain: torch.Tensor, **_: object
) -> torch.Tensor:
    """The domain loss with nothing reversed."""
    return functional.binary_cross_entropy_with_logits(x @ w1 @ w2, domain)


def wanted(
    w1: torch.Tensor,
    w2: torch.Tensor,
    x: torch.Tensor,
    domain: torch.Tensor,
    scale: float,
    **_: str,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The intended gradients of both players: −scale times the gradient, and the gradient."""
    feature = x @ w1
    miss = (torch.sigmoid(feature @ w2) - domain) / len(x)
    return -scale * (x.T @ torch.outer(miss, w2)), feature.T @ miss


def at_features(program: Program, start: Start) -> torch.Tensor:
    """The gradient that leaves the reversal towards each example's feature, shape [n, 2].

    With the identity for an extractor the inputs are the features.
    """
    given = {name: leaf.detach() for name, leaf in start.leaves.items()}
    feature = (given["x"] @ given["w1"]).requires_grad_()
    moved = {"w1": torch.eye(2).to(feature), "x": feature}
    return gradient(Start({**given, **moved}, start.arguments).call(program), feature)
