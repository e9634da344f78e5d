"""A learner of many seeds, as a page sees it: the numbers of all of them, the picture of one."""

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.history import Snapshot
from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.kit.inputs import array
from lessons.training.stacked import Adam, Descent, Draws

N = TypeVar("N", bound=torch.nn.Module)


class BySeed:
    """The part of a ``Learner`` that looks; a lesson adds ``numbers``, ``picture`` and ``step``.

    Args:
        values: the settings, of ``settings.py`` among them.
    """

    def __init__(self, values: Values) -> None:
        self.seeds = range(int(values["seed"]), int(values["seed"]) + int(values["seeds"]))
        self._known: tuple[int, Values, dict[str, Array]] | None = None

    def numbers(self, values: Values) -> Mapping[str, torch.Tensor]:
        """Numbers that are told of every seed, by name, shape [seeds]."""
        raise NotImplementedError

    def picture(self, index: int, values: Values) -> Mapping[str, Array]:
        """Arrays that charts need of the seed at this place, by name."""
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


class TwoArms(BySeed, Generic[N]):
    """Trains every seed's networks in two arms that start from the same weights.

    The arm ``trick`` trains as set, the other for comparison: an edge that the learner cuts in the
    lesson's program stays whole there.

    Args:
        program: the lesson's.
        values: the settings.

    Attributes:
        other: the name of the other arm.
        optimizer: makes the updates of both arms.
        draws: the source of every random number, for both arms.
        like: an empty tensor on the device and in the number format to compute in.
        arms: the networks by arm.
        programs: the lesson's program by arm.
    """

    other = "plain"
    optimizer: type[Descent] = Adam

    def __init__(self, program: Callable[..., Any], values: Values) -> None:
        super().__init__(values)
        device, dtype = device_and_dtype(values)
        self.draws, self.like = Draws(self.seeds), torch.empty(0, device=device, dtype=dtype)
        networks = self.begin(values).to(device, dtype)
        self.arms = {"trick": networks, self.other: copy.deepcopy(networks)}
        self.programs = {"trick": program, self.other: inspect.unwrap(program)}
        self._optimizers = {
            name: self.optimizer(arm.parameters()) for name, arm in self.arms.items()
        }

    def begin(self, values: Values) -> N:
        """Draw the data and make the networks that both arms start from."""
        raise NotImplementedError

    def loss(self, name: str, done: int, values: Values) -> torch.Tensor:
        """The loss that this arm's next step descends, [seeds]; ``done`` steps came before it."""
        raise NotImplementedError

    def rate(self, done: int, values: Values) -> float:
        """The learning rate of the next step."""
        return float(values["rate"])

    @torch.no_grad()
    def look(self, done: int, values: Values, drawn: bool = True) -> Snapshot:
        return super().look(done, values, drawn)

    def step(self, done: int, values: Values) -> None:
        """Make one update of both arms; ``done`` steps came before it."""
        for name in self.arms:
            self._optimizers[name].step(self.loss(name, done, values), self.rate(done, values))


def arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, Array]:
    """Each as plain float64 numpy."""
    return {name: array(one) for name, one in tensors.items()}
