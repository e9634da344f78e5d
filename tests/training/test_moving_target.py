"""Values learned from values: where the training rests with a stop on the target and without."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.moving_target.lesson import (
    BATCH,
    LAB,
    STATES,
    sampled,
    task_of,
    td_loss,
    two_next_states_by_rest,
)
from lessons.outputs.catalogue import find
from lessons.training.stacked import Draws
from lessons.training.under_way import Run, finished
from tests.support import course
from tests.support.amount import also

pytestmark = pytest.mark.slow

LESSON = find("moving_target")
STOPPED = ("sub", 0)
"""Where the stop stands: from the target to the error."""


values = partial(course.settings, LESSON)


def trained(*cuts, program=td_loss, **given):
    whole = LESSON.cut_open(cuts) if cuts else program
    return finished(LAB, whole, values(**given)).facts


def unstopped(w, here, there, reward, discount, stop):
    """The lesson's program with its trick taken out."""
    return td_loss(w, here, there, reward, discount, False)


def walk(chance=0.5, discount=0.9):
    return task_of({"task": "walk", "chance": chance, "discount": discount})


def by_hand(chance, discount):
    """The walk's true values, from transition probabilities, by numpy."""
    ahead, reward = np.zeros((STATES, STATES)), np.zeros(STATES)
    for state in range(STATES):
        if state:
            ahead[state, state - 1] = 1 - chance
        if state + 1 < STATES:
            ahead[state, state + 1] = chance
    reward[-1] = chance
    return np.linalg.solve(np.eye(STATES) - discount * ahead, reward)


