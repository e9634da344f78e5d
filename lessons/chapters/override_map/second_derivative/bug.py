"""A custom Function that keeps an intermediate value: right once, wrong when differentiated."""

# mypy: allow-untyped-calls

from typing import Any

import torch

from lessons.contract.bug import Bug, Code, changed


def doubled_square(x: torch.Tensor) -> Any:
    class DoubledSquare(torch.autograd.Function):
        @staticmethod
        def forward(x: torch.Tensor) -> Any:
            return (2 * x) ** 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
            (x,) = inputs
            ctx.doubled = 2 * x

        @staticmethod
        def backward(ctx: Any, upstream: torch.Tensor) -> Any:
            return 4 * ctx.doubled * upstream

    return DoubledSquare.apply(x)


def check(code: Code) -> None:
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    # The loss squares the function: (4x²)² = 16x⁴. So its second derivative has two terms.
    (first,) = torch.autograd.grad(code(x) ** 2, x, create_graph=True)
    expected = 64 * x.item() ** 3
    assert first.item() == expected, f"first derivative {first.item():g}, expected {expected:g}."
    (second,) = torch.autograd.grad(first, x)
    expected = 192 * x.item() ** 2
    assert second.item() == expected, (
        f"second derivative {second.item():g}, expected {expected:g}; the first one is right."
    )


BUG = Bug(
    source="pytorch/pytorch#58509",
    title="custom Function intermediary results are dangerous for double backward",
    opened="2021-05-18",
    broken=doubled_square,
    fixes={
        "saved": changed(
            doubled_square,
            {
                "ctx.doubled = 2 * x": "ctx.save_for_backward(2 * x)",
                "return 4 * ctx.doubled": "(doubled,) = ctx.saved_tensors\nreturn 4 * doubled",
            },
        ),
        "gradients_on": changed(
            doubled_square,
            {"return 4 * ctx.doubled": "with torch.enable_grad():\n    return 4 * ctx.doubled"},
        ),
        "recomputed": changed(
            doubled_square,
            {
                "ctx.doubled = 2 * x": "ctx.save_for_backward(x)",
                "return 4 * ctx.doubled": "(x,) = ctx.saved_tensors\nreturn 4 * (2 * x)",
            },
        ),
    },
    check=check,
)
