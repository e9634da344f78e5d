"""The unrolled state: gradients against closed forms, contributions, memory, torch's messages."""

import gc
import weakref
from functools import partial

import numpy as np
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
    plain,
    unroll,
)
from lessons.outputs.catalogue import find
from lessons.recorder.cutting import cut
from tests.support import course

run = partial(course.run, "unroll")


def by_role(program, w, steps, every, x):
    settings = {"steps": steps, "every": every, "x": x}
    return course.by_role(EXPERIMENT, program, settings, w=w)


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(("every", "expected"), [(1, 0.08), (5, 0.40), (50, 4.05)])
def test_fifty_steps_cut_every_so_many(every, expected):
    result = run(w="0.95", steps="50", every=str(every), x="0")
    came = float(result["trick_gradient"].y[0])
    assert came == pytest.approx(every * 0.95**49)
    assert came == pytest.approx(expected, abs=0.006)
    assert result["true_gradient"].y[0] == pytest.approx(50 * 0.95**49)
    assert result["forward"].y[0] == pytest.approx(0.95**50)


@given(
    st.floats(-1.5, 1.5),
    st.integers(1, 12),
    st.integers(1, 12),
    st.floats(-2, 2),
)
def test_it_is_the_sum_over_the_steps_since_the_last_stop(w, steps, every, x):
    states = [1.0]
    for _ in range(steps):
        states.append(w * states[-1] + x)
    parts = [w**back * states[steps - 1 - back] for back in range(steps)]
    roles = by_role(unroll, tensor(w), steps, every, x)
    near = {"rel": 1e-9, "abs": 1e-9}
    assert roles["forward"].item() == pytest.approx(states[-1], **near)
    assert roles["trick_gradient"].item() == pytest.approx(sum(parts[: kept(steps, every)]), **near)
    for role in ("true_gradient", "intended_gradient"):
        assert roles[role].item() == pytest.approx(sum(parts), **near)
    found, reached = contributions(lambda leaf: unroll(leaf, steps, every, x), tensor(w), steps)
    assert int(reached.sum()) == kept(steps, every)
    expected = [part if back < kept(steps, every) else 0 for back, part in enumerate(parts)]
    assert found[:, 0].tolist() == pytest.approx(expected, **near)


@pytest.mark.parametrize("w", [-1.2, 0.3, 0.95, 1.1])
def test_with_no_input_every_step_adds_the_same(w):
    found, _ = contributions(lambda leaf: plain(leaf, 20, 0.0), tensor(w), 20)
    assert found[:, 0].tolist() == pytest.approx([w**19] * 20)


def test_contributions_add_up_to_the_gradient_under_any_cut():
    steps = 4
    for edge in sorted(find("unroll").edges(find("unroll").validate({}))):
        program = cut(unroll, [edge])
        leaves = tensor(0.3, -0.8)
        found, reached = contributions(
            lambda leaf, p=program: p(leaf, steps, 9, 1.0), leaves, steps
        )
        whole = by_role(program, leaves, steps, 9, 1.0)["trick_gradient"]
        assert found.sum(0).tolist() == pytest.approx(whole.tolist())
        assert int(reached.sum()) < steps


def test_a_stop_leaves_every_value():
    for every in (1, 3, 50):
        assert torch.equal(unroll(tensor(0.95), 50, every, 1.0), plain(tensor(0.95), 50, 1.0))


def test_what_is_left_depends_on_how_long_the_state_remembers():
    facts = run().facts
    assert facts["forgets_came"] == pytest.approx(facts["forgets_most"])
    assert facts["forgets_most"] == pytest.approx(100 * (1 - 0.5**5))
    assert facts["forgets_came"] > 95 > 30 > facts["remembers_came"] > 20
    given = {"w": "0.5,0.95", "steps": "50", "every": "5", "x": "1"}
    result = run(**given)
    share = 100 * result["trick_gradient"].y / result["true_gradient"].y
    assert share.tolist() == pytest.approx([facts["forgets_came"], facts["remembers_came"]])


def test_the_scissors_take_the_parts_before_the_edge_and_no_others():
    whole = run(every="4")
    parts = {one.name: one.y for one in whole.curves}["parts"]
    cut_open = run(cuts=[("mul_2", 1)], every="4")
    left = {one.name: one.y for one in cut_open.curves}["parts"]
    assert np.array_equal(left, [*parts[:2], 0, 0])
    assert cut_open.facts["reached"] == 2
    assert np.array_equal(cut_open["trick_gradient"].y, run(every="2")["trick_gradient"].y)


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

    assert values_kept(lambda w: losses(w, 60)) == 2 * values_kept(lambda w: losses(w, 30)) > 30 - 1


def test_torchs_messages_are_those_of_a_run():
    said = messages()
    batches, rate = [[1.0, 2.0], [3.0, 4.0]], 0.1
    for code, name in ((BUG.broken, "second_time"), (BUG.fixes["retain"], "in_place")):
        with pytest.raises(RuntimeError) as caught:
            code(torch.tensor(0.5, requires_grad=True), batches, rate)
        assert str(caught.value).startswith(said[name])
    assert said["second_time"].startswith("Trying to backward through the graph a second time")
    assert said["in_place"].endswith("modified by an inplace operation")


def test_the_encoder_learns_from_the_first_loss_alone():
    facts = run().facts
    assert facts["encoder_came"] == pytest.approx(facts["encoder_first"]) == pytest.approx(0.81)
    assert facts["encoder_whole"] == pytest.approx(facts["encoder_all"])
    assert facts["encoder_all"] > 2 * facts["encoder_first"]


def test_no_gradient_flows_across_a_stop_between_two_neighbouring_steps():
    """One step after the stop, all that is left is the last step's use of w."""
    result = run(w="0.5", steps="6", every="5", x="1")
    parts = {one.name: one.y for one in result.curves}
    assert not parts["parts"][1:].any()
    assert parts["parts_full"][1] > 0.5
