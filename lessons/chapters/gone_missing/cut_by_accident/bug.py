"""A model that returns .data, and a loss that was made to require a gradient all the same."""

import torch

from lessons.contract.bug import Bug, Code, changed


def finetune_step(
    w: torch.Tensor, x: torch.Tensor, label: torch.Tensor, optimizer: torch.optim.Optimizer
) -> None:
    outputs = (x @ w).data
    loss = ((outputs - label) ** 2).mean()
    loss.requires_grad = True
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def at_the_outputs(
    w: torch.Tensor, x: torch.Tensor, label: torch.Tensor, optimizer: torch.optim.Optimizer
) -> None:
    outputs = (x @ w).data
    outputs.requires_grad = True
    loss = ((outputs - label) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def check(code: Code) -> None:
    """One step makes the loss smaller."""
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    x, label = torch.tensor([[1.0, 0.5], [0.0, 1.0]]), torch.tensor([1.0, 1.0])

    def error() -> float:
        return float(((x @ w.detach() - label) ** 2).mean())

    before = error()
    code(w, x, label, torch.optim.SGD([w], lr=0.1))
    assert error() < before, f"the loss was {before:.4g} and is {error():.4g}: no weight moved"


BUG = Bug(
    source="huggingface/torchMoji#21",
    broken=finetune_step,
    fixes={
        "longer_steps": changed(
            finetune_step,
            {"loss.backward()": "optimizer.param_groups[0]['lr'] *= 10\nloss.backward()"},
        ),
        "at_the_outputs": at_the_outputs,
        "no_data": changed(
            finetune_step,
            {
                "outputs = (x @ w).data": "outputs = x @ w",
                "loss.requires_grad = True": "",
            },
        ),
    },
    check=check,
    title="loss don't go down when finetune and about requires_grad option in backward()",
    opened="2019-01-28",
)
