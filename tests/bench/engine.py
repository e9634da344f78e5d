"""Speed of the trick engine against hand-written code and two packages.

They take turns, round after round. All times are CPU time of this thread, so a busy machine matters
little.
"""

import statistics
import time
from typing import Any

import torch
from gradient_reversal import gradient_reversal
from pytorch_revgrad.functional import revgrad
from torch.utils.benchmark import Timer

from lessons.tricks import flip_gradient
from tests.bench.shared import table

ROUNDS, SECONDS = 9, 0.2
HALF = torch.tensor(0.5)


class HandWritten(torch.autograd.Function):
    """What one would write by hand for gradient reversal."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: float) -> torch.Tensor:
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        return upstream * -ctx.scale, None


FUNCTIONS = {
    "ours": lambda x: flip_gradient(x, scale=0.5),
    "hand-written": lambda x: HandWritten.apply(x, 0.5),
    "hand-written again": lambda x: HandWritten.apply(x, 0.5),
    "pytorch-revgrad": lambda x: revgrad(x, HALF),
    "torch-gradient-reversal": lambda x: gradient_reversal(x, 0.5),
}


def rows(size: int) -> list[dict[str, object]]:
    """Time gradient reversal, forward and backward."""
    x, upstream = torch.randn(size, requires_grad=True), torch.randn(size)
    timers = {
        name: Timer(
            "torch.autograd.grad(f(x), x, upstream)",
            globals={"torch": torch, "f": function, "x": x, "upstream": upstream},
            timer=time.thread_time,
        )
        for name, function in FUNCTIONS.items()
    }
    found: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(ROUNDS):
        for name, timer in timers.items():
            found[name].append(timer.blocked_autorange(min_run_time=SECONDS).median * 1e6)
    medians = {name: statistics.median(times) for name, times in found.items()}
    return [
        {
            "elements": f"{size:,}",
            "function": name,
            "median µs": f"{median:.1f}",
            "to the hand-written one": f"{median / medians['hand-written']:.3f}",
        }
        for name, median in medians.items()
    ]


def main() -> str:
    """The report, as Markdown."""
    about = f"torch {torch.__version__}, one thread. Gradient reversal, forward and backward:"
    return "\n".join(
        ["## Trick engine", "", about, "", *table([*rows(10**3), *rows(10**5)])],
    )
