"""Pieces of labs over x: where torch computes, the points of a drawn curve, arrays."""

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import torch

from lessons.contract.devices import DTYPES, device_and_dtype
from lessons.contract.parameters import Choice, Device, Index, Numbers, Values
from lessons.contract.result import Array, Series
from lessons.contract.settings import Settings, declared
from lessons.contract.words import Words

WORDS = Words(__file__)

GRID = 121
"""Points of each drawn curve: odd, so that 0 is one of them and its NaN is seen as a gap."""


def _number_format(default: str) -> str:
    return declared(WORDS.label(Choice("dtype", default, advanced=True, names=tuple(DTYPES))))


class ComputedIn(Settings):
    """The settings of a lab, with the device and the number format to compute in as the last."""

    device = declared(WORDS.label(Device("device", "cpu", advanced=True)))
    dtype = _number_format("float64")


class ComputedInFloat32(ComputedIn):
    """Settings of a training's device and number format: float32 by default."""

    device = ComputedIn.device
    dtype = _number_format("float32")


def inputs(default: str) -> tuple[float, ...]:
    """Declare the learner's points on the x axis."""
    return cast(tuple[float, ...], WORDS.label(Numbers("x", default)))


def point_in_text(default: int, of: str = "x", most: int = 256, advanced: bool = True) -> int:
    """Declare which of the learner's points the text's numbers are for, 1 for the first.

    Args:
        of: the list of points.
    """
    index = Index("point", str(default), advanced=advanced, low=1, high=most, of=of)
    return declared(WORDS.label(index))


class AlongX(ComputedIn):
    """The settings of a lab over x: a lesson's own settings come first."""

    x = inputs("-2, -1, 1")
    point = point_in_text(1)


def one_for_each(values: Values, name: str) -> dict[str, str]:
    """Return an error unless a list has one number for each x, or a single number for all."""
    x, numbers = values["x"], values[name]
    if numbers is None or len(numbers) in (1, len(x)):
        return {}
    return {name: WORDS("other_length", inputs=len(x), numbers=len(numbers))}


_ROUND = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


def grid_around(points: torch.Tensor, count: int = GRID) -> torch.Tensor:
    """Evenly spaced x on both sides of 0, a little beyond the farthest point; odd ``count``.

    It ends at a round number, so that an axis stands still while a point is dragged a little.

    >>> grid_around(torch.tensor([-2.0, 3.0]), 5).tolist()
    [-4.0, -2.0, 0.0, 2.0, 4.0]
    """
    least = min(1.1 * float(points.abs().max()) or 1.0, 1e307)
    power = 10.0 ** math.floor(math.log10(least))
    reach = next(one * power for one in _ROUND if one * power >= least)
    middle = count // 2
    return torch.arange(-middle, middle + 1, dtype=torch.float64) / middle * reach


def golden(first: int, *shape: int) -> torch.Tensor:
    """Numbers in [0, 1), float64: the fractional parts of multiples of the golden ratio.

    Other frameworks can compute the same ones; drawn numbers would differ there.
    """
    multiples = torch.arange(first, first + math.prod(shape), dtype=torch.float64)
    return (multiples * (math.sqrt(5) - 1) / 2 % 1).reshape(shape)


def leaf(values: Values, name: str) -> torch.Tensor:
    """A number or list among a lab's values as a tensor, where and in what the lab computes."""
    return torch.tensor(values[name], dtype=torch.float64).to(*device_and_dtype(values))


def place_of(values: Values, of: str = "x") -> int:
    """The chosen entry of a list, 0 for the first; the last one where it is shorter."""
    return int(min(values.get("point", 1), len(values[of]))) - 1


def array(values: torch.Tensor) -> Array:
    """A tensor as plain float64 numpy."""
    plain: Any = values.detach().to("cpu", torch.float64).numpy()
    return np.ascontiguousarray(plain)


def series_by_role(x: Array, roles: Mapping[str, torch.Tensor]) -> tuple[Series, ...]:
    """A series of each role, all over the same x."""
    return tuple(Series(role, role, x, array(y)) for role, y in roles.items())
