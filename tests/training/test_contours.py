"""Outlines lie where the function is 0, or along the grid's edge where it is above 0 there."""

from collections.abc import Callable

import numpy as np

from lessons.training.contours import above, grid

MARKS, POINTS = grid(-2.0, 2.0, 61)


def outline(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    values = function(*POINTS).reshape(len(MARKS), -1)
    return above(MARKS, values)


def test_a_disc_has_one_closed_outline() -> None:
    x, y = outline(lambda x, y: 1 - x**2 - y**2)
    assert np.isnan(x).sum() == 1
    x, y = x[:-1], y[:-1]
    assert np.abs(np.hypot(x, y) - 1).max() < 2e-3
    assert (x[0], y[0]) == (x[-1], y[-1])
    angles = np.unwrap(np.arctan2(y, x))
    assert abs(abs(angles[-1] - angles[0]) - 2 * np.pi) < 1e-6


def test_an_empty_area_has_no_outline_and_a_full_one_the_edge() -> None:
    assert np.isnan(outline(lambda x, y: -1 + 0 * x)[0]).all()
    assert np.isnan(outline(lambda x, y: np.nan * x)[0]).all()
    x, y = outline(lambda x, y: 1 + 0 * x)
    assert set(np.maximum(np.abs(x), np.abs(y))[:-1]) == {2.0}
