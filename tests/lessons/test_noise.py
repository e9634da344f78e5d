"""Chapter 1's noise lab against closed forms and itself."""

import math

import numpy as np
import pytest
import torch

from lessons.contract.devices import DTYPES, devices
from lessons.kit.noise import KEPT_COLUMNS, ROWS, unit_draws
from tests.support.course import run
from tests.support.present import present


def test_the_same_seed_draws_the_same_noise_in_every_dtype_and_on_every_device() -> None:
    drawn = {
        tuple(run("noise_leaks", dtype=dtype, device=device, seed="7")["u"].y)
        for dtype in DTYPES
        for device in devices()
        if not (device == "mps" and dtype == "float64")
    }
    assert len(drawn) == 1
    assert tuple(run("noise_leaks", seed="8")["u"].y) not in drawn


@pytest.mark.parametrize("dtype", DTYPES)
def test_two_runs_are_equal_to_the_last_bit(dtype: str) -> None:
    given = {"dtype": dtype, "draws": "300", "x": "-2, 0, 1"}
    assert run("wrong_place", **given).to_json() == run("wrong_place", **given).to_json()


def test_more_draws_begin_with_the_same_draws() -> None:
    few, many = (run("noise_leaks", draws=str(n), x="1, 2") for n in (1, 500))
    assert few["u"].y.tolist() == many["u"].y.tolist()
    assert few["trick_gradient"].y.tolist() == many["trick_gradient"].y.tolist()


def test_mean_and_band_are_those_of_the_uniform_distribution() -> None:
    low, high = 0.5, 1.5
    result = run("noise_leaks", draws="500", noise_low="0.5", noise_high="1.5", x="1")
    (over,) = (s for s in result.statistics if s.name == "trick_gradient")
    mean = 2 / 3 * (high**1.5 - low**1.5) / (high - low)  # of √u
    assert over.y[0] == pytest.approx(mean, abs=5e-3)
    assert present(over.low)[0] == pytest.approx(math.sqrt(low + 0.05 * (high - low)), abs=1e-2)
    assert present(over.high)[0] == pytest.approx(math.sqrt(low + 0.95 * (high - low)), abs=1e-2)


def test_noise_by_hand_replaces_drawn_noise() -> None:
    result = run("noise_leaks", x="-2, -1, 1", u="1.04, 0.94, 1.08")
    assert result["u"].y.tolist() == [1.04, 0.94, 1.08]
    one_for_all = run("noise_leaks", x="-2, -1, 1", u="1.21")
    assert np.allclose(one_for_all["trick_gradient"].y, [-1.1, -1.1, 1.1], rtol=1e-12)


@pytest.mark.parametrize("columns", [3, KEPT_COLUMNS, KEPT_COLUMNS + 1])
def test_draws_that_are_kept_are_those_of_the_seed_and_stay_so(columns: int) -> None:
    for _ in range(2):
        generator = torch.Generator().manual_seed(2 * 7)
        drawn = torch.rand(ROWS, columns, dtype=torch.float64, generator=generator)
        assert torch.equal(unit_draws(7, 0, columns), drawn)
        run("noise_leaks", seed="7", noise_low="0.1", noise_high="3")
