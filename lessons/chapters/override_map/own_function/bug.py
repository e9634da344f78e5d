"""An activation of one's own: its backward returns the slope alone."""

# mypy: allow-untyped-calls

from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed


def isrlu(x: torch.Tensor) -> Any:
    class ISRLU(torch.autograd.Function):
        @staticmethod
        def forward(x: torch.Tensor, alpha: float) -> torch.Tensor:
            return x * torch.rsqrt(1 + alpha * x.clamp(max=0) ** 2)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
            x, ctx.alpha = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx: Any, upstream: torch.Tensor) -> Any:
            (x,) = ctx.saved_tensors
            slope = torch.rsqrt(1 + ctx.alpha * x.clamp(max=0) ** 2) ** 3
            return slope, None

    return ISRLU.apply(x, 1.0)


def check(code: Code) -> None:
    """Only the first input changes the first output."""
    x = torch.tensor([-2.0, -0.5, 1.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(code(x)[0], x)
    got = [round(one, 4) for one in gradient.tolist()]
    expected = [0.0894, 0.0, 0.0]
    assert got == expected, f"gradient of the first output: got {got}, expected {expected}"


BUG = Bug(
    source="pytorch/pytorch#4355",
    title="gradcheck fails with cryptic error",
    opened="2017-12-26",
    broken=isrlu,
    fixes={
        "single": changed(isrlu, {"return slope, None": "return slope"}),
        "total": changed(isrlu, {"return slope, None": "return upstream.sum() * slope, None"}),
        "upstream": changed(isrlu, {"return slope, None": "return upstream * slope, None"}),
    },
    check=check,
)
