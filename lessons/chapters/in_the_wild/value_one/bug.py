"""A divergence of a distribution from itself, with no stop: a constant 0, with no curvature."""

from collections.abc import Callable

import torch
from torch.autograd.functional import hessian

from lessons.contract.bug import Bug, Code, changed


def curvature(function: Callable[[torch.Tensor], torch.Tensor], at: torch.Tensor) -> torch.Tensor:
    """The matrix of second derivatives."""
    matrix: torch.Tensor = hessian(function, at)
    return matrix


def fisher(logits: torch.Tensor) -> torch.Tensor:
    def mean_kl(z: torch.Tensor) -> torch.Tensor:
        new = torch.log_softmax(z, -1)
        old = new
        return (old.exp() * (old - new)).sum()

    return curvature(mean_kl, logits)


def check(code: Code) -> None:
    """The curvature of the divergence is the Code matrix, diag(p) − p pᵀ."""
    logits = torch.tensor([0.2, -0.1, 0.5], dtype=torch.float64)
    p = torch.softmax(logits, -1)
    expected = torch.diag(p) - torch.outer(p, p)
    came = code(logits)
    off = float((came - expected).abs().max())
    assert off < 1e-6, f"the first entry is {came[0, 0]:.3g}, expected {expected[0, 0]:.3g}"


BUG = Bug(
    source="ajlangley/cpo-pytorch#10",
    broken=fisher,
    fixes={
        "small": changed(fisher, {"(old - new)": "(old - new + 1e-8)"}),
        "old_fixed": changed(fisher, {"old = new": "old = new.detach()"}),
        "both_fixed": changed(fisher, {"log_softmax(z, -1)": "log_softmax(z, -1).detach()"}),
    },
    check=check,
    title="mean kl is always=0",
    opened="2023-02-21",
)
