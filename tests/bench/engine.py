"""Speed of the trick engine: against hand-written code and two packages, and inside a map.

`python -m tests.bench.engine`, or `make bench`. All functions of a table are measured in turn,
round after round in one run, in CPU time of this thread, so that a neighbour on the machine
counts little. A ratio is the median of the ratios within each round. The noise floor is what the
hand-written function shows against itself in the same rounds.
"""

import ctypes
import importlib
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from lessons.tricks import flip_gradient, gradient_override_map, identity

AGAIN = "hand-written again"


class HandWritten(torch.autograd.Function):
    """What one would write by hand for gradient reversal."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: float) -> torch.Tensor:
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        return upstream * -ctx.scale, None


def contestants() -> dict[str, Callable[[torch.Tensor], torch.Tensor]]:
    """The functions compared: ours, and the peers that are installed."""
    alpha = torch.tensor(0.5)
    found: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "ours": lambda x: flip_gradient(x, 0.5),
        "hand-written": lambda x: HandWritten.apply(x, 0.5),
        AGAIN: lambda x: HandWritten.apply(x, 0.5),
    }
    peers = {
        "pytorch-revgrad": ("pytorch_revgrad.functional", "revgrad", alpha),
        "torch-gradient-reversal": ("gradient_reversal", "gradient_reversal", 0.5),
    }
    for package, (module, name, scale) in peers.items():
        try:
            function = getattr(importlib.import_module(module), name)
        except ImportError:
            continue  # tests/bench/requirements.txt is not installed
        found[package] = lambda x, function=function, scale=scale: function(x, scale)
    return found


def forward_and_backward(
    function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, upstream: torch.Tensor
) -> None:
    torch.autograd.grad(function(x), x, upstream)


def interleaved(
    runs: dict[str, Callable[[], object]], rounds: int, repeat: int
) -> dict[str, list[float]]:
    """Seconds a call of each function, once a round, in an order drawn anew for each round.

    A fixed order would favour whoever follows the function that leaves the cache best.
    """
    shuffle = random.Random(0).shuffle
    times: dict[str, list[float]] = {name: [] for name in runs}
    names = list(runs)
    for turn in range(rounds + 2):
        shuffle(names)
        for name in names:
            run = runs[name]
            run()
            start = time.thread_time()
            for _ in range(repeat):
                run()
            taken = (time.thread_time() - start) / repeat
            if turn >= 2:  # the first rounds warm up
                times[name].append(taken)
    return times


def keep_freed_memory() -> None:
    """Ask glibc to reuse freed memory; elsewhere do nothing.

    Otherwise it hands each 4 MB result back to the system or not, by what ran before, and the
    page faults (4 times the work measured) decide the comparison.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mmap_threshold, trim_threshold = -3, -1
        mallopt(mmap_threshold, 32 * 2**20)
        mallopt(trim_threshold, 512 * 2**20)


def reversal_table(sizes: tuple[int, ...] = (10**3, 10**6), rounds: int = 150) -> list[str]:
    """Forward and backward of gradient reversal; the ratio is to the fastest of the others."""
    lines = [
        "| elements | function | median µs | to the fastest of the others |",
        "|---|---|---|---|",
    ]
    for size in sizes:
        x = torch.randn(size, requires_grad=True)
        upstream = torch.randn(size)
        runs: dict[str, Callable[[], object]] = {
            name: partial(forward_and_backward, function, x, upstream)
            for name, function in contestants().items()
        }
        repeat = max(10, 100_000 // size)
        times = interleaved(runs, rounds, repeat)
        median = {name: statistics.median(taken) for name, taken in times.items()}
        best = min((n for n in median if n not in ("ours", AGAIN)), key=median.__getitem__)
        ratio = {
            name: statistics.median(a / b for a, b in zip(taken, times[best], strict=True))
            for name, taken in times.items()
        }
        itself = zip(times[AGAIN], times["hand-written"], strict=True)
        floor = abs(statistics.median(a / b for a, b in itself) - 1)
        for name, value in median.items():
            lines.append(f"| {size:,} | {name} | {value * 1e6:.1f} | {ratio[name]:.3f} |")
        lines.append(f"| {size:,} | *noise floor: hand-written against itself* | | ±{floor:.3f} |")
    return lines


def map_table(rounds: int = 60, repeat: int = 2000) -> list[str]:
    """What one small op costs more inside a map that does not override it, and outside one."""
    x = torch.randn(8)

    def inside() -> None:
        with gradient_override_map({"Identity": "Identity"}):
            identity(x)
            for _ in range(repeat):
                torch.add(x, x)

    def nested() -> None:
        with gradient_override_map({"Identity": "Identity"}):
            identity(x)
            with gradient_override_map({"Identity": "Identity"}):
                identity(x)
                for _ in range(repeat):
                    torch.add(x, x)

    def outside() -> None:
        for _ in range(repeat):
            torch.add(x, x)

    times = interleaved(
        {"outside": outside, "outside again": outside, "inside": inside, "nested": nested},
        rounds,
        1,
    )
    median = {name: statistics.median(taken) / repeat * 1e6 for name, taken in times.items()}
    more = {name: value - median["outside"] for name, value in median.items()}
    return [
        "| where torch.add of 8 numbers runs | median µs | µs more than outside |",
        "|---|---|---|",
        f"| outside a map | {median['outside']:.2f} | 0 |",
        f"| outside again (noise) | {median['outside again']:.2f} | {more['outside again']:+.2f} |",
        f"| in a map that does not override it | {median['inside']:.2f} | {more['inside']:+.2f} |",
        f"| in two nested maps | {median['nested']:.2f} | {more['nested']:+.2f} |",
    ]


def main() -> str:
    """The report, as Markdown."""
    torch.set_num_threads(1)
    keep_freed_memory()
    return "\n".join(
        [
            "## Trick engine",
            "",
            f"torch {torch.__version__}, one thread. Gradient reversal, forward and backward:",
            "",
            *reversal_table(),
            "",
            "An op that a map does not override:",
            "",
            *map_table(),
        ]
    )


if __name__ == "__main__":
    print(main())