@pytest.mark.parametrize("chance", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("discount", [0.0, 0.5, 0.9, 1.0])
def test_the_true_values_against_the_bellman_equation(chance, discount):
    assert walk(chance, discount).true().numpy() == pytest.approx(
        by_hand(chance, discount), abs=1e-12
    )


def test_the_stop_ends_at_the_true_values_and_no_stop_at_the_lowest_loss():
    facts = trained()
    assert facts["trick_off_highest"] < 0.03 < 0.16 < facts["plain_off_lowest"]
    assert facts["plain_loss_highest"] < facts["trick_loss_lowest"]
    task = walk()
    rests = {stop: task.rests(stop) for stop in (True, False)}
    assert task.off(rests[True], task.true()) < 1e-12
    assert facts["plain_off"] == pytest.approx(task.off(rests[False], task.true()), rel=0.03)
    assert facts["plain_loss"] == pytest.approx(float(task.loss(rests[False])), rel=0.02)
    without = trained(program=unstopped)
    assert without["trick_off"] == without["plain_off"]


@pytest.mark.parametrize("chance", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("discount", [0.5, 0.9, 1.0])
def test_no_weights_have_a_lower_loss_than_where_it_rests_without_a_stop(chance, discount):
    task = walk(chance, discount)
    w = task.rests(stop=False).requires_grad_()
    loss = task.loss(w)
    assert torch.autograd.grad(loss, w)[0].abs().max() < 1e-12
    assert float(loss.detach()) < float(task.loss(task.true()))


def test_without_a_stop_the_values_of_two_possible_next_states_are_pulled_together():
    """A goes to B or C by chance, B ends with 1 and C with 0: A is right, B and C are not."""
    steps = torch.tensor([[1.0, -1, 0], [1, 0, -1], [0, 1, 0], [0, 0, 1]], dtype=torch.float64)
    often = torch.tensor([0.25, 0.25, 0.25, 0.25], dtype=torch.float64)
    rewards = torch.tensor([0.0, 0, 1, 0], dtype=torch.float64)
    weighted = often.sqrt()[:, None] * steps
    rests = torch.linalg.lstsq(weighted, (often.sqrt() * rewards)[:, None]).solution[:, 0]
    assert rests.tolist() == pytest.approx([0.5, 0.75, 0.25])


def test_the_stop_has_no_mean_step_at_the_true_values_and_no_stop_has_one():
    task = walk()
    true = task.true()
    parts = task.here, task.there, task.reward
    for stop, still in ((True, True), (False, False)):
        slope = torch.zeros(STATES, dtype=torch.float64)
        for step, often in enumerate(task.often):
            w = true.clone().requires_grad_()
            one = (part[..., step : step + 1] for part in parts)
            loss = td_loss(w, *one, task.discount, stop)
            slope += often * torch.autograd.grad(loss, w)[0]
        assert (float(slope.abs().max()) < 1e-12) == still


def test_the_loss_is_the_error_of_the_mean_and_the_spread_of_the_target():
    task = walk()
    parts = {}
    for stop in (True, False):
        w = task.rests(stop)
        targets = task.discount * (w @ task.there) + task.reward
        by_state = targets.reshape(2, STATES)  # to the left, to the right, equally often
        mean, spread = by_state.mean(0) - w, by_state.var(0, unbiased=False)
        parts[stop] = float(mean.square().mean()), float(spread.mean())
        assert sum(parts[stop]) == pytest.approx(float(task.loss(w)))
    assert parts[True][0] < 1e-20 < parts[False][0]
    assert parts[False][1] < parts[True][1]


def test_with_certain_next_states_both_end_at_the_true_values_the_stop_sooner():
    facts = trained(chance=1, steps=1000)
    assert max(facts["trick_off_highest"], facts["plain_off_highest"]) < 1e-4
    early = trained(chance=1, steps=200)
    assert early["trick_off_highest"] < 0.01 * early["plain_off_lowest"]
    powers = 0.9 ** np.arange(STATES - 1, -1, -1)
    assert walk(chance=1).true().numpy() == pytest.approx(powers)
    assert LESSON.compute(values(chance=1)).facts["open_rests_off"] < 1e-9


@pytest.mark.parametrize("rate", [0.2, *also(0.05, 0.01)])
def test_a_shared_weight_grows_with_the_stop_at_any_small_rate_and_falls_without(rate):
    given = {"task": "two", "rate": rate, "steps": int(10 / rate), "dtype": "float64"}
    start, facts = trained(**given | {"steps": 1}), trained(**given)
    assert facts["trick_off_lowest"] > 1e5 * start["trick_off_lowest"]
    assert facts["plain_off_highest"] < 1e-3
    seen = LESSON.compute(values(**given)).facts
    assert seen["factor_stopped"] == pytest.approx(1 + 2 * rate * (2 * 0.9 - 1))
    assert seen["factor_open"] == pytest.approx(1 - 2 * rate * (2 * 0.9 - 1) ** 2)


def test_the_cut_is_the_stop_and_the_other_one_leaves_nothing_to_train():
    assert trained(STOPPED, target="open", steps=50) == trained(steps=50)
    start = LESSON.compute(values()).facts
    assert trained(("sub", 1), steps=50)["trick_off"] == start["trick_off"]


def test_the_next_states_weight_gets_a_gradient_without_the_stop_alone():
    for state in range(1, STATES):
        given = values(point=state, dtype="float64")
        result = LESSON.compute(given)
        trick, true = result["trick_gradient"].y, result["true_gradient"].y
        assert np.flatnonzero(trick).tolist() == [state - 1]
        assert np.flatnonzero(true).tolist() == [state - 1, state]
        assert true[state] == pytest.approx(-0.9 * true[state - 1])
    cut = LESSON.compute(values(target="open"), cuts=(STOPPED,))
    assert not cut["trick_gradient"].y[3]


def test_two_independent_next_states_rest_at_the_true_values():
    found = two_next_states_by_rest()
    assert found["two_next_off"] < 1e-12 < 0.1 < found["one_next_off"]
    task, true = walk(), walk().true()
    w = true.clone().requires_grad_()
    errors = task.discount * (w @ task.there) + task.reward - w @ task.here
    left, right = errors[:STATES], errors[STATES:]
    mean = sum((a * b).mean() / 4 for a in (left, right) for b in (left, right))  # independent
    assert torch.autograd.grad(mean, w)[0].abs().max() < 1e-12


def test_the_sampled_steps_are_as_often_as_they_should_be():
    task, draws = walk(chance=0.8), Draws([0])
    steps = torch.cat([sampled(task, draws)[0] for _ in range(500)])
    share = torch.bincount(steps, minlength=2 * STATES) / (500 * BATCH)
    assert share.numpy() == pytest.approx(task.often.numpy(), abs=0.01)
    sure = torch.cat([sampled(walk(chance=1), draws)[0] for _ in range(100)])
    assert sure.min() >= STATES, "a step that never happens is never drawn"


def test_where_it_rests_is_not_drawn_before_it_runs():
    given = values(seeds=2, steps=4, chance=1)
    run = Run(LAB, td_loss, given)
    seen = []
    for _ in range(2):
        traces = LAB.training.figures(run.history, given)[0].data
        (still,) = (one for one in traces if one.get("name") == "lowest mean squared error")
        seen.append(bool(np.isfinite(still["y"]).all()))
        run.advance(math.inf, given)
    assert seen == [False, True]
