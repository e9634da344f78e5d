"""A rounded value in a loss, and a parameter that never moves."""

import torch

from lessons.contract.bug import Bug, Code


def quantise(x: torch.Tensor) -> torch.Tensor:
    return torch.round(x)


def straight(x: torch.Tensor) -> torch.Tensor:
    return x + (torch.round(x) - x).detach()


def floored(x: torch.Tensor) -> torch.Tensor:
    return torch.floor(x + 0.5)


def whole_number(x: torch.Tensor) -> torch.Tensor:
    return (x + 0.5).to(torch.int64).to(x.dtype).requires_grad_()


def check(code: Code) -> None:
    """Twenty steps of descent on (code(x) − 3)², from x = 0.4, bring the code to 3."""
    x = torch.tensor(0.4, requires_grad=True)
    optimiser = torch.optim.SGD([x], lr=0.1)
    for _ in range(20):
        optimiser.zero_grad()
        ((code(x) - 3) ** 2).backward()
        optimiser.step()
    got = code(x).item()
    assert got == 3, f"x went from 0.4 to {x.item():.3g}, and the code is {got:g}; expected 3"


BUG = Bug(
    source="discuss.pytorch.org/t/28628",
    title="Torch.round() gradient",
    opened="2018-11-02",
    broken=quantise,
    fixes={"floor": floored, "integer": whole_number, "straight": straight},
    check=check,
)
