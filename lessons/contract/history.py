"""What was seen of a training so far: means and bands over the seeds, a bounded number of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lessons.contract.result import Array, Note, Series

KEPT = 400
"""Moments kept at most; beyond it every second one is dropped."""

_Band = tuple[float, float, float]


@dataclass(frozen=True)
class Snapshot:
    """How a training stands after some step: plain numbers, nothing of torch.

    Args:
        numbers: what is drawn over the steps and told as a mean over seeds; by name, float64,
            shape [seeds].
        picture: what the charts of this moment need, of the seed that is shown; by name. Empty
            where nobody is to see it.
    """

    numbers: Mapping[str, Array]
    picture: Mapping[str, Array] = field(default_factory=dict)


class History:
    """The newest snapshot whole, and of those before it the mean and band of each number.

    Args:
        total: how many steps there will be.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.latest = Snapshot({})
        self._moments: list[tuple[int, Mapping[str, _Band]]] = []
        self._passing = False  # the last moment gives way to the next
        self._facts: dict[str, float | int | str] = {}

    def add(self, done: int, snapshot: Snapshot, keep: bool = True) -> None:
        """Take in how things stand after ``done`` steps.

        Args:
            done: steps made.
            snapshot: what was seen.
            keep: False drops this moment from the curves when the next one comes.
        """
        if self._moments and (self._passing or self._moments[-1][0] == done):
            self._moments.pop()
        self.done, self.latest, self._passing, self._facts = done, snapshot, not keep, {}
        self._moments.append((done, {n: _band(seeds) for n, seeds in snapshot.numbers.items()}))
        if len(self._moments) > KEPT:
            self._moments = self._moments[::2]

    def __len__(self) -> int:
        return len(self._moments)

    def series(self, name: str, role: str) -> Series:
        """One number over the steps: mean over the seeds, 5th to 95th percentile of them."""
        steps = np.array([float(done) for done, _ in self._moments])
        bands = np.array([moment[name] for _, moment in self._moments])
        return Series(name, role, steps, bands[:, 0], bands[:, 1], bands[:, 2])

    @property
    def facts(self) -> Mapping[str, float | int | str]:
        """For the prose: the mean of each number, its lowest and highest seed, the step."""
        self._facts = self._facts or self._found()
        return self._facts

    def _found(self) -> dict[str, float | int | str]:
        facts: dict[str, float | int | str] = {"step": self.done, "steps": self.total}
        for name, seeds in self.latest.numbers.items():
            known = seeds[np.isfinite(seeds)]
            facts[name] = float(known.mean()) if len(known) else math.nan
            facts[f"{name}_lowest"] = float(known.min()) if len(known) else math.nan
            facts[f"{name}_highest"] = float(known.max()) if len(known) else math.nan
        return facts

    def notes(self) -> tuple[Note, ...]:
        """What must be known of these numbers: seeds that have blown up."""
        numbers = list(self.latest.numbers.values())
        if not numbers:
            return ()
        lost = [not np.isfinite(seed).all() for seed in np.stack(numbers).T]
        if not any(lost):
            return ()
        message = (
            f"In {sum(lost)} of {len(lost)} seeds a number is ∞ or NaN: the updates became "
            "too large. Those seeds are left out of the means. Try a smaller learning rate."
        )
        return (Note("warning", message),)


def _band(seeds: Array) -> _Band:
    """Mean, 5th and 95th percentile of the finite ones."""
    known = np.sort(seeds[np.isfinite(seeds)])
    if not len(known):
        return math.nan, math.nan, math.nan
    low, high = np.interp([0.05, 0.95], np.linspace(0.0, 1.0, len(known)), known)
    return float(known.mean()), float(low), float(high)
