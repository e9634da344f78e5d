"""Statistics of many draws: mean, deviation, percentiles, histogram."""

import numpy as np
import numpy.typing as npt

from lessons.contract.result import Array


class Spread:
    """Statistics of each column.

    Numbers that are not finite are counted and left out of everything else.

    Args:
        values: the draws, float64, shape [draws, columns]; this keeps the array and sorts it.
    """

    def __init__(self, values: Array) -> None:
        values[~np.isfinite(values)] = np.nan
        values.sort(0)  # NaN goes last
        self._ordered = values
        self.draws = len(values)
        self.not_finite: npt.NDArray[np.int64] = np.isnan(values).sum(0)
        counts = self.draws - self.not_finite
        finite = np.where(counts > 0, counts, np.nan)
        # In units near the largest number, no square leaves float64's range.
        largest = np.fmax(np.abs(values[0]), np.abs(np.fmax.reduce(values, 0)))
        unit = np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)
        # Differences from a typical value lose fewer digits than the values.
        away = values / unit
        first = away[0].copy()
        away -= first
        middle = np.nansum(away, 0) / finite
        self.mean: Array = (first + middle) * unit
        """Shape [columns]; NaN where no draw was finite."""
        away -= middle
        away *= away
        self.deviation: Array = np.sqrt(np.nansum(away, 0) / finite) * unit
        """Standard deviation over the draws (divided by their number), shape [columns]."""

    def percentile(self, share: float) -> Array:
        """The value below which this share of the finite draws lies, shape [columns]."""
        place = share * (np.maximum(self.draws - self.not_finite, 1) - 1.0)
        below = place.astype(np.int64)
        low = np.take_along_axis(self._ordered, below[None], 0)[0]
        above = np.minimum(below + 1, self.draws - 1)
        high = np.take_along_axis(self._ordered, above[None], 0)[0]
        part = place - below
        exact: Array = np.where(part > 0, low + part * (high - low), low)
        return exact

    def histogram(self, column: int, edges: Array) -> Array:
        """Count the finite draws of one column between the edges, shape [len(edges) - 1]."""
        return np.histogram(self._of(column), edges)[0].astype(np.float64)

    def extent(self, column: int) -> tuple[float, float]:
        """Smallest and largest finite value in one column; NaN if there is none."""
        values = self._of(column)
        return (float(values[0]), float(values[-1])) if len(values) else (np.nan, np.nan)

    def _of(self, column: int) -> Array:
        """The finite draws of one column in order."""
        return self._ordered[: self.draws - self.not_finite[column], column]
