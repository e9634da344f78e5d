"""A rule for two outputs that serves only the first."""

from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import gradient_override_map, py_func
from lessons.gradient_tricks.tricks.rule import Op


def _function(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return a * b, a + 2 * b


def product_and_sum(a: torch.Tensor, b: torch.Tensor) -> Any:
    def rule(op: Op, up1: torch.Tensor, up2: torch.Tensor) -> tuple[Any, Any]:
        a, b = op.inputs
        return up1 * b, up1 * a

    with gradient_override_map({"py_func": rule}):
        return py_func(_function, a, b)


def check(code: Code) -> None:
    """The gradients of a loss that weights the outputs, as torch's own ops give them."""
    a, b = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    y1, y2 = _function(a, b)
    expected = torch.stack(torch.autograd.grad(5 * y1 - y2, (a, b)))
    y1, y2 = code(a, b)
    got = torch.stack(torch.autograd.grad(5 * y1 - y2, (a, b)))
    assert torch.equal(got, expected), (
        f"gradients for a and b: got {got.tolist()}, expected {expected.tolist()}"
    )


BUG = Bug(
    source="tensorflow/tensorflow#58941",
    title="tf.custom_gradient with multiple input and output",
    opened="2022-12-19",
    broken=product_and_sum,
    fixes={
        "total": changed(product_and_sum, {"up1 * b, up1 * a": "up1 * b + up2, up1 * a + up2 * 2"}),
        "product": changed(
            product_and_sum, {"up1 * b, up1 * a": "up1 * b * up2, up1 * a * up2 * 2"}
        ),
        "derivatives": changed(product_and_sum, {"up1 * b, up1 * a": "b + 1, a + 2"}),
    },
    check=check,
)
