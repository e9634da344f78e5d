"""What one answer takes: a process that answers each wish in a fork of its own, and measures that.

``python -m tests.support.peak`` reads a list of wishes as JSON and writes for each the megabytes
above idle at its peak, the seconds of computing, the bytes of its answer, and what it says. It
works on Linux alone: there, a new fork has no higher peak than what it holds.
"""

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from typing import Any, NamedTuple

import torch

FIXED_WORK = 0.0150
"""CPU seconds that the fixed work takes on the machine that the limits were set on."""


class Cost(NamedTuple):
    """The cost of one answer.

    Args:
        megabytes: above idle, at the peak.
        seconds: of CPU time on the machine that the limits were set on: what it took here, divided
            by how much longer fixed work takes here, right before and after.
        size: bytes that go to the browser.
        refusal: what is refused, or why there was no answer; empty for a whole one.
        notes: what stands above the charts.
    """

    megabytes: float
    seconds: float
    size: int
    refusal: str
    notes: list[str]


def costs(wishes: Sequence[dict[str, Any]], timeout: float = 600) -> list[Cost]:
    """What each wish takes, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.peak"],
        input=json.dumps(list(wishes)),
        capture_output=True,
        text=True,
        check=True,
        timeout=timeout,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return [Cost(*json.loads(line)) for line in done.stdout.splitlines()]


def _peak() -> float:
    import resource  # Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _cost(wish: dict[str, Any]) -> Cost:
    before = _fixed_work()
    idle, begun = _peak(), time.process_time()
    size, refusal, notes = _answer(wish)
    peak, took = _peak() - idle, time.process_time() - begun
    slower = (before + _fixed_work()) / (2 * FIXED_WORK)
    return Cost(peak, took / slower, size, refusal, notes)


def _fixed_work() -> float:
    """CPU seconds of work as an answer's: small ops, and their backward pass."""
    begun = time.process_time()
    for _ in range(8):
        y = x = torch.linspace(0, 1, 4096, dtype=torch.float64, requires_grad=True)
        for _ in range(60):
            y = torch.sin(y * x)
        y.sum().backward()
    return time.process_time() - begun


def _answer(wish: dict[str, Any]) -> tuple[int, str, list[str]]:
    from lessons.contract.lesson import RefusedTextError
    from pages.labs import lesson, playground, wire
    from pages.labs.messages import RefusedError, read

    lab = playground.frame if wish["lab"] == "playground" else lesson.frame
    try:
        frame = lab(read(json.dumps(wish)))
    except (RefusedError, RefusedTextError) as error:
        return 0, str(error) or type(error).__name__, []
    controls = (control for group in frame["groups"] for control in group["controls"])
    refusal = "; ".join(str(control["error"]) for control in controls if control["error"])
    if not (refusal or frame["accepted"]):
        refusal = "refused"
    return len(wire.encode(frame)), refusal, [one["text"] for one in frame["notes"]]


def main() -> None:
    """Answer, each in a fork."""
    from lessons.outputs.catalogue import lessons
    from lessons.outputs.process import suit_small_tensors
    from pages.labs import lesson, playground, wire
    from pages.labs.messages import Wish

    suit_small_tensors()
    wishes = json.load(sys.stdin)
    asked = {wish["lab"] for wish in wishes}
    for name in [one.slug for one in lessons() if one.slug in asked]:
        wire.encode(lesson.frame(Wish(lab=name)))
    wire.encode(playground.frame(Wish(lab="playground")))
    gc.collect()
    gc.freeze()  # else a fork that collects looks at all that was made here, and copies it
    with get_context("fork").Pool(1, maxtasksperchild=1) as forks:
        for cost in forks.imap(_cost, wishes):
            print(json.dumps(cost), flush=True)


if __name__ == "__main__":
    main()
