"""A value is clamped, and its gradient outside the limits is 0: a clamp is flat there."""

import torch
from torch.nn import functional

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import gradient_override_map, identity
from lessons.gradient_tricks.tricks.rule import Op


def probability(logits: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(torch.clamp(logits, -10, 10))


def passes(logits: torch.Tensor) -> torch.Tensor:
    def hand_on(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return upstream

    with gradient_override_map({"clamp": hand_on}):
        return torch.sigmoid(torch.clamp(logits, -10, 10))


def with_identity(logits: torch.Tensor) -> torch.Tensor:
    def clip(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return upstream.clamp(-1, 1)

    with gradient_override_map({"identity": clip}):
        return torch.sigmoid(torch.clamp(identity(logits), -10, 10))


def check(code: Code) -> None:
    """The value stays within the limits, and wrong answers are pulled back."""
    logits = torch.tensor([-30.0, 2.0, 12.0, 30.0], dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
    p = code(logits)
    bounded = torch.sigmoid(logits.detach().clamp(-10, 10))
    assert torch.allclose(p, bounded, rtol=1e-9), (
        f"values: got {p.tolist()}, expected {bounded.tolist()}"
    )
    loss = functional.binary_cross_entropy(p, targets, reduction="sum")
    (got,) = torch.autograd.grad(loss, logits)
    expected = bounded - targets
    assert torch.allclose(got, expected, rtol=1e-6), (
        f"gradients: got {[round(g, 4) for g in got.tolist()]}, "
        f"expected {[round(g, 4) for g in expected.tolist()]}"
    )


BUG = Bug(
    source="tensorflow/tensorflow#44333",
    title="why gradient of clip_by_value(x) is zero, when x is outside of range?",
    opened="2020-10-26",
    broken=probability,
    fixes={
        "passes": passes,
        "identity": with_identity,
        "wider": changed(probability, {"-10, 10": "-20, 20"}),
    },
    check=check,
)
