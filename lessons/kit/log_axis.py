"""An axis of powers of ten with a row of its own for an exact 0, which has none."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from lessons.contract.result import Array, Series
from lessons.contract.roles import ROLES
from lessons.kit.chart_pieces import Trace, axes, curve, marked, ticks

_OUT = 99.0
"""A power of ten beyond every frame: what is infinite leaves it."""
_MOST_NAMED = 6


class LogAxis:
    """The sizes of some numbers as powers of ten, in a frame that fits them.

    Args:
        values: all that is drawn.
        lowest, highest: the powers that are shown at most.
        every: the frame's ends are multiples of this, so that it seldom moves.
    """

    def __init__(self, values: Iterable[Array], lowest: int, highest: int, every: int = 3) -> None:
        known = np.concatenate([np.abs(np.ravel(one)) for one in values])
        known = known[np.isfinite(known) & (known > 0)]
        ends = np.log10([known.min(), known.max()]) if len(known) else np.zeros(2)
        self.low = max(lowest, every * math.floor(float(ends[0]) / every))
        self.high = min(highest, every * math.ceil(float(ends[1]) / every + 1e-9))
        self.high = max(self.high, self.low + every)
        self.zero = self.low - 0.12 * (self.high - self.low)
        """The row of an exact 0."""

    def to_powers(self, series: Series) -> Series:
        """Convert a series to powers of ten; draw an exact 0 in the row at the bottom."""
        sizes = np.abs(series.y)
        powers = np.full_like(sizes, np.nan)
        np.log10(sizes, out=powers, where=sizes > 0)
        powers = np.clip(powers, self.low if self.low < 0 else -_OUT, _OUT)
        return replace(series, y=np.where(sizes == 0, self.zero, powers))

    def traces(self, series: Series, how: Callable[[Series], Trace] | None = None) -> list[Trace]:
        """The powers, then the exact zeros: no line runs from one to the other.

        Args:
            how: draws a part; if None, as ticks or as a curve, whichever the role has.
        """
        how = how or (ticks if ROLES[series.role].ticked else curve)
        y = self.to_powers(series).y
        nothing = np.abs(series.y) == 0
        return [how(replace(series, y=np.where(where, y, np.nan))) for where in (~nothing, nothing)]

    def axes(self, x: tuple[float, float], x_title: str, y_title: str) -> Trace:
        """The layout, each power written out."""
        room = 0.08 * (self.high - self.low)
        layout = axes(x, (self.zero - room, self.high + room), x_title, y_title)
        step = max(1, math.ceil((self.high - self.low) / _MOST_NAMED))
        powers = list(range(self.high, self.low - 1, -step))
        names = [f"10<sup>{power}</sup>".replace("-", "−") for power in powers]
        marked(layout["yaxis"], [*powers, self.zero], [*names, "0"])
        layout["yaxis"]["zeroline"] = False
        return layout
