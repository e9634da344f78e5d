"""An override of MatMul under the key "Matmul": in TensorFlow nothing happened, without a word."""

from collections.abc import Callable
from typing import Any

import torch

from lessons.contract.bug import Bug
from lessons.tricks import TrickError, gradient_override_map

Code = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""The product of w and x, shapes [3, 3] and [3, 1], whose gradient in w is to be masked."""


def broken(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    def masked(op: Any, upstream: torch.Tensor) -> Any:
        return upstream * torch.eye(3)

    with gradient_override_map({"Matmul": masked}):
        return torch.matmul(w, x)


def right_case(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    def masked(op: Any, upstream: torch.Tensor) -> Any:
        return upstream * torch.eye(3)

    with gradient_override_map({"MatMul": masked}):
        return torch.matmul(w, x)


def one_for_each(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    def masked(op: Any, upstream: torch.Tensor) -> Any:
        return upstream * torch.eye(3), None

    with gradient_override_map({"MatMul": masked}):
        return torch.matmul(w, x)


def local_derivative(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    def masked(op: Any, upstream: torch.Tensor) -> Any:
        return (upstream @ op.inputs[1].T) * torch.eye(3), None

    with gradient_override_map({"MatMul": masked}):
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
        f"gradient {gradient.tolist()}, expected {expected.tolist()}: the true one, masked."
    )


BUG = Bug(
    source="tensorflow/tensorflow#8608",
    url="https://github.com/tensorflow/tensorflow/issues/8608",
    broken=broken,
    fixes={
        "right_case": right_case,
        "one_for_each": one_for_each,
        "local_derivative": local_derivative,
    },
    check=check,
)
