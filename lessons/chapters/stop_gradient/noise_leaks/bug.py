"""A target that is computed by the network it is the target for."""

from collections.abc import Callable

import torch

from lessons.contract.bug import Bug

Loss = Callable[[torch.Tensor], torch.Tensor]


def broken(weight: torch.Tensor) -> torch.Tensor:
    value_now, value_next = weight * 1.0, weight * 2.0
    target = 1.0 + 0.9 * value_next
    return (target - value_now) ** 2


def target_stopped(weight: torch.Tensor) -> torch.Tensor:
    value_now, value_next = weight * 1.0, weight * 2.0
    target = 1.0 + 0.9 * value_next.detach()
    return (target - value_now) ** 2


def value_stopped(weight: torch.Tensor) -> torch.Tensor:
    value_now, value_next = weight * 1.0, weight * 2.0
    target = 1.0 + 0.9 * value_next
    return (target - value_now.detach()) ** 2


def all_stopped(weight: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        value_now, value_next = weight * 1.0, weight * 2.0
        target = 1.0 + 0.9 * value_next
    return (target - value_now) ** 2


def check(loss: Loss) -> None:
    """The value now is to move to the target, and the target to stay: −2 · (2.8 − 1)."""
    weight = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    found = loss(weight)
    assert found.requires_grad, "the loss has no gradient, expected −3.6"
    came = torch.autograd.grad(found, weight)[0].item()
    assert abs(came + 3.6) < 1e-9, f"the gradient is {came:.3g}, expected −3.6"


BUG = Bug(
    source="openai/baselines#105",
    url="https://github.com/openai/baselines/issues/105",
    broken=broken,
    fixes={"value": value_stopped, "target": target_stopped, "all": all_stopped},
    check=check,
)
