"""The edges of the bands that the noise draws, as things to drag: each sets one end of the noise.

How an edge goes with the noise is read off the program, cut or not, and not assumed: it is run with
a few amounts of noise, and where its value or gradient is a power of them, an edge has a formula.
"""

import math
from collections.abc import Mapping
from functools import lru_cache

import torch

from lessons.chapters.stop_gradient.shared_noise.noisy_root import by_role
from lessons.contract.parameters import Values
from lessons.contract.result import Array, Result
from lessons.kit.chart_pieces import Edge, Trace, dragged
from lessons.kit.experiment import Program

LOW, HIGH = 0.05, 0.95
"""The places of a band's edges in the noise, as shares of it."""

DRAWN = ("forward", "trick_gradient", "true_gradient")
"""The roles that another draw of the noise would change."""

_AT = (-1.5, 0.7, 2.0)
_AMOUNTS = (0.5, 1.0, 2.0)


@lru_cache(maxsize=8)
def powers(program: Program) -> Mapping[str, float]:
    """The power of the noise that a role is proportional to, as ``forward_power``.

    0 where noise does not move it; NaN where it is no power of the noise.
    """
    x = torch.tensor(_AT, dtype=torch.float64)
    u = torch.tensor(_AMOUNTS, dtype=torch.float64)[:, None].expand(-1, len(x))
    found = {}
    roles = by_role(program, x.expand(u.shape), u)
    for role in DRAWN:
        values = roles[role]
        slopes = (values[1:] / values[:-1]).log2()
        power = slopes.mean()
        alike = bool(((slopes - power).abs() < 1e-9).all())
        found[f"{role}_power"] = round(float(power), 9) if alike else float("nan")
    return found


def held(
    result: Result, values: Values, role: str, trace: Trace, zero: Array | None = None
) -> Trace:
    """The same area of a role, or its ends; an edge sets ``noise_low`` or ``noise_high``.

    Args:
        result, values: of the noise lab.
        role: whose draws these are.
        trace: its band.
        zero: what counts as 0 at each of its points, where that is not 0.
    """
    low, high = values["noise_low"], values["noise_high"]
    power = float(result.facts[f"{role}_power"])
    drawn = values["u"] is None and values["draws"] > 1
    if not drawn or not power or math.isnan(power) or not 0 <= low <= high or not high:
        return trace  # nothing that an end of the noise moves; below 0 the root is NaN
    trace = dragged(
        trace,
        "band",
        noise_low=_edge(LOW, low, high, power, (0.0, high)),
        noise_high=_edge(HIGH, low, high, power, (low, None)),
    )
    if zero is not None:
        trace["meta"]["zero"] = zero
    return trace


def _edge(
    share: float, low: float, high: float, power: float, ends: tuple[float, float | None]
) -> Edge:
    """At an edge the noise is ``at``, a share of the way from low to high; one end follows it."""
    at = low + share * (high - low)
    own, other = (1 - share, share * high) if share < 0.5 else (share, (1 - share) * low)
    return {
        "edge": "outer" if (share > 0.5) == (power > 0) else "inner",
        "times": at / own,
        "power": 1 / power,
        "plus": -other / own,
        "least": ends[0],
        "most": ends[1],
    }
