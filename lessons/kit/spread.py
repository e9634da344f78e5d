"""Statistics of many draws, without keeping them: mean, deviation, percentiles, histogram."""

import numpy as np
import numpy.typing as npt

from lessons.contract.result import Array

_BINS = 2048
_FAR = 2.0**300
"""Of numbers above this, or below 1 / this, sums of squares may leave float64's range."""


class Spread:
    """Statistics of each column, from chunks of rows.

    One chunk is kept whole and its percentiles are exact. With more, they come from a histogram of
    2048 bins a column, laid over the first chunk's range; ``error`` says how far they can be off.
    Numbers that are not finite are counted and left out of everything else.

    Args:
        columns: how many columns every chunk has.
    """

    def __init__(self, columns: int) -> None:
        self.draws = 0
        self.not_finite: npt.NDArray[np.int64] = np.zeros(columns, dtype=np.int64)
        self._first: Array | None = None
        self._bins: _Bins | None = None
        self._percentiles: dict[float, Array] = {}
        self._unit: Array | None = None  # of sums and shift, where it is not 1
        self._shift = self._sum = self._squares = np.zeros(columns)

    def add(self, values: Array) -> None:
        """Take in one chunk, float64, shape [rows, columns]."""
        finite = np.isfinite(values)
        whole = bool(finite.all())
        if not whole:
            self.not_finite += (~finite).sum(0)
            values = np.where(finite, values, np.nan)
        self.draws += len(values)
        self._percentiles.clear()
        if self._first is None:
            self._first = np.sort(values, 0)  # NaN goes last
            unit = _unit_of(np.fmax(np.abs(self._first[0]), np.abs(np.fmax.reduce(self._first, 0))))
            self._unit = None if (unit == 1).all() else unit
            # Sums of differences from a typical value lose fewer digits than plain sums.
            self._shift = self._in_units(np.where(np.isnan(self._first[0]), 0.0, self._first[0]))
        else:
            if self._bins is None:
                self._bins = _Bins(self._first)
            self._bins.add(values, whole)
        total, squares = self._summed(values, whole)
        fits = squares < _FAR**3
        if not fits.all():  # these draws are very much larger than the first ones
            before = np.ones_like(squares) if self._unit is None else self._unit
            larger = np.maximum(before, _unit_of(np.fmax.reduce(np.abs(values), 0)))
            self._measure_in(np.where(fits, before, larger), before)
            total, squares = self._summed(values, whole)
        self._sum, self._squares = self._sum + total, self._squares + squares

    def _summed(self, values: Array, whole: bool) -> tuple[Array, Array]:
        """The sums over a chunk: its differences from the shift, and their squares, in units."""
        with np.errstate(over="ignore", invalid="ignore"):  # seen by who adds it
            away = self._in_units(values) - self._shift
            if not whole:
                away = np.where(np.isnan(away), 0.0, away)
            return away.sum(0), np.einsum("rc,rc->c", away, away)

    def _measure_in(self, unit: Array, before: Array) -> None:
        """Go over to larger units."""
        ratio = before / unit
        self._unit, self._shift = unit, self._shift * ratio
        self._sum, self._squares = self._sum * ratio, self._squares * ratio * ratio

    @property
    def mean(self) -> Array:
        """Shape [columns]; NaN where no draw was finite."""
        mean: Array = self._shift + self._sum / self._finite
        return mean if self._unit is None else mean * self._unit

    @property
    def deviation(self) -> Array:
        """Standard deviation over the draws (divided by their number), shape [columns]."""
        mean = self._sum / self._finite
        # Rounding leaves about 1e-16 of the mean square where every draw is the same.
        variance = self._squares / self._finite - mean * mean
        deviation: Array = np.sqrt(np.where(variance > 1e-14 * mean * mean, variance, 0 * variance))
        return deviation if self._unit is None else deviation * self._unit

    @property
    def error(self) -> float:
        """The most a percentile can be off, over all columns: 0 when exact, else one bin."""
        return 0.0 if self._bins is None else float(self._bins.width.max())

    def percentile(self, share: float) -> Array:
        """The value below which this share of the finite draws lies, shape [columns].

        Raises:
            ValueError: nothing was added yet.
        """
        if share not in self._percentiles:
            self._percentiles[share] = self._percentile(share)
        return self._percentiles[share]

    def _percentile(self, share: float) -> Array:
        place = share * (np.maximum(self.draws - self.not_finite, 1) - 1.0)
        if self._bins is not None:
            found: Array = self._bins.value_at(place)
            found[np.isnan(self._finite)] = np.nan
            return found
        below = place.astype(np.int64)
        low = np.take_along_axis(self._ordered, below[None], 0)[0]
        above = np.minimum(below + 1, len(self._ordered) - 1)
        high = np.take_along_axis(self._ordered, above[None], 0)[0]
        part = place - below
        exact: Array = np.where(part > 0, low + part * (high - low), low)
        return exact

    def histogram(self, column: int, edges: Array) -> Array:
        """Count the finite draws of one column between the edges, shape [len(edges) - 1].

        Raises:
            ValueError: nothing was added yet.
        """
        if self._bins is not None:
            return self._bins.regroup(column, edges)
        values = self._ordered[:, column]
        values = values[np.isfinite(values)]
        # As np.histogram counts, which would put them in order once more.
        upto = np.append(values.searchsorted(edges[:-1]), values.searchsorted(edges[-1:], "right"))
        return np.diff(upto).astype(np.float64)

    def extent(self, column: int) -> tuple[float, float]:
        """Smallest and largest finite value of the first chunk in one column; NaN if none."""
        values = self._ordered[:, column]
        values = values[np.isfinite(values)]
        return (float(values[0]), float(values[-1])) if len(values) else (np.nan, np.nan)

    def _in_units(self, values: Array) -> Array:
        return values if self._unit is None else values / self._unit

    @property
    def _ordered(self) -> Array:
        if self._first is None:
            raise ValueError("no draws yet")
        return self._first

    @property
    def _finite(self) -> Array:
        count = (self.draws - self.not_finite).astype(np.float64)
        return np.where(count > 0, count, np.nan)


