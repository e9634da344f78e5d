"""A reversal as the last layer of the head: the head itself then learns to fail."""

import torch
from torch import Tensor

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import flip_gradient


def predict(extractor: Tensor, head: Tensor, x: Tensor) -> Tensor:
    feature = extractor * x
    return flip_gradient(head * feature)


def check(code: Code) -> None:
    w, v = (torch.tensor(value, requires_grad=True) for value in (2.0, 0.5))
    x = torch.tensor(3.0)
    plain_extractor, plain_head = torch.autograd.grad((v * w * x - 1) ** 2, (w, v))
    extractor, head = torch.autograd.grad((code(w, v, x) - 1) ** 2, (w, v))
    assert head == plain_head, (
        f"the head’s gradient is {head:g}, expected {plain_head:g}: the head should learn its task."
    )
    assert extractor == -plain_extractor, (
        f"the extractor’s gradient is {extractor:g}, expected {-plain_extractor:g}: reversed."
    )


BUG = Bug(
    source="janfreyberg/pytorch-revgrad#5",
    title="Getting nan losses after gradient reversal",
    opened="2020-11-03",
    broken=predict,
    fixes={
        "other_sign": changed(predict, {"head * feature": "head * feature, -1.0"}),
        "both_ends": changed(predict, {"extractor * x": "flip_gradient(extractor * x)"}),
        "before_the_head": changed(
            predict,
            {
                "extractor * x": "flip_gradient(extractor * x)",
                "flip_gradient(head * feature)": "head * feature",
            },
        ),
    },
    check=check,
)
