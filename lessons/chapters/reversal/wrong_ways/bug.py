"""A reversal as nn.Module.backward: autograd never calls it."""

from typing import Any

import torch

from lessons.contract.bug import Bug, Code


def gradient_reversal(x: torch.Tensor) -> torch.Tensor:
    class Reversal(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x

        def backward(self, upstream: torch.Tensor) -> torch.Tensor:
            return -upstream

    return Reversal()(x)  # type: ignore[no-any-return]


def negated(x: torch.Tensor) -> torch.Tensor:
    class Reversal(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return -x

    return Reversal()(x)  # type: ignore[no-any-return]


def static(x: torch.Tensor) -> torch.Tensor:
    class Reversal(torch.nn.Module):
        @staticmethod
        def forward(x: torch.Tensor) -> torch.Tensor:
            return x.view_as(x)

        @staticmethod
        def backward(upstream: torch.Tensor) -> torch.Tensor:
            return -upstream

    return Reversal()(x)  # type: ignore[no-any-return]


def function(x: torch.Tensor) -> torch.Tensor:
    class Reversal(torch.autograd.Function):
        @staticmethod
        def forward(x: torch.Tensor) -> torch.Tensor:
            return x.view_as(x)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
            pass  # nothing to save

        @staticmethod
        def backward(ctx: Any, upstream: torch.Tensor) -> torch.Tensor:
            return -upstream

    return Reversal.apply(x)  # type: ignore[no-any-return]


def check(code: Code) -> None:
    """The value passes through, and the gradient comes back with its sign flipped."""
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    y = code(x)
    assert torch.equal(y, x), f"the value is {y.tolist()}, expected {x.tolist()}"
    (slope,) = torch.autograd.grad((3 * y).sum(), x)
    assert slope.tolist() == [-3.0, -3.0], (
        f"the gradient is {slope.tolist()}, expected [-3.0, -3.0]"
    )


BUG = Bug(
    source="hash2430/pitchtron#3",
    title="Does gradient reversal layer work?",
    opened="2020-08-09",
    broken=gradient_reversal,
    fixes={"negated": negated, "static": static, "function": function},
    check=check,
)
