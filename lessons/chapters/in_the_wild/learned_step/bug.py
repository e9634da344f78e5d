"""One backward pass around the whole fake quantiser: the scale gets no gradient."""

import torch

from lessons.contract.bug import Bug, Code, changed


def fake_quantise(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    y = s * torch.round(torch.clamp(x / s, -4, 3))
    return x + (y - x).detach()


def product(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    code = torch.round(torch.clamp(x / s, -4, 3))
    return s * code.detach() + (x - x.detach())


def inner(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    v = torch.clamp(x / s, -4, 3)
    return s * (v + (torch.round(v) - v).detach())


def check(code: Code) -> None:
    """The values of the quantiser, and LSQ's gradient for the step size."""
    x = torch.tensor([0.1, 0.4, 0.7, 2.5], requires_grad=True)
    s = torch.tensor(0.3, requires_grad=True)
    y = code(x, s)
    expected = torch.tensor([0.0, 0.3, 0.6, 0.9])
    assert torch.allclose(y.detach(), expected), f"values {y.tolist()}, expected {expected}"
    (gradient,) = torch.autograd.grad(y.sum(), s, allow_unused=True)
    assert gradient is not None, "s gets no gradient (None), expected 2"
    assert abs(gradient.item() - 2) < 1e-4, f"s gets {gradient.item():.3g}, expected 2"


BUG = Bug(
    source="pytorch/ao#2280",
    title="Fix QAT range learning, ensure scales get gradients",
    opened="2025-05-30",
    broken=fake_quantise,
    fixes={
        "by_hand": changed(fake_quantise, {".detach()": ".detach() + (s - s.detach())"}),
        "product": product,
        "inner": inner,
    },
    check=check,
)
