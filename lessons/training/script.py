"""What an exported file needs to train without a page, and how the file of a training ends."""

import math
import sys
from typing import Any, Protocol

import torch

from lessons.contract.parameters import Values
from lessons.kit.devices import resolve


def ending(program: str, values: Values, learner: str) -> str:
    """The last lines of an exported file: gradients by role at first, then the whole training.

    Args:
        program: the name of the lesson's program.
        values: of the lab's parameters.
        learner: the name of what trains, made of program, values, device and dtype. Beside it
            the file needs a ``by_role`` of the same four.
    """
    device, _ = resolve(values["device"])
    return f"""\
values = {dict(values)}
device, dtype = torch.device("{device}"), torch.{values["dtype"]}
roles = by_role({program}, values, device, dtype)
unit = torch.arange(1.0, 1 + len(roles["forward"]))
series = {{}}
for role, value in roles.items():
    series[role] = {{"role": role, "x": plain(unit), "y": plain(value)}}
# A number behind the file's name makes it stop after so many steps.
trained = train({learner}({program}, values, device, dtype), values, sys.argv[1:])
head = {{"lesson": "{program}", "device": "{device}"}}
print(json.dumps({{**head, "series": series, "trained": trained}}))
"""


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
