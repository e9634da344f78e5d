"""What one answer takes: a process that answers each wish in a fork of its own, and measures that.

``python -m tests.support.peak`` reads a list of wishes as JSON and writes for each the megabytes
above idle at its peak, the seconds of computing, the bytes of its answer, and what it says. Linux
alone tells a process its peak and lets it begin anew.
"""

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

STATUS, AGAIN = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Cost(NamedTuple):
    """Of one answer.

    Args:
        megabytes: above idle, at the peak.
        seconds: of computing, on one core.
        size: bytes that go to the browser.
        refusal: what is refused, or why there was no answer; empty for a whole one.
        notes: what stands above the charts.
    """

    megabytes: float
    seconds: float
    size: int
    refusal: str
    notes: list[str]


def available() -> bool:
    """Whether this system tells a process its peak."""
    return STATUS.exists() and AGAIN.exists()


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


def forked(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Megabytes above idle and seconds that the work takes in a fork, and what it comes to."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        idle = megabytes("VmRSS")
        AGAIN.write_text("5")  # the peak begins anew
        begun = time.process_time()
        made = work()
        seconds = time.process_time() - begun
        taken = megabytes("VmHWM") - idle
        with os.fdopen(writes, "w") as out:
            out.write(json.dumps((taken, seconds, made)))
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as come:
        refusal = come.read()
    if os.waitpid(child, 0)[1] or not refusal:
        raise RuntimeError("the fork ended by itself")
    taken, seconds, made = json.loads(refusal)
    return taken, seconds, made


def megabytes(name: str) -> float:
    """A line of this process's status: VmRSS what it has, VmHWM the most it had."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


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
    from lessons.kit.process import suit_small_tensors
    from lessons.outputs.catalogue import lessons
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
    for wish in wishes:
        taken, seconds, made = forked(lambda wish=wish: _answer(wish))  # type: ignore[misc]
        print(json.dumps((taken, seconds, *made)), flush=True)


if __name__ == "__main__":
    main()
