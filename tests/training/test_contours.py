"""Boundary lines lie where the function is 0."""

import numpy as np

from lessons.training.contours import crossing, grid

MARKS, POINTS = grid(-2.0, 2.0, 61)


def line(function):
    values = function(*POINTS).reshape(len(MARKS), -1)
    x, y = crossing(MARKS, values)
    return x, y


def test_a_circle_is_one_closed_line():
    x, y = line(lambda x, y: x**2 + y**2 - 1)
    assert np.isnan(x).sum() == 1
    x, y = x[:-1], y[:-1]
    assert np.abs(np.hypot(x, y) - 1).max() < 2e-3
    assert (x[0], y[0]) == (x[-1], y[-1])
    angles = np.unwrap(np.arctan2(y, x))
    assert abs(abs(angles[-1] - angles[0]) - 2 * np.pi) < 1e-6


def test_two_lines_are_two():
    x, _ = line(lambda x, y: x**2 - 1.0001 + 0 * y)
    assert np.isnan(x).sum() == 2
    assert np.allclose(np.abs(x[~np.isnan(x)]), 1, atol=1e-2)


def test_no_boundary_is_no_line():
    assert np.isnan(line(lambda x, y: 1 + 0 * x)[0]).all()
    assert np.isnan(line(lambda x, y: np.nan * x)[0]).all()


def test_a_saddle_and_a_hole_do_no_harm():
    x, _ = line(lambda x, y: x * y - 1e-9)
    assert np.isfinite(x).any()
    x, _ = line(lambda x, y: np.where(x > 1, np.nan, y - x))
    assert np.nanmax(x) <= 1.0 + 1e-9
