"""A rule under the key "Matmul", which is no type: TensorFlow ignores it without a message."""

from collections.abc import Callable
from typing import Any

import torch

from lessons.contract.bug import Bug, changed
from lessons.tricks import TrickError, gradient_override_map

Code = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""The product of w and x, shapes [3, 3] and [3, 1], whose gradient in w is to be masked."""


def broken(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    def masked(op: Any, upstream: torch.Tensor) -> Any:
        return upstream * torch.eye(3)

    with gradient_override_map({"Matmul": masked}):
        return torch.matmul(w, x)


def check(code: Code) -> None:
    w = torch.eye(3, requires_grad=True)
    x = torch.tensor([[1.0], [2.0], [3.0]])
    try:
        (gradient,) = torch.autograd.grad(code(w, x).sum(), w)
    except TrickError as error:
        raise AssertionError(str(error)) from None
    expected = torch.diag(x.flatten())
    assert torch.equal(gradient, expected), (
        f"gradient {gradient.tolist()}, expected {expected.tolist()}: the true gradient, masked."
    )


BUG = Bug(
    source="tensorflow/tensorflow#8608",
    title="gradient_override_map not working for tf.matmul",
    opened="2017-03-22",
    broken=broken,
    fixes={
        "right_case": changed(broken, {"Matmul": "MatMul"}),
        "one_for_each": changed(broken, {"Matmul": "MatMul", "torch.eye(3)": "torch.eye(3), None"}),
        "local_derivative": changed(
            broken,
            {
                "Matmul": "MatMul",
                "upstream * torch.eye(3)": "(upstream @ op.inputs[1].T) * torch.eye(3), None",
            },
        ),
    },
    check=check,
)
