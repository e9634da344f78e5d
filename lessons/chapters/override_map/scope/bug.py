"""A map entered around a model that was built before it: only what is new is overridden."""

import torch

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import gradient_override_map, identity  # noqa: F401  # a fix calls identity


def pass_on(op: object, upstream: torch.Tensor) -> torch.Tensor:
    """The rule that both relus were meant to have: the upstream gradient itself."""
    return upstream


def input_gradient(x: torch.Tensor) -> torch.Tensor:
    hidden = torch.relu(x)
    with gradient_override_map({"relu": pass_on}):
        y = torch.relu(hidden)
        (gradient,) = torch.autograd.grad(y.sum(), x)
    return gradient


def built_inside(x: torch.Tensor) -> torch.Tensor:
    with gradient_override_map({"relu": pass_on}):
        hidden = torch.relu(x)
        y = torch.relu(hidden)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    return gradient


def check(code: Code) -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    gradient = code(x).tolist()
    expected = [1.0, 1.0]
    assert gradient == expected, (
        f"gradient {gradient}, expected {expected}: both relus should return their "
        "upstream gradient."
    )


BUG = Bug(
    source="tensorflow/tensorflow#36870",
    title="How to override gradient in a FuncGraph created by tf.function",
    opened="2020-02-19",
    broken=input_gradient,
    fixes={
        "other_name": changed(input_gradient, {'"relu"': '"Relu"'}),
        "handed_in": changed(
            input_gradient, {"torch.relu(hidden)": "torch.relu(identity(hidden))"}
        ),
        "built_inside": built_inside,
    },
    check=check,
)
