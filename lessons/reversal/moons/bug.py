"""The domain loss is subtracted although a gradient reversal already stands before its head."""

from collections.abc import Callable

import torch

from lessons.bug import Bug
from lessons.tricks import flip_gradient, stop_gradient

Code = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def broken(feature: torch.Tensor, label_w: torch.Tensor, domain_w: torch.Tensor) -> torch.Tensor:
    label_loss = (label_w * feature - 1) ** 2
    domain_loss = (domain_w * flip_gradient(feature, 1.0) - 1) ** 2
    return label_loss - domain_loss


def plus(feature: torch.Tensor, label_w: torch.Tensor, domain_w: torch.Tensor) -> torch.Tensor:
    label_loss = (label_w * feature - 1) ** 2
    domain_loss = (domain_w * flip_gradient(feature, 1.0) - 1) ** 2
    return label_loss + domain_loss


def no_layer(feature: torch.Tensor, label_w: torch.Tensor, domain_w: torch.Tensor) -> torch.Tensor:
    label_loss = (label_w * feature - 1) ** 2
    domain_loss = (domain_w * feature - 1) ** 2
    return label_loss - domain_loss


def detached(feature: torch.Tensor, label_w: torch.Tensor, domain_w: torch.Tensor) -> torch.Tensor:
    label_loss = (label_w * feature - 1) ** 2
    domain_loss = (domain_w * stop_gradient(feature) - 1) ** 2
    return label_loss - domain_loss


def check(code: Code) -> None:
    """The domain head descends its loss; the feature descends the label loss, climbs the other."""
    feature, label_w, domain_w = (torch.tensor(v, requires_grad=True) for v in (0.5, 1.0, 3.0))
    came = torch.autograd.grad(code(feature, label_w, domain_w), (feature, domain_w))
    label_loss, domain_loss = (label_w * feature - 1) ** 2, (domain_w * feature - 1) ** 2
    (helps,) = torch.autograd.grad(label_loss, feature)
    climbs, descends = torch.autograd.grad(domain_loss, (feature, domain_w))
    expected = (helps - climbs, descends)
    assert torch.allclose(torch.stack(came), torch.stack(expected)), (
        f"gradient of the feature: got {came[0]:g}, expected {expected[0]:g}; "
        f"of the domain head: got {came[1]:g}, expected {expected[1]:g}"
    )


BUG = Bug(
    source="CuthbertCai/pytorch_DANN#13",
    url="https://github.com/CuthbertCai/pytorch_DANN/issues/13",
    broken=broken,
    fixes={"plus": plus, "no_layer": no_layer, "detached": detached},
    check=check,
)
