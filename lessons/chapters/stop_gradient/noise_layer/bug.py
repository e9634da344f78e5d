"""A dropout layer that is made anew in every forward pass, so that eval() never reaches it."""

from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed


def make_network() -> torch.nn.Module:
    class Network(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return torch.nn.Dropout(p=0.5)(x)

    return Network()


def member() -> torch.nn.Module:
    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.dropout = torch.nn.Dropout(p=0.5)

        def forward(self, x: torch.Tensor) -> Any:
            return self.dropout(x)

    return Network()


def check(code: Code) -> None:
    """Noise in training mode, the input itself in evaluation mode."""
    network, x = code(), torch.ones(1000)
    changed = int((network.train()(x) != x).sum())
    assert changed == len(x), f"in training mode {changed} of {len(x)} values change, expected all"
    changed = int((network.eval()(x) != x).sum())
    assert changed == 0, f"after eval() {changed} of {len(x)} values still change, expected none"


BUG = Bug(
    source="yangze0930/NTS-Net#14",
    title="dropout in resnet.py",
    opened="2019-02-13",
    broken=make_network,
    fixes={
        "stopped": changed(
            make_network,
            {"torch.nn.Dropout(p=0.5)(x)": "x + (torch.nn.Dropout(p=0.5)(x) - x).detach()"},
        ),
        "functional": changed(
            make_network, {"torch.nn.Dropout(p=0.5)(x)": "torch.nn.functional.dropout(x, p=0.5)"}
        ),
        "member": member,
    },
    check=check,
)
