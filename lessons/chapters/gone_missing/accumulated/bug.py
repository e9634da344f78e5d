"""Two replicas, simulated in one process: each takes the mean of its own tokens."""

import torch
from torch import Tensor

from lessons.contract.bug import Bug, Code, changed


def train_step(weight: Tensor, replicas: list[Tensor]) -> None:
    gradients: list[Tensor] = []
    for tokens in replicas:
        loss = ((weight - tokens) ** 2).sum() / len(tokens)
        gradients += torch.autograd.grad(loss, weight)
    # DistributedDataParallel averages.
    weight.grad = torch.stack(gradients).mean(0)


def check(code: Code) -> None:
    """The gradient is that of one process with all tokens in one batch."""
    replicas = [torch.tensor([3.0, 3.0]), torch.full((6,), -1.0)]
    weight = torch.tensor(0.5, requires_grad=True)
    alone = ((weight - torch.cat(replicas)) ** 2).mean()
    (expected,) = torch.autograd.grad(alone, weight)
    code(weight, replicas)
    assert weight.grad is not None
    came = weight.grad
    assert abs(came - expected) < 1e-6, f"weight.grad is {came:g}, in one process {expected:g}"


BUG = Bug(
    source="huggingface/transformers#34242",
    broken=train_step,
    fixes={
        "total": changed(train_step, {"len(tokens)": "sum(map(len, replicas))"}),
        "summed": changed(train_step, {".mean(0)": ".sum(0)"}),
        "both": changed(
            train_step,
            {"len(tokens)": "sum(map(len, replicas))", "grad(loss": "grad(loss * len(replicas)"},
        ),
    },
    check=check,
    title="Add DDP token averaging for equivalent non-parallel training similar to #34191",
    opened="2024-10-18",
)
