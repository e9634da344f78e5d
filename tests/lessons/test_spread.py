"""Statistics of draws against numpy's own."""

import numpy as np
import pytest

from lessons.chapters.stop_gradient.shared_noise.stats import Spread


def spread_of(values: np.ndarray) -> Spread:
    return Spread(values.copy())  # it sorts what it is given


@pytest.fixture
def values() -> np.ndarray:
    random = np.random.default_rng(0)
    return np.stack(
        [
            random.uniform(0.5, 2, 20_000),
            random.normal(3, 1e-3, 20_000),
            random.exponential(size=20_000),
        ],
        axis=1,
    )


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.95, 1.0])
def test_percentiles_are_exact(values: np.ndarray, share: float) -> None:
    spread = spread_of(values)
    assert np.allclose(spread.percentile(share), np.quantile(values, share, axis=0))


def test_mean_and_deviation(values: np.ndarray) -> None:
    spread = spread_of(values)
    assert np.allclose(spread.mean, values.mean(0), rtol=1e-12)
    assert np.allclose(spread.deviation, values.std(0), rtol=1e-9)


@pytest.mark.parametrize("scale", [2.0**1020, 2.0**400, 2.0**-400, 2.0**-1000])
def test_numbers_whose_squares_are_out_of_range_have_a_deviation(
    values: np.ndarray, scale: float
) -> None:
    """A column as it is beside two scaled ones."""
    plain = spread_of(values)
    scaled = spread_of(values * [scale, 1.0, -scale])
    factor = np.array([scale, 1.0, scale])
    assert np.allclose(scaled.mean / factor, plain.mean * [1, 1, -1], rtol=1e-12)
    assert np.allclose(scaled.deviation / factor, plain.deviation, rtol=1e-9)


@pytest.mark.parametrize("first", [5e-324, 1e-200, 1e-95, 0.0, 1.0, -1e200])
@pytest.mark.parametrize("later", [1.0, 1e80, 1e150, 1e200, -1e308])
def test_later_draws_may_be_of_another_size_altogether(first: float, later: float) -> None:
    """Beside a column of ones, and one whose first draws are all NaN."""
    chunks = [np.full((3, 3), [one, 1.0, one]) for one in (first, later)]
    chunks[0][:, 2] = np.nan
    spread = Spread(np.concatenate(chunks))
    apart = abs(later / 2 - first / 2)
    assert spread.mean == pytest.approx([later / 2 + first / 2, 1, later], rel=1e-12)
    assert spread.deviation == pytest.approx([apart, 0, 0], rel=1e-12)


def test_a_constant_column_has_no_deviation_at_all() -> None:
    spread = spread_of(np.full((5000, 1), -1.1))
    assert spread.deviation.tolist() == [0.0]
    assert spread.percentile(0.05) == pytest.approx(-1.1)


def test_what_is_not_finite_is_counted_and_left_out(values: np.ndarray) -> None:
    broken = values[:5000].copy()
    broken[::10, 0], broken[5, 1], broken[:, 2] = np.nan, np.inf, np.nan
    spread = spread_of(broken)
    assert spread.not_finite.tolist() == [500, 1, 5000]
    kept = broken[np.isfinite(broken[:, 0]), 0]
    assert spread.mean[0] == pytest.approx(kept.mean())
    assert spread.percentile(0.5)[0] == pytest.approx(np.median(kept), abs=1e-12)
    assert np.isnan([spread.mean[2], spread.deviation[2], spread.percentile(0.5)[2]]).all()
    assert np.isnan(spread.extent(2)).all()


def test_a_histogram_counts_every_draw(values: np.ndarray) -> None:
    spread = spread_of(values)
    edges = np.linspace(0.4, 2.1, 18)
    counts = spread.histogram(0, edges)
    assert counts.sum() == len(values)
    exact = np.histogram(values[:, 0], edges)[0]
    assert counts.tolist() == exact.tolist()
