"""A learner of many seeds, as a page sees it: the numbers of all of them, the picture of one."""

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.history import Snapshot
from lessons.contract.result import Array
from lessons.contract.settings import Settings
from lessons.kit.inputs import array
from lessons.training.stacked import Adam, Descent, Draws

N = TypeVar("N", bound=torch.nn.Module)
S = TypeVar("S", bound=Settings)


class BySeed(Generic[S]):
    """The part of a ``Learner`` that looks; a lesson adds ``numbers``, ``picture`` and ``step``.

    Args:
        settings: the settings, of ``settings.py`` among them.
    """

    def __init__(self, settings: S) -> None:
        self.seeds = range(settings["seed"], settings["seed"] + settings["seeds"])
        self._known: tuple[int, S, dict[str, Array]] | None = None

    def numbers(self, settings: S) -> Mapping[str, torch.Tensor]:
        """Numbers that are told of every seed, by name, shape [seeds]."""
        raise NotImplementedError

    def picture(self, index: int, settings: S) -> Mapping[str, Array]:
        """Arrays that charts need of the seed at this place, by name."""
        raise NotImplementedError

    def look(self, done: int, settings: S, drawn: bool = True) -> Snapshot:
        """How things stand; the picture is of the seed that is set, or of the last one.

        Where no seed can be set, there is no picture. Numbers are computed once for a moment: one
        that the curves keep is often drawn as well.
        """
        if self._known is None or self._known[:2] != (done, settings):
            found = self.numbers(settings)
            for name, one in found.items():
                _one_for_each(self.seeds, one, name)
            self._known = done, settings, arrays(found)
        numbers = self._known[2]
        if not drawn or "shown" not in settings:
            return Snapshot(numbers)
        index = min(settings["shown"], len(self.seeds)) - 1
        seed = np.array([float(self.seeds[index])])
        return Snapshot(numbers, {**self.picture(index, settings), "seed": seed})


class TwoArms(BySeed[S], Generic[N, S]):
    """Trains every seed's networks in two arms that start from the same weights.

    The arm ``trick`` trains as set, the other for comparison: an edge that the learner cuts in the
    lesson's program stays whole there.

    Args:
        program: the lesson's.
        settings: the settings.

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

    def __init__(self, program: Callable[..., Any], settings: S) -> None:
        super().__init__(settings)
        device, dtype = device_and_dtype(settings)
        self.draws, self.like = Draws(self.seeds), torch.empty(0, device=device, dtype=dtype)
        networks = self.begin(settings).to(device, dtype)
        self.arms = {"trick": networks, self.other: copy.deepcopy(networks)}
        self.programs = {"trick": program, self.other: inspect.unwrap(program)}
        self._optimizers = {
            name: self.optimizer(arm.parameters()) for name, arm in self.arms.items()
        }

    def begin(self, settings: S) -> N:
        """Draw the data and make the networks that both arms start from."""
        raise NotImplementedError

    def loss(self, name: str, done: int, settings: S) -> torch.Tensor:
        """The loss that this arm's next step descends, [seeds]; ``done`` steps came before it."""
        raise NotImplementedError

    def rate(self, done: int, settings: S) -> float:
        """The learning rate of the next step."""
        return float(settings["rate"])

    @torch.no_grad()
    def look(self, done: int, settings: S, drawn: bool = True) -> Snapshot:
        return super().look(done, settings, drawn)

    def step(self, done: int, settings: S) -> None:
        """Make one update of both arms; ``done`` steps came before it."""
        for name in self.arms:
            loss = self.loss(name, done, settings)
            _one_for_each(self.seeds, loss, "loss")
            self._optimizers[name].step(loss, self.rate(done, settings))


def _one_for_each(seeds: range, value: torch.Tensor, name: str) -> None:
    if value.shape != (len(seeds),):
        raise ValueError(
            f"{name} has shape {[*value.shape]}, expected [{len(seeds)}], one for each seed: take "
            "the mean over the other dimensions"
        )


def arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, Array]:
    """Each as plain float64 numpy."""
    return {name: array(one) for name, one in tensors.items()}
