"""A clamp whose result is not used: the gradients are as they were."""

from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed


def step(parameters: list[Any], loss: torch.Tensor, rate: float) -> None:
    loss.backward()
    for p in parameters:
        p.grad.clamp(-1, 1)
    torch.optim.SGD(parameters, lr=rate).step()


def check(code: Code) -> None:
    """The steep parameter moves by rate times limit; the flat one moves as its gradient says."""
    steep, flat = (torch.tensor(2.0, requires_grad=True) for _ in range(2))
    code([steep, flat], 400 * steep + 0.5 * flat, 0.1)
    got = [round(float(2.0 - p.detach()), 4) for p in (steep, flat)]
    assert got == [0.1, 0.05], f"the two moved by {got}, expected [0.1, 0.05]"


BUG = Bug(
    source="pytorch/tutorials#30",
    broken=step,
    fixes={
        "named": changed(
            step, {"p.grad.clamp(-1, 1)": "gradient = p.grad\ngradient = gradient.clamp(-1, 1)"}
        ),
        "weights": changed(step, {"p.grad.clamp(": "p.data.clamp_("}),
        "in_place": changed(step, {"p.grad.clamp(": "p.grad.clamp_("}),
    },
    check=check,
    title="Fixed clamp not being applied to parameters",
    opened="2017-02-07",
)
