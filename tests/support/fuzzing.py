"""What the fuzzers share: cases made from a seed, for so many minutes, each within its bounds.

Nothing may be raised, print, hang or take longer than it may, and memory must not grow. One JSON
object is printed; the exit status is 1 if anything failed. Each failure names its case:
``--seed S --first CASE --cases 1`` repeats that one.
"""

import argparse
import contextlib
import faulthandler
import io
import json
import logging
import random
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any
from unittest.mock import patch

from lessons.outputs.process import suit_small_tensors
from pages.server.process import clean
from tests.server.serving import resident
from tests.support.amount import SEED
from tests.support.present import present

HANGS = 300
"""Seconds of one case after which the process says where it is, and ends."""
GROWS = 1.2
"""How many times the memory after the first quarter it may have at the end of a long run …"""
LONG_SECONDS = 180.0
"""… which computes for so many seconds or more."""


def fuzz(one: Callable[[random.Random, int], Iterable[str]], limit: float, about: str) -> int:
    """Run cases as the command line says.

    Args:
        one: runs the case of that number, and says in words what came of it.
        limit: seconds of computing that a case may take.
        about: the help's text.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--cases", type=int, default=10**9, help="at most so many")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    asked = parser.parse_args()
    suit_small_tensors()
    counts: Counter[str] = Counter()
    failures: list[str] = []
    memory: list[int] = []
    slowest = (0.0, 0)
    begun, place = time.monotonic(), asked.first
    begun_computing = time.process_time()
    while place - asked.first < asked.cases:
        share = (time.monotonic() - begun) / max(60 * asked.minutes, 1e-9)
        if share >= 1:
            break
        if share * 20 >= len(memory):
            memory.append(_megabytes())
        printed = io.StringIO()
        logged = logging.StreamHandler(printed)
        logged.setLevel("WARNING")
        logging.getLogger().addHandler(logged)
        faulthandler.dump_traceback_later(HANGS, exit=True, file=present(sys.__stderr__))
        start = time.process_time()
        try:
            with contextlib.redirect_stderr(printed):
                counts.update(one(random.Random(asked.seed * 10_000_000 + place), place))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failures.append(f"{place}: {type(error).__name__}: {error}"[:800])
        logging.getLogger().removeHandler(logged)
        took = time.process_time() - start
        slowest = max(slowest, (took, place))
        if took > limit:
            failures.append(f"{place}: took {took:.1f} s")
        if printed.getvalue():
            failures.append(f"{place}: printed {printed.getvalue()[-800:]}")
        place += 1
    faulthandler.cancel_dump_traceback_later()
    memory.append(_megabytes())
    warm = memory[len(memory) // 4]
    if time.process_time() - begun_computing >= LONG_SECONDS and memory[-1] > GROWS * warm:
        failures.append(f"memory grew from {warm} to {memory[-1]} MB")
    print(json.dumps({
        "seed": asked.seed, "cases": place - asked.first, **counts, "failed": len(failures),
        "failures": failures[:20], "slowest_s": round(slowest[0], 3), "slowest": slowest[1],
        "memory_mb": memory, "seconds": round(time.monotonic() - begun, 1),
    }))  # fmt: skip
    return 1 if failures else 0


def found(fuzzer: str, cases: int) -> dict[str, Any]:
    """What a fuzzer prints of its first cases, none of which failed."""
    words = [fuzzer, f"--seed={SEED}", f"--cases={cases}", "--minutes=60"]
    printed = io.StringIO()
    with patch.object(sys, "argv", words), contextlib.redirect_stdout(printed):
        status = import_module(fuzzer).main()
    report: dict[str, Any] = json.loads(printed.getvalue())
    assert report["failures"] == []
    assert status == 0
    assert report["cases"] == cases
    return report


def _megabytes() -> int:
    """The memory of this process, once freed memory is given back."""
    clean()
    return resident() >> 20
