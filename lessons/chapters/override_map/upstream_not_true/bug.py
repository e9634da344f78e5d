"""A rule that should change nothing leaves out the local derivative of the relu."""

from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import gradient_override_map
from lessons.gradient_tricks.tricks.rule import Op


def relu(x: torch.Tensor) -> torch.Tensor:
    def unchanged(op: Op, upstream: torch.Tensor) -> Any:
        return upstream

    with gradient_override_map({"Relu": unchanged}):
        return torch.relu(x)


def check(code: Code) -> None:
    """The gradient of 3·relu(x), as torch gives it without a rule."""
    x = torch.tensor([-5.0, -1.0, 1.0, 4.0], requires_grad=True)
    (expected,) = torch.autograd.grad((3 * torch.relu(x)).sum(), x)
    (got,) = torch.autograd.grad((3 * code(x)).sum(), x)
    assert torch.equal(got, expected), (
        f"gradient of 3·relu(x) at {x.tolist()}: got {got.tolist()}, expected {expected.tolist()}"
    )


BUG = Bug(
    source="tensorflow/tensorflow#29449",
    title="RegisterGradient not behaving as expected.",
    opened="2019-06-05",
    broken=relu,
    fixes={
        "mask": changed(relu, {"return upstream": "return upstream * (op.inputs[0] > 0)"}),
        "local": changed(relu, {"return upstream": "return (op.inputs[0] > 0).to(upstream.dtype)"}),
        "value": changed(relu, {"return upstream": "return upstream * op.outputs[0]"}),
    },
    check=check,
)
