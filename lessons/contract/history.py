"""What was seen of a training so far: means and bands over the seeds, a bounded number of them."""

import math
from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from lessons.contract.result import Array, Facts, Note, Series
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

MOST_MOMENTS = 400
"""Moments kept at most; beyond it every second one is dropped."""


@dataclass(frozen=True)
class Snapshot:
    """The state of a training after a step, as plain numbers without torch.

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
        # As arrays, which a chart takes as they are, picture after picture.
        self._steps = np.zeros(MOST_MOMENTS + 1)
        self._bands: dict[str, Array] = {}  # [MOST_MOMENTS + 1, 3]
        self._count = 0  # moments in them
        self._passing = False  # the last moment gives way to the next
        self._facts: Facts = {}
        self._hidden: Collection[str] = ()

    @classmethod
    def at_end(cls, facts: Facts) -> "History":
        """The history of a whole run, from its facts alone; it has no snapshot and no curve."""
        history = cls(int(facts["steps"]))
        history.done, history._facts = int(facts["step"]), facts
        return history

    def add(self, done: int, snapshot: Snapshot, keep: bool = True) -> None:
        """Take in how things stand after ``done`` steps.

        Args:
            keep: False drops this moment from the curves when the next one comes.
        """
        if self._count and (self._passing or self._steps[self._count - 1] == done):
            self._count -= 1
        self.done, self.latest, self._passing, self._facts = done, snapshot, not keep, {}
        self._steps[self._count] = done
        for name, seeds in snapshot.numbers.items():
            if name not in self._bands:
                self._bands[name] = np.full((MOST_MOMENTS + 1, 3), np.nan)
            self._bands[name][self._count] = mean_and_band(seeds)
        self._count += 1
        if self._count > MOST_MOMENTS:
            for rows in (self._steps, *self._bands.values()):
                rows[: len(rows[::2])] = rows[::2].copy()
            self._count = len(self._steps[::2])

    def without(self, roles: Collection[str]) -> "History":
        """Copy the history with NaN for these roles' lines, so that no axis is scaled to them."""
        covered = copy(self)
        covered._hidden = roles
        return covered

    def __len__(self) -> int:
        return self._count

    def series(self, name: str, role: str) -> Series:
        """One number over the steps: mean over the seeds, 5th to 95th percentile of them."""
        steps, bands = self._steps[: self._count].copy(), self._bands[name][: self._count].copy()
        if role in self._hidden:
            bands[:] = math.nan
        return Series(name, role, steps, bands[:, 0], bands[:, 1], bands[:, 2])

    @property
    def facts(self) -> Facts:
        """The step, and each number's mean, lowest and highest seed, for the prose."""
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
        """Notes on seeds that have blown up."""
        numbers = list(self.latest.numbers.values())
        if not numbers:
            return ()
        lost = [not seed.all() for seed in np.isfinite(np.stack(numbers)).T]
        if not any(lost):
            return ()
        return (Note("warning", WORDS("seeds_lost", lost=sum(lost), seeds=len(lost))),)


def mean_and_band(seeds: Array) -> tuple[float, float, float]:
    """Mean, 5th and 95th percentile of the finite ones."""
    known = np.sort(seeds[np.isfinite(seeds)])
    if not len(known):
        return math.nan, math.nan, math.nan
    low, high = np.interp([0.05, 0.95], np.linspace(0.0, 1.0, len(known)), known)
    return float(known.mean()), float(low), float(high)
