"""A learner of many seeds, as a page sees it: the numbers of all of them, the picture of one."""

from collections.abc import Mapping

import numpy as np
import torch

from lessons.contract.history import Snapshot
from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.kit.inputs import array


class BySeed:
    """What ``Learner`` has, but for ``step``; a lesson's networks say ``numbers`` and ``picture``.

    Args:
        values: the settings, of ``which_seeds.py`` among them.
    """

    def __init__(self, values: Values) -> None:
        self.seeds = range(int(values["seed"]), int(values["seed"]) + int(values["seeds"]))
        self._known: tuple[int, Values, dict[str, Array]] | None = None

    def numbers(self, values: Values) -> Mapping[str, torch.Tensor]:
        """What is told of every seed, by name: [seeds]."""
        raise NotImplementedError

    def picture(self, index: int, values: Values) -> Mapping[str, Array]:
        """What charts need of the seed at this place."""
        raise NotImplementedError

    def look(self, done: int, values: Values, drawn: bool = True) -> Snapshot:
        """How things stand; the picture is of the seed that is set, or of the last one.

        Where no seed can be set, there is no picture. Numbers are computed once for a moment: one
        that the curves keep is often drawn as well.
        """
        if self._known is None or self._known[:2] != (done, values):
            self._known = done, values, arrays(self.numbers(values))
        numbers = self._known[2]
        if not drawn or "shown" not in values:
            return Snapshot(numbers)
        index = min(int(values["shown"]), len(self.seeds)) - 1
        seed = np.array([float(self.seeds[index])])
        return Snapshot(numbers, {**self.picture(index, values), "seed": seed})


def arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, Array]:
    """Each as plain float64 numpy."""
    return {name: array(one) for name, one in tensors.items()}
