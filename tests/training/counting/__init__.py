"""A training that costs nothing: its one number counts the steps, each seed at its own pace."""

import time
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from lessons.contract.figure import Table
from lessons.contract.history import Snapshot
from lessons.contract.lab import Lab
from lessons.contract.parameters import Integer, Number, Parameter
from lessons.contract.result import Result
from lessons.contract.settings import Settings
from lessons.contract.training import Training
from lessons.contract.words import Words

Program = Callable[[np.ndarray, float], np.ndarray]


class Counter:
    """Adds ``pace`` a step to every seed's number; sleeps for ``seconds`` at each."""

    alive = 0

    def __init__(self, program: Program, values: Settings) -> None:
        self.numbers = np.arange(1.0, 1 + values["seeds"])
        self.ballast = np.zeros(250_000)  # 2 MB, so that one that is kept is noticed
        self.program = program
        self.looks: list[tuple[int, bool]] = []
        Counter.alive += 1

    def __del__(self) -> None:
        Counter.alive -= 1

    def step(self, done: int, values: Settings) -> None:
        self.numbers = self.program(self.numbers, values["pace"])
        time.sleep(values.get("seconds", 0.0))

    def look(self, done: int, values: Settings, drawn: bool = True) -> Snapshot:
        self.looks.append((done, drawn))
        picture = {"shown": self.numbers[:1].copy()} if drawn else {}
        return Snapshot({"count": self.numbers.copy()}, picture)


def program(numbers: np.ndarray, pace: float) -> np.ndarray:
    return numbers + pace


def clock_of_steps(patch: pytest.MonkeyPatch) -> Callable[[], float]:
    """Time goes by where a step takes its seconds, and nowhere else: on a busy machine as many
    steps fit into a slice as on an idle one. Returns what says what time it is.
    """
    now = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    patch.setattr("tests.training.counting.time", SimpleNamespace(sleep=sleep))
    clock = SimpleNamespace(perf_counter=lambda: now)
    patch.setattr("lessons.training.under_way.time", clock)
    return lambda: now


def settings_of(*parameters: Parameter) -> type[Settings]:
    return type("Settings", (Settings,), {one.name: one for one in parameters})


COUNTING = Lab(
    words=Words(__file__),
    settings=settings_of(
        Integer("steps", "1000"),
        Integer("seeds", "3"),
        Number("pace", "1", in_run="steps"),
    ),
    compute=lambda program, values: Result(()),
    table=lambda result, values: Table("", (), ()),
    training=Training(
        begin=Counter,
        charts=(),
        table=lambda history, values: Table("", (), ()),
    ),
)

VALUES = Settings({"steps": 1000, "seeds": 3, "pace": 1.0})
