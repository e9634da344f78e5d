"""Chapter 4's vector lab: the directions that each clip leaves, and angles between them."""

import math
from functools import partial

import numpy as np

from lessons.kit.arrows import angle, turn
from tests.support import course

run = partial(course.run, "value_or_norm")


def test_by_norm_keeps_every_direction_and_by_value_snaps_to_the_diagonals() -> None:
    result = run(g1="4", g2="0", limit="1")
    curves = {series.name: series for series in result.curves}
    x = curves["true_gradient"].x
    assert (x[0], x[-1], len(x) % 2) == (0.0, 360.0, 1)
    assert np.allclose(curves["intended_gradient"].y, x, atol=1e-9)
    assert np.allclose(curves["true_gradient"].y, x, atol=1e-9)
    plateau = (x >= 20) & (x <= 70)  # both components of a length of 4 are beyond 1 there
    assert np.allclose(curves["trick_gradient"].y[plateau], 45.0, atol=1e-9)
    components = 4 * np.stack([np.cos(np.radians(x)), np.sin(np.radians(x))])
    clipped = np.clip(components, -1, 1)
    after = np.degrees(np.arctan2(clipped[1], clipped[0]))
    off = (curves["trick_gradient"].y - after + 180) % 360 - 180
    assert np.allclose(off, 0.0, atol=1e-9)


def test_angles_are_measured_the_short_way_round() -> None:
    assert angle(np.array([0.0, 2.0])) == 90.0
    assert math.isnan(angle(np.zeros(2)))
    assert (turn(350.0, 10.0), turn(10.0, 350.0)) == (20.0, -20.0)
