"""A norm for each tensor, where one over all of them was meant: the gradient turns."""

import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from lessons.contract.bug import Bug, Code, changed


def clip(parameters: list[torch.Tensor], limit: float) -> None:
    for p in parameters:
        clip_grad_norm_(p, limit)


def by_value(parameters: list[torch.Tensor], limit: float) -> None:
    clip_grad_value_(parameters, limit)


def together(parameters: list[torch.Tensor], limit: float) -> None:
    clip_grad_norm_(parameters, limit)


def check(code: Code) -> None:
    large, small = (torch.zeros(2), torch.zeros(1))
    large.grad = torch.tensor([6.0, 8.0])
    small.grad = torch.tensor([2.0])
    code([large, small], 1.0)
    clipped = torch.cat([large.grad, small.grad])
    length, quotient = clipped.norm().item(), (clipped[1] / clipped[2]).item()
    assert length < 1.001, f"length {length:.4g}, expected 1"
    assert abs(quotient - 4.0) < 1e-3, (
        f"large to small is {quotient:.4g}, was 4: the gradient turned"
    )


BUG = Bug(
    source="huggingface/transformers#581",
    broken=clip,
    fixes={
        "share": changed(clip, {"(p, limit)": "(p, limit / len(parameters) ** 0.5)"}),
        "by_value": by_value,
        "together": together,
    },
    check=check,
    title="BertAdam gradient clipping is not global",
    opened="2019-05-03",
)
