"""The unrolled state: gradients against closed forms, contributions, memory, torch's messages."""

import gc
import weakref
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lessons.chapters.gone_missing.unroll.bug import BUG
from lessons.chapters.gone_missing.unroll.lesson import (
    EXPERIMENT,
    contributions,
    kept,
    messages,
    unroll,
)
from lessons.outputs.catalogue import find
from lessons.recorder.cutting import cut
from tests.support import course


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


@given(st.floats(-1.5, 1.5), st.integers(1, 12), st.integers(1, 12), st.floats(-2, 2))
def test_each_step_since_the_last_stop_sends_its_part(w, steps, every, x):
    states = [1.0]
    for _ in range(steps):
        states.append(w * states[-1] + x)
    parts = [w**back * states[steps - 1 - back] for back in range(steps)]
    found, reached = contributions(lambda leaf: unroll(leaf, steps, every, x), tensor(w), steps)
    assert int(reached.sum()) == kept(steps, every)
    expected = [part if back < kept(steps, every) else 0 for back, part in enumerate(parts)]
    assert found[:, 0].tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_contributions_add_up_to_the_gradient_under_any_cut():
    settings = {"steps": 4, "every": 9, "x": 1.0}
    for edge in sorted(find("unroll").edges(find("unroll").validate({}))):
        program = cut(unroll, [edge])
        leaves = tensor(0.3, -0.8)
        found, reached = contributions(partial(program, **settings), leaves, 4)
        whole = course.by_role(EXPERIMENT, program, settings, w=leaves)["trick_gradient"]
        assert found.sum(0).tolist() == pytest.approx(whole.tolist())
        assert int(reached.sum()) < 4


class Saved:
    """A tensor that autograd keeps for the backward pass."""

    def __init__(self, value):
        self.value = value


def values_kept(run):
    """Count the tensors that autograd keeps for the backward pass while the result is held."""
    kept_values = []

    def pack(value):
        saved = Saved(value)
        kept_values.append(weakref.ref(saved))
        return saved

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.value):
        result = run(tensor(0.9).requires_grad_())
    gc.collect()
    assert result.requires_grad
    return sum(one() is not None for one in kept_values)


@pytest.mark.parametrize("every", [1, 5, 50])
def test_torch_keeps_the_values_of_the_steps_since_the_last_stop(every):
    # w and h of each step; w is not kept where h has no gradient
    assert values_kept(lambda w: unroll(w, 50, every, 1.0)) == 2 * every - 1


def test_a_loss_at_each_step_keeps_what_is_before_a_stop():
    def losses(w, steps):
        h, loss = torch.ones_like(w), 0.0
        for _ in range(steps):
            h = w * h.detach() + 1
            loss = loss + h
        return loss

    assert values_kept(lambda w: losses(w, 60)) == 2 * values_kept(lambda w: losses(w, 30)) >= 30


def test_torchs_messages_are_those_of_a_run():
    said = messages()
    batches, rate = [[1.0, 2.0], [3.0, 4.0]], 0.1
    for code, name in ((BUG.broken, "second_time"), (BUG.fixes["retain"], "in_place")):
        with pytest.raises(RuntimeError) as caught:
            code(torch.tensor(0.5, requires_grad=True), batches, rate)
        assert str(caught.value).startswith(said[name])
