"""The unrolled state: gradients against closed forms, and what each step contributes to them."""

from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lessons.chapters.gone_missing.unroll.lesson import (
    EXPERIMENT,
    after_last_stop,
    contributions,
    unroll,
)
from lessons.gradient_tricks.recorder.cutting import cut
from lessons.outputs.catalogue import find
from tests.support import course


def tensor(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@given(st.floats(-1.5, 1.5), st.integers(1, 12), st.integers(1, 12), st.floats(-2, 2))
def test_each_step_since_the_last_stop_sends_its_part(
    w: float, steps: int, every: int, x: float
) -> None:
    states = [1.0]
    for _ in range(steps):
        states.append(w * states[-1] + x)
    parts = [w**back * states[steps - 1 - back] for back in range(steps)]
    found, reached = contributions(lambda leaf: unroll(leaf, steps, every, x), tensor(w), steps)
    left = after_last_stop(steps, every)
    assert int(reached.sum()) == left
    expected = [part if back < left else 0 for back, part in enumerate(parts)]
    assert found[:, 0].tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_contributions_add_up_to_the_gradient_under_any_cut() -> None:
    settings = {"steps": 4, "every": 9, "x": 1.0}
    for edge in sorted(find("unroll").edges(find("unroll").validate({}))):
        program = cut(unroll, [edge])
        leaves = tensor(0.3, -0.8)
        found, reached = contributions(partial(program, **settings), leaves, 4)
        whole = course.by_role(EXPERIMENT, program, settings, w=leaves)["trick_gradient"]
        assert found.sum(0).tolist() == pytest.approx(whole.tolist())
        assert int(reached.sum()) < 4
