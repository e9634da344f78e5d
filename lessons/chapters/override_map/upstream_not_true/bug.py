"""A rule that should change nothing leaves out the local derivative of the relu."""

from collections.abc import Callable
from typing import Any

import torch

from lessons.contract.bug import Bug
from lessons.tricks import gradient_override_map
from lessons.tricks.rule import Op

Code = Callable[[torch.Tensor], torch.Tensor]


def broken(x: torch.Tensor) -> torch.Tensor:
    def unchanged(op: Op, upstream: torch.Tensor) -> Any:
        return upstream

    with gradient_override_map({"Relu": unchanged}):
        return torch.relu(x)


def mask(x: torch.Tensor) -> torch.Tensor:
    def unchanged(op: Op, upstream: torch.Tensor) -> Any:
        return upstream * (op.inputs[0] > 0)

    with gradient_override_map({"Relu": unchanged}):
        return torch.relu(x)


def local(x: torch.Tensor) -> torch.Tensor:
    def unchanged(op: Op, upstream: torch.Tensor) -> Any:
        return (op.inputs[0] > 0).to(upstream.dtype)

    with gradient_override_map({"Relu": unchanged}):
        return torch.relu(x)


def value(x: torch.Tensor) -> torch.Tensor:
    def unchanged(op: Op, upstream: torch.Tensor) -> Any:
        return upstream * op.outputs[0]

    with gradient_override_map({"Relu": unchanged}):
        return torch.relu(x)


def check(code: Code) -> None:
    """The gradient of 3·relu(x), as torch gives it without a rule."""
    x = torch.tensor([-5.0, -1.0, 1.0, 4.0], requires_grad=True)
    (expected,) = torch.autograd.grad((3 * torch.relu(x)).sum(), x)
    (came,) = torch.autograd.grad((3 * code(x)).sum(), x)
    assert torch.equal(came, expected), (
        f"gradient of 3·relu(x) at {x.tolist()}: got {came.tolist()}, expected {expected.tolist()}"
    )


BUG = Bug(
    source="tensorflow/tensorflow#29449",
    url="https://github.com/tensorflow/tensorflow/issues/29449",
    broken=broken,
    fixes={"mask": mask, "local": local, "value": value},
    check=check,
)
