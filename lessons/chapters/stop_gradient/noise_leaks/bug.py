"""A target that is computed by the network it is the target for."""

import torch

from lessons.contract.bug import Bug, Code, changed


def td_loss(weight: torch.Tensor) -> torch.Tensor:
    value_now, value_next = weight * 1.0, weight * 2.0
    target = 1.0 + 0.9 * value_next
    return (target - value_now) ** 2


def all_stopped(weight: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        value_now, value_next = weight * 1.0, weight * 2.0
        target = 1.0 + 0.9 * value_next
    return (target - value_now) ** 2


def check(loss: Code) -> None:
    """The value should move towards the target, and the target should stay: −2 · (2.8 − 1)."""
    weight = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    found = loss(weight)
    assert found.requires_grad, "the loss has no gradient, expected −3.6"
    got = torch.autograd.grad(found, weight)[0].item()
    assert abs(got + 3.6) < 1e-9, f"the gradient is {got:.3g}, expected −3.6"


BUG = Bug(
    source="datawhalechina/easy-rl#117",
    title="distinguish Qnet and set detach() on TD target",
    opened="2022-10-23",
    broken=td_loss,
    fixes={
        "value": changed(td_loss, {"- value_now)": "- value_now.detach())"}),
        "target": changed(td_loss, {"0.9 * value_next": "0.9 * value_next.detach()"}),
        "all": all_stopped,
    },
    check=check,
)
