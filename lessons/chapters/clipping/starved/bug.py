"""Softmax before cross-entropy, which takes a softmax of its own: the gradient vanishes."""

import torch
from torch.nn import functional

from lessons.contract.bug import Bug, Code, changed


def loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    p = functional.softmax(logits, dim=-1)
    return functional.cross_entropy(p, target)


def raw(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(logits, target)


def check(code: Code) -> None:
    """A sure mistake sends back nearly 1 to the wrong logit and nearly −1 to the right one."""
    logits = torch.tensor([[20.0, 0.0]], requires_grad=True)
    (gradient,) = torch.autograd.grad(code(logits, torch.tensor([1])), logits)
    got = [round(value, 6) + 0.0 for value in gradient[0].tolist()]
    assert got == [1.0, -1.0], f"the gradient of the logits is {got}, expected [1.0, -1.0]"


BUG = Bug(
    source="bowang-lab/Transformer-GCN-QA#32",
    broken=loss,
    fixes={
        "louder": changed(loss, {"functional.cross_entropy": "100 * functional.cross_entropy"}),
        "likelihood": changed(loss, {"functional.cross_entropy": "functional.nll_loss"}),
        "raw": raw,
    },
    check=check,
    title="Removes erroneous extra softmax",
    opened="2019-06-05",
)
