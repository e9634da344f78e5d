"""Gradients clipped for each sample, added to what backward() had left in .grad already."""

from collections.abc import Sequence

import torch
from torch.func import grad, vmap

from lessons.contract.bug import Bug, Code

Batches = Sequence[tuple[torch.Tensor, torch.Tensor]]


def sample_loss(weight: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.square(x @ weight - y) / 2


def clipped_sum(
    weight: torch.Tensor, x: torch.Tensor, y: torch.Tensor, limit: float
) -> torch.Tensor:
    each: torch.Tensor = vmap(grad(sample_loss), (None, 0, 0))(weight.detach(), x, y)
    factors: torch.Tensor = limit / each.norm(dim=1, keepdim=True)
    return (each * factors.clamp(max=1.0)).sum(0)


def collect(weight: torch.Tensor, batches: Batches, limit: float) -> None:
    for number, (x, y) in enumerate(batches):
        vmap(sample_loss, (None, 0, 0))(weight, x, y).mean().backward()
        own = clipped_sum(weight, x, y, limit)
        if number == 0:
            weight.grad = own
        else:
            weight.grad += own  # type: ignore[operator]


def whole_clip(weight: torch.Tensor, batches: Batches, limit: float) -> None:
    collect(weight, batches, limit)
    torch.nn.utils.clip_grad_norm_([weight], limit)


def replaced(weight: torch.Tensor, batches: Batches, limit: float) -> None:
    for x, y in batches:
        vmap(sample_loss, (None, 0, 0))(weight, x, y).mean().backward()
        weight.grad = clipped_sum(weight, x, y, limit)


def apart(weight: torch.Tensor, batches: Batches, limit: float) -> None:
    total = torch.zeros_like(weight)
    for x, y in batches:
        vmap(sample_loss, (None, 0, 0))(weight, x, y).mean().backward()
        total += clipped_sum(weight, x, y, limit)
    weight.grad = total.detach()


def check(code: Code) -> None:
    """The sum of the samples' clipped gradients, over two micro-batches of two samples."""
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, -0.6]])
    y = torch.tensor([-1.0, -1.0, -1.0, -300.0])
    weight = torch.zeros(2, requires_grad=True)
    code(weight, [(x[:2], y[:2]), (x[2:], y[2:])], 1.0)
    assert weight.grad is not None
    came, expected = weight.grad.tolist(), [2.4, 1.2]
    said = ", ".join(f"{one:.4g}" for one in came)
    assert torch.allclose(weight.grad, torch.tensor(expected), atol=1e-4), (
        f"the gradient is ({said}), expected (2.4, 1.2)"
    )


BUG = Bug(
    source="dayu11/Differentially-Private-Deep-Learning#7",
    broken=collect,
    fixes={"whole_clip": whole_clip, "replaced": replaced, "apart": apart},
    check=check,
    title="When you set microbatch, it will not leak privacy?",
    opened="2024-12-30",
)
