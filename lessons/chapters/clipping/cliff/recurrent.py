"""One recurrent unit over fifty steps: its error over its two weights, and descents on it.

After Pascanu, Mikolov and Bengio, 2013, equation 8 and figure 6: x ← w·σ(x) + b, fifty times from
one x, without inputs. Which starts are tried, and how many, is not in the paper.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.result import Array
from lessons.contract.settings import choice, slider, whole
from lessons.kit.inputs import ComputedIn, array
from lessons.training import settings as training
from lessons.training.by_seed import BySeed

Program = Callable[..., tuple[torch.Tensor, torch.Tensor]]
"""From w, b and two limits: the error, and its gradient clipped, w's part first."""

Window = tuple[tuple[float, float], tuple[float, float]]

WHOLE: Window = ((3.0, 7.0), (-3.5, -1.5))
WINDOWS = {"whole": WHOLE, "closer": ((4.0, 6.0), (-3.0, -2.0))}
"""Parts of the plane to draw, as the ends of w and of b."""

ARMS = ("none", "value", "norm")
"""The ways to clip the gradient: not at all, by value, by norm."""

VALLEY = 1e-3
"""An error below this lies in the valley."""

SIDE = 15
"""Starts along each side of the window."""

COUNT = 120
"""Points along each side of a drawn window."""


class Settings(ComputedIn):
    w = slider(4.3, 3, 7, accepts=(3, 7), in_run="looks")
    b = slider(-2.2, -3.5, -1.5, accepts=(-3.5, -1.5), in_run="looks")
    rate = slider(1, 0.01, 2, 0.01, accepts=(1e-6, 1000), in_run="steps")
    value_limit = slider(0.3, 0.01, 1.5, accepts=(1e-6, 1e6), in_run="steps")
    norm_limit = slider(0.3, 0.01, 1.5, accepts=(1e-6, 1e6), in_run="steps")
    window = choice("whole", "closer", in_run="looks")
    steps = whole(300, 1, 5000, advanced=True)
    seeds = whole(20, 1, 40, advanced=True)
    seed = training.first_seed()
    path = whole(200, 1, 200, advanced=True, in_run="looks")


def limits(settings: Settings, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """By value and by norm, one entry an arm, shape [3]; an infinite limit leaves all as it is."""
    inf = math.inf
    by_value = torch.tensor([inf, settings.value_limit, inf], dtype=torch.float64)
    by_norm = torch.tensor([inf, inf, settings.norm_limit], dtype=torch.float64)
    return by_value.to(like), by_norm.to(like)


def inside(w: Any, b: Any, window: Window = WHOLE) -> Any:
    """Test which places, arrays or tensors, lie in a window; a NaN does not."""
    (w_low, w_high), (b_low, b_high) = window
    return (w >= w_low) & (w <= w_high) & (b >= b_low) & (b <= b_high)


def start(settings: Settings) -> torch.Tensor:
    """The learner's start: w and b."""
    place = torch.tensor([settings.w, settings.b], dtype=torch.float64)
    return place.to(*device_and_dtype(settings))


def by_role(program: Program, settings: Settings) -> dict[str, torch.Tensor]:
    """The learner's start and the gradients there, w's part first, each of shape [2].

    Returns:
        forward: w and b. true_gradient: not clipped. trick_gradient: clipped by value.
        intended_gradient: clipped by norm.
    """
    place = start(settings)
    _, gradient = program(*place[:, None].expand(2, len(ARMS)), *limits(settings, place))
    none, value, norm = gradient.unbind(1)
    return {
        "forward": place,
        "trick_gradient": value,
        "true_gradient": none,
        "intended_gradient": norm,
    }


def paths(program: Program, settings: Settings) -> tuple[torch.Tensor, torch.Tensor]:
    """Three descents from the learner's start, one an arm.

    Returns:
        Places, shape [updates + 1, 2, 3], and errors there, shape [updates + 1, 3].
    """
    place = start(settings)[:, None].expand(2, len(ARMS))
    bounds = limits(settings, place)
    places, errors = [place], []
    for _ in range(settings.path):
        error, gradient = program(*place, *bounds)
        place = place - settings.rate * gradient
        places.append(place)
        errors.append(error)
    errors.append(program(*place, *bounds)[0])
    return torch.stack(places), torch.stack(errors)


@lru_cache(maxsize=16)
def surface(
    program: Program, window: Window, device: torch.device, dtype: torch.dtype
) -> tuple[Array, Array]:
    """Error and norm of its gradient over a window: rows by b, columns by w, as one batch.

    They are kept, since no slider moves them.
    """
    w, b = (torch.linspace(*ends, COUNT, dtype=torch.float64) for ends in window)
    rows, columns = torch.meshgrid(b.to(device, dtype), w.to(device, dtype), indexing="ij")
    unlimited = torch.tensor(math.inf, device=device, dtype=dtype)
    error, gradient = program(columns, rows, unlimited, unlimited)
    return array(error), array(gradient.norm(dim=0))


@lru_cache(maxsize=64)
def drawn_starts(seed: int) -> torch.Tensor:
    """One start in each cell of the window, anywhere in it: float64 on the CPU, [2, SIDE²]."""
    generator = torch.Generator().manual_seed(seed)
    within = torch.rand(2, SIDE, SIDE, dtype=torch.float64, generator=generator)
    cell = torch.arange(SIDE, dtype=torch.float64)
    share = torch.stack([cell[None, :] + within[0], cell[:, None] + within[1]]) / SIDE
    low, high = torch.tensor(WHOLE, dtype=torch.float64).unbind(1)
    return (low[:, None, None] + (high - low)[:, None, None] * share).flatten(1)


class Descents(BySeed[Settings]):
    """Descents from many places at once, each in three arms: no clipping, by value, by norm.

    Args:
        program: the lesson's.
        settings: the settings; rate and limits may change from step to step.
    """

    def __init__(self, program: Program, settings: Settings) -> None:
        super().__init__(settings)
        device, dtype = device_and_dtype(settings)
        self.program = program
        starts = torch.stack([drawn_starts(seed) for seed in self.seeds], 1).to(device, dtype)
        self.places = starts[:, None].repeat(1, len(ARMS), 1, 1)  # [2, arms, seeds, starts]
        self.escaped = torch.zeros_like(self.places[0], dtype=torch.bool)
        self._values = settings
        self._newest: tuple[tuple[float, float], torch.Tensor, torch.Tensor] | None = None

    def step(self, done: int, settings: Settings) -> None:
        """One update of every weight."""
        self._values = settings
        _, gradient = self._evaluated()
        self.places = self.places - settings.rate * gradient
        self.escaped |= ~inside(*self.places)
        self._newest = None

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
        """Shares of the descents, for each seed.

        Of each arm: ``reached`` the valley, even from outside the window; ``left`` the window at
        some time; ``stayed`` in the window all the way and reached the valley.
        """
        arrived = self._evaluated()[0] < VALLEY
        found = {"reached": arrived, "left": self.escaped, "stayed": arrived & ~self.escaped}
        return {
            f"{arm}_{what}": which[index].to("cpu", torch.float64).mean(-1)
            for index, arm in enumerate(ARMS)
            for what, which in found.items()
        }

    def _evaluated(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Error and clipped gradient at the present places; computed once for each."""
        limit = self._values["value_limit"], self._values["norm_limit"]
        if self._newest is None or self._newest[0] != limit:
            each = (bound[:, None, None] for bound in limits(self._values, self.places))
            self._newest = (limit, *self.program(*self.places, *each))
        return self._newest[1:]
