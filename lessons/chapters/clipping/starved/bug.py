"""Softmax before cross-entropy, which takes a softmax of its own: the gradient starves."""

from collections.abc import Callable

import torch
from torch.nn import functional

from lessons.contract.bug import Bug


def loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    p = functional.softmax(logits, dim=-1)
    return functional.cross_entropy(p, target)


def louder(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    p = functional.softmax(logits, dim=-1)
    return 100 * functional.cross_entropy(p, target)


def likelihood(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    p = functional.softmax(logits, dim=-1)
    return functional.nll_loss(p, target)


def raw(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(logits, target)


def check(code: Callable[..., torch.Tensor]) -> None:
    """A sure mistake sends back nearly 1 to the wrong logit and nearly −1 to the right one."""
    logits = torch.tensor([[20.0, 0.0]], requires_grad=True)
    (gradient,) = torch.autograd.grad(code(logits, torch.tensor([1])), logits)
    came = [round(value, 6) + 0.0 for value in gradient[0].tolist()]
    assert came == [1.0, -1.0], f"the gradient of the logits is {came}, expected [1.0, -1.0]"


BUG = Bug(
    source="bkitano/llama-from-scratch#5",
    url="https://github.com/bkitano/llama-from-scratch/issues/5",
    broken=loss,
    fixes={"louder": louder, "likelihood": likelihood, "raw": raw},
    check=check,
)
