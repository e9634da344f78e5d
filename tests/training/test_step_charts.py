"""Charts over many seeds: mean and band."""

import numpy as np

from lessons.training.step_charts import over_seeds
from tests.support.present import present


def test_a_line_over_the_seeds_is_their_mean_between_low_and_high_seeds() -> None:
    seeds = [np.array([1.0, 2.0, 6.0, np.nan]), np.array([5.0, np.inf])]
    series = over_seeds(np.arange(2.0), seeds, "forward")
    assert series.y.tolist() == [3, 5]
    assert np.allclose(present(series.low), [1.1, 5])
    assert np.allclose(present(series.high), [5.6, 5])
