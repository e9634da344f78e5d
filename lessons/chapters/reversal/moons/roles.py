"""What one point tells its features, by role: at features and heads of fixed numbers.

The numbers follow a formula where the training draws its weights: so other frameworks can compute
the same. The program that runs on them is the one that is trained, op by op. Torch only.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import torch

from lessons.chapters.reversal.moons.net import scale_at
from lessons.contract.parameters import Values
from lessons.tricks.as_one import one_op

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


def features_of_one(device: torch.device, dtype: torch.dtype) -> torch.Tensor:
    """The features of the point, [UNITS]."""
    return spread(1, UNITS).to(device, dtype)


class Heads:
    """A label head and a domain head of fixed numbers, no biases; each one op, as in training.

    Args:
        like: where and in what they compute.
    """

    def __init__(self, like: torch.Tensor) -> None:
        first = 1 + UNITS
        self.inner = spread(first, HIDDEN, UNITS).to(like)
        self.outer = spread(first + HIDDEN * UNITS, 1, HIDDEN).to(like)
        self.label = spread(first + HIDDEN * UNITS + HIDDEN, 1, UNITS).to(like)

    @one_op("label_head")
    def label_head(self, features: torch.Tensor) -> torch.Tensor:
        """The logit of the second moon, [1, 1, 1]."""
        return (self.label @ features).reshape(1, 1, 1)

    @one_op("domain_head")
    def domain_head(self, features: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        """The logit of the target domain, [1, 1, 1]; ``frozen``: see ``Networks``."""
        inner = self.inner.detach() if frozen else self.inner
        return (self.outer @ torch.relu(inner @ features)).reshape(1, 1, 1)

    def label_gradient(self, features: torch.Tensor, label: float) -> torch.Tensor:
        """Of the label loss at the features, by hand."""
        return (torch.sigmoid(self.label @ features) - label) * self.label[0]

    def domain_gradient(self, features: torch.Tensor, domain: float) -> torch.Tensor:
        """Of the domain loss at the features, layer by layer by hand."""
        before = self.inner @ features
        upstream = torch.sigmoid(self.outer @ before.clamp(min=0)) - domain
        return ((upstream @ self.outer) * (before > 0)) @ self.inner


def settings_of_one(heads: Heads, values: Values) -> dict[str, Any]:
    """What the program takes besides the features of the point, λ at its full size."""
    target = values["whose"] == "target"
    one = torch.ones_like(heads.label[0, :1])
    return {
        "label_head": heads.label_head,
        "domain_head": heads.domain_head,
        # The source point is of the second moon; a target point's label counts for nothing.
        "labels": float(not target) * one,
        "domains": float(target) * one,
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
    """The features of one point and the gradient of the loss at them, shape [UNITS].

    Returns:
        forward: the features. trick_gradient: by autograd, wired as chosen. true_gradient: both
        losses', by autograd, with no trick. intended_gradient: the label loss's and −λ times the
        domain loss's, by formula. At a target point the label loss has none.
    """
    at = features_of_one(device, dtype)
    features, heads = at.clone().requires_grad_(), Heads(at)
    settings = settings_of_one(heads, values)

    def gradient(program: Callable[..., torch.Tensor], **other: Any) -> torch.Tensor:
        loss = program(features, **(settings | other)).sum()
        if not loss.requires_grad:  # every edge to it is cut
            return torch.zeros_like(features)
        (found,) = torch.autograd.grad(loss, features, materialize_grads=True)
        return found

    domain = float(settings["domains"])
    intended = -float(values["scale"]) * heads.domain_gradient(at, domain)
    if not domain:
        intended = heads.label_gradient(at, float(settings["labels"])) + intended
    return {
        "forward": at,
        "trick_gradient": gradient(program),
        "true_gradient": gradient(inspect.unwrap(program), wiring="never"),
        "intended_gradient": intended,
    }
