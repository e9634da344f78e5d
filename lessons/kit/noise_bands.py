"""Curves over many draws of the noise: their mean as a line, 90 % of the draws as an area."""

from collections.abc import Mapping

from lessons.contract.result import Array, Series
from lessons.kit.chart_pieces import Trace, band, curve, edges

NOISY = ("trick_gradient", "true_gradient")
"""The gradients that differ from draw to draw."""


def over_draws(curves: Mapping[str, Series]) -> list[Trace]:
    """Draw autograd's gradient as an area with its mean, and the true one's ends dotted on it."""
    found = []
    if "trick_gradient" in curves:
        found += [band(curves["trick_gradient"]), curve(curves["trick_gradient"])]
    if "true_gradient" in curves:
        found.append(edges(curves["true_gradient"]))
    return found


def ends_of(curves: Mapping[str, Series]) -> list[Array]:
    """Return all numbers of some curves and of their bands."""
    parts = (part for one in curves.values() for part in (one.y, one.low, one.high))
    return [part for part in parts if part is not None]
