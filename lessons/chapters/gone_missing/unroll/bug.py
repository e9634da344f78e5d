"""A state handed from batch to batch with its graph: backward() meets freed values."""

from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed

Steps = list[tuple[float, float]]
"""The state and the gradient of each batch."""


def train(w: Any, batches: list[list[float]], rate: float) -> Steps:
    optimizer, seen = torch.optim.SGD([w], lr=rate), []
    h = torch.zeros(())
    for batch in batches:
        for x in batch:
            h = w * h + x
        optimizer.zero_grad()
        h.backward()
        seen.append((h.item(), w.grad.item()))
        optimizer.step()
    return seen


def check(code: Code) -> None:
    """The state goes on from batch to batch, and each gradient is that of its own batch."""
    batches, rate = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 0.1
    w = torch.tensor(0.5, requires_grad=True)
    seen = code(w, batches, rate)
    weight, h = 0.5, 0.0
    for number, (batch, (state, slope)) in enumerate(zip(batches, seen, strict=True), start=1):
        expected = 0.0
        for x in batch:
            expected = h + weight * expected
            h = weight * h + x
        of = f"batch {number}"
        assert abs(state - h) < 1e-4, f"{of}: the state is {state:.4g}, expected {h:.4g}"
        assert abs(slope - expected) < 1e-4, f"{of}: gradient {slope:.4g}, expected {expected:.4g}"
        weight -= rate * expected


BUG = Bug(
    source="MorvanZhou/PyTorch-Tutorial#57",
    broken=train,
    fixes={
        "retain": changed(train, {"h.backward()": "h.backward(retain_graph=True)"}),
        "fresh": changed(
            train,
            {"h = torch.zeros(())": "", "for x in batch:": "h = torch.zeros(())\nfor x in batch:"},
        ),
        "detach": changed(train, {"for x in batch:": "h = h.detach()\nfor x in batch:"}),
    },
    check=check,
    title="403: question about h_state = h_state.data",
    opened="2018-11-12",
)
