"""The step size of a quantiser: which gradient it gets, and what each one is the slope of."""

from functools import partial

import numpy as np
import pytest

from lessons.chapters.in_the_wild.learned_step.lesson import (
    COUNTS,
    learned_step,
    levels,
    relative_steps,
)
from tests.support.course import numbers, run

at = partial(run, "learned_step")


def test_a_finite_difference_is_the_plain_gradient_until_a_weight_jumps() -> None:
    assert at().facts["difference"] == pytest.approx(6)
    assert at(rounding="plain").facts["difference"] == pytest.approx(6)
    # 0.7 is 3 steps of 0.275, and 2 of 0.285: its value jumps in between.
    assert numbers(at(s="0.28").facts)["difference"] < 0


def test_with_lsqs_factor_the_ratio_does_not_grow_with_the_number_of_weights() -> None:
    for bits in (2, 3, 4, 8):
        plain, lsq = map(np.array, relative_steps(learned_step, bits).values())
        root = np.sqrt(np.array(COUNTS) * levels(bits)[1])
        assert plain == pytest.approx(lsq * root)
        assert (np.diff(plain) > 0).all()
        assert plain[-1] / plain[0] > 5
        assert 0.3 < lsq[-1] / lsq[0] < 2
    facts = at(bits="3").facts  # 6,400 layers of 1,024 weights give 11.8 and 0.212
    assert (facts["ratio_none"], facts["ratio_lsq"]) == pytest.approx((11.8, 0.212), rel=0.08)


def test_at_a_limit_torch_and_the_formula_differ() -> None:
    result = at(x="0.9375", s="0.3125")  # exactly three steps
    assert result["trick_gradient"].y == pytest.approx([0])
    assert result["intended_gradient"].y == pytest.approx([3])
