"""What an exported file needs to train without a page. Torch and the standard library only."""

import math
import sys
from typing import Any, Protocol

import torch


class _Trained(Protocol):
    steps: int

    def step(self, done: int, values: Any) -> None: ...

    def numbers(self) -> dict[str, torch.Tensor]: ...


def train(learner: _Trained, values: Any, arguments: list[str]) -> dict[str, dict[str, Any]]:
    """All steps, or as many as the first argument says; then each number over the seeds."""
    steps = min(int(arguments[0]), learner.steps) if arguments else learner.steps
    for done in range(steps):
        learner.step(done, values)
        if (done + 1) % 100 == 0:
            print(f"step {done + 1} of {steps}", file=sys.stderr, flush=True)
    return {name: over_seeds(value) for name, value in learner.numbers().items()}


def over_seeds(value: torch.Tensor) -> dict[str, Any]:
    """Mean, lowest and highest of the finite ones; None where none is."""
    known = value[value.isfinite()].tolist()
    if not known:
        return {"mean": None, "lowest": None, "highest": None}
    return {"mean": math.fsum(known) / len(known), "lowest": min(known), "highest": max(known)}