def _unit_of(largest: Array) -> Array:
    """Of each column: a power of two near its largest number, or 1 where squares are in range."""
    far = (largest > _FAR) | ((largest < 1 / _FAR) & (largest > 0))
    return np.where(far, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)


class _Bins:
    """Counts a column, from one below the first chunk's range to one above it.

    Args:
        first: the first chunk, each column in order, NaN last.
    """

    def __init__(self, first: Array) -> None:
        self.low = np.nan_to_num(first[0])
        self.width = np.nan_to_num(np.fmax.reduce(first, 0) - self.low) / _BINS
        self._divisor = np.where(self.width > 0, self.width, 1.0)
        columns = first.shape[1]
        self._counts = np.zeros((columns, _BINS + 2), dtype=np.int32)
        self._offset = np.arange(columns) * (_BINS + 2) + 1.0
        self.add(first, not np.isnan(first).any())

    def add(self, values: Array, whole: bool) -> None:
        """Count values, float64, shape [rows, columns]; ``whole`` where none of them is NaN."""
        place = values - self.low
        place /= self._divisor
        # Two bounds, since clip looks for NaN first and takes twice as long.
        np.minimum(place, _BINS, out=place)
        np.maximum(place, -1, out=place)
        np.floor(place, out=place)
        place += self._offset
        place = place.T  # column by column, so that what is counted next lies in the cache
        flat = (place.ravel() if whole else place[~np.isnan(place)]).astype(np.intp)
        # In place: a table of all bins for each chunk would cost more than the chunk.
        np.add.at(self._counts.reshape(-1), flat, np.int32(1))

    def value_at(self, place: Array) -> Array:
        """The value with this many others below it, by interpolation inside its bin."""
        upto = self._counts.cumsum(1)
        index = np.minimum((upto <= place[:, None]).sum(1), _BINS + 1)  # an empty column's too
        columns = np.arange(len(index))
        inside = np.maximum(self._counts[columns, index], 1)
        before = upto[columns, index] - self._counts[columns, index]
        value: Array = self.low + (index - 1 + (place - before + 0.5) / inside) * self.width
        return value

    def regroup(self, column: int, edges: Array) -> Array:
        centres = self.low[column] + (np.arange(_BINS + 2) - 0.5) * self.width[column]
        centres = np.clip(centres, edges[0], edges[-1])
        return np.histogram(centres, edges, weights=self._counts[column])[0].astype(np.float64)
