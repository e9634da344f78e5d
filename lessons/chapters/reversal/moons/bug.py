"""A λ that rises as planned and is not passed on: the layer takes its default at every step."""

import math

import torch

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import flip_gradient


def total_loss(
    feature: torch.Tensor, label_w: torch.Tensor, domain_w: torch.Tensor, done: float
) -> torch.Tensor:
    def domain_head(feature: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return domain_w * flip_gradient(feature, scale)

    def network(feature: torch.Tensor, scale: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
        return label_w * feature, domain_head(feature)

    scale = 2 / (1 + math.exp(-10 * done)) - 1
    label, domain = network(feature, scale)
    return (label - 1) ** 2 + (domain - 1) ** 2


def check(code: Code) -> None:
    """Early and late: the head descends its whole loss, the feature climbs λ times as much."""
    feature, label_w, domain_w = (torch.tensor(v, requires_grad=True) for v in (0.5, 1.0, 3.0))
    (helps,) = torch.autograd.grad((label_w * feature - 1) ** 2, feature)
    climbs, descends = torch.autograd.grad((domain_w * feature - 1) ** 2, (feature, domain_w))
    for done in (0.0, 0.1, 1.0):
        got = torch.autograd.grad(code(feature, label_w, domain_w, done), (feature, domain_w))
        expected = (helps - math.tanh(5 * done) * climbs, descends)
        assert torch.allclose(torch.stack(got), torch.stack(expected)), (
            f"after {done:.0%} of the steps: feature {got[0]:.4g}, expected {expected[0]:.4g}; "
            f"domain head {got[1]:.4g}, expected {expected[1]:.4g}"
        )


BUG = Bug(
    source="p2irc/UDA4POC#3",
    title="Bug in the Lambda value?",
    opened="2021-06-19",
    broken=total_loss,
    fixes={
        "other_default": changed(total_loss, {"scale: float = 1.0": "scale: float = 0.0"}),
        "on_the_loss": changed(total_loss, {"(domain - 1)": "scale * (domain - 1)"}),
        "passed_on": changed(total_loss, {"domain_head(feature)": "domain_head(feature, scale)"}),
    },
    check=check,
)
