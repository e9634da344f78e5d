"""A training that costs nothing: its one number counts the steps, each seed at its own pace."""

import time

import numpy as np

from lessons.contract.figure import Table
from lessons.contract.history import Snapshot
from lessons.contract.training import Training


class Counter:
    """Adds ``pace`` a step to every seed's number; sleeps for ``seconds`` at each."""

    alive = 0

    def __init__(self, program, values):
        self.numbers = np.arange(1.0, 1 + values["seeds"])
        self.ballast = np.zeros(250_000)  # 2 MB, so that one that is kept is noticed
        self.program = program
        self.looks = []
        Counter.alive += 1

    def __del__(self):
        Counter.alive -= 1

    def step(self, done, values):
        self.numbers = self.program(self.numbers, values["pace"])
        time.sleep(values.get("seconds", 0.0))

    def look(self, done, values, drawn=True):
        self.looks.append((done, drawn))
        picture = {"shown": self.numbers[:1].copy()} if drawn else {}
        return Snapshot({"count": self.numbers.copy()}, picture)


def program(numbers, pace):
    return numbers + pace


COUNTING = Training(
    begin=Counter,
    live=frozenset({"pace"}),
    trained=frozenset({"pace"}),
    figures=lambda history, values: [],
    table=lambda history, values: Table("", (), ()),
)

VALUES = {"steps": 1000, "seeds": 3, "pace": 1.0}
