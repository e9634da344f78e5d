"""What one answer takes: a process that answers each wish in a fork of its own, and measures that.

``python -m tests.support.peak`` reads a list of wishes as JSON and writes for each the megabytes
above idle at its peak, the seconds of computing, the bytes of its answer, and what it says. Linux
alone tells a process its peak and lets it begin anew.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

STATUS, AGAIN = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Cost(NamedTuple):
    """Of one answer.

    Args:
        megabytes: above idle, at the peak.
        seconds: of computing, on one core.
        size: bytes that go to the browser.
        said: what is refused, or why there was no answer; empty for a whole one.
        notes: what stands above the charts.
    """

    megabytes: float
    seconds: float
    size: int
    said: str
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


def _megabytes(name: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


def _one(wish: dict[str, Any]) -> Cost:
    from pages.labs import lesson, playground, wire
    from pages.labs.lesson import RefusedTextError
    from pages.labs.messages import RefusedError, read

    lab = playground.frame if wish["lab"] == "playground" else lesson.frame
    idle = _megabytes("VmRSS")
    AGAIN.write_text("5")  # the peak begins anew
    begun, size, said, notes = time.process_time(), 0, "", []
    try:
        asked = read(json.dumps(wish))
        frame = lab(asked)
        notes = [one["text"] for one in frame["notes"]]
        if not frame["accepted"]:
            said = "; ".join(
                str(control["error"])
                for group in frame["groups"]
                for control in group["controls"]
                if control["error"]
            )
        size = len(wire.encode(frame))
    except (RefusedError, RefusedTextError) as error:
        said = str(error) or type(error).__name__
    seconds = time.process_time() - begun
    return Cost(_megabytes("VmHWM") - idle, seconds, size, said, notes)


def main() -> None:
    """Answer, each in a fork."""
    from lessons import lessons
    from lessons.devices import suit_small_tensors
    from pages.labs import lesson, playground, wire
    from pages.labs.messages import Wish

    suit_small_tensors()
    for name in [one.slug for one in lessons()]:
        wire.encode(lesson.frame(Wish(lab=name)))
    wire.encode(playground.frame(Wish(lab="playground")))
    for wish in json.load(sys.stdin):
        child = os.fork()
        if not child:
            print(json.dumps(_one(wish)), flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print(json.dumps(Cost(0, 0, 0, "it ended by itself", [])), flush=True)


if __name__ == "__main__":
    main()
