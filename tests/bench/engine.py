"""Speed of the trick engine: against hand-written code and two packages, and inside a map.

`python -m tests.bench.engine`, or `make bench`. The reversals take turns, round after round;
the maps are measured one depth after the other. All times are CPU time of this thread, so a busy
machine matters little.
"""

import importlib
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch.utils.benchmark import Timer

from lessons.tricks import flip_gradient, gradient_override_map, identity
from tests.bench.shared import table

ROUNDS, SECONDS = 9, 0.2
OTHERS = {
    "pytorch-revgrad": ("pytorch_revgrad.functional", "revgrad", torch.tensor(0.5)),
    "torch-gradient-reversal": ("gradient_reversal", "gradient_reversal", 0.5),
}


class HandWritten(torch.autograd.Function):
    """What one would write by hand for gradient reversal."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: float) -> torch.Tensor:
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        return upstream * -ctx.scale, None


def medians(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Measure each function; return its median time per call in microseconds."""
    timers = {
        name: Timer("run()", globals={"run": run}, timer=time.thread_time)
        for name, run in runs.items()
    }
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, timer in timers.items():
            found[name].append(timer.blocked_autorange(min_run_time=SECONDS).median * 1e6)
    return {name: statistics.median(times) for name, times in found.items()}


def reversals(size: int) -> list[tuple[str, ...]]:
    """Time gradient reversal, forward and backward; return the rows of the table."""
    x, upstream = torch.randn(size, requires_grad=True), torch.randn(size)
    functions: dict[str, Callable[..., torch.Tensor]] = {
        "ours": partial(flip_gradient, scale=0.5),
        "hand-written": lambda x: HandWritten.apply(x, 0.5),
        "hand-written again": lambda x: HandWritten.apply(x, 0.5),
    }
    for package, (module, name, scale) in OTHERS.items():
        function = getattr(importlib.import_module(module), name)
        functions[package] = lambda x, function=function, scale=scale: function(x, scale)
    found = medians({
        name: lambda f=function: torch.autograd.grad(f(x), x, upstream)
        for name, function in functions.items()
    })  # fmt: skip
    by_hand = found["hand-written"]
    return [(f"{size:,}", name, f"{us:.1f}", f"{us / by_hand:.3f}") for name, us in found.items()]


def in_maps() -> list[tuple[str, ...]]:
    """Time one small op inside 0, 1 and 2 maps that do not override it."""
    x = torch.randn(8)
    rows = []
    for depth in (0, 1, 2):
        with ExitStack() as maps:
            for _ in range(depth):
                maps.enter_context(gradient_override_map({"Identity": "Identity"}))
                identity(x)
            found = medians({"add": lambda: torch.add(x, x)})
            rows.append((str(depth), f"{found['add']:.2f}"))
    return rows


def main() -> str:
    """The report, as Markdown."""
    head = ("elements", "function", "median µs", "to the hand-written one")
    return "\n".join(
        [
            "## Trick engine",
            "",
            f"torch {torch.__version__}, one thread. Gradient reversal, forward and backward:",
            "",
            *table(head, [*reversals(10**3), *reversals(10**5)]),
            "",
            "torch.add of 8 numbers, inside nested maps that do not override it:",
            "",
            *table(("maps", "median µs"), in_maps()),
        ]
    )


if __name__ == "__main__":
    print(main())
