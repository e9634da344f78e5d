"""Self-supervised features: what the stop on the target branch changes, as means over seeds."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.collapse.lesson import (
    FEATURES,
    FULL,
    LAB,
    POINTS,
    Networks,
    Pairs,
    changed_by_a_detach,
    cosine,
    itself,
    measured,
    siamese,
    whose_loss_is_lower,
)
from lessons.outputs.catalogue import find
from lessons.training.stacked import Draws
from lessons.training.under_way import Run, finished
from tests.support import course
from tests.support.amount import also

pytestmark = pytest.mark.slow

LESSON = find("collapse")
TARGETS = ("cosine", 1), ("cosine_1", 1)
"""Where the stop stands: the edges from the views to the two losses."""


values = partial(course.settings, LESSON)


def trained(*cuts, program=siamese, **given):
    chosen = values(**{"seeds": 4, "steps": 100} | given)
    whole = LESSON.cut_open(cuts) if cuts else program
    return finished(LAB, whole, chosen).facts


def unstopped(one, two, predictor, stop):
    """The lesson's program with its trick taken out."""
    return siamese(one, two, predictor, False)


def in_turn(*parts):
    """Facts after each part of one run: settings changed on the way, and so many steps."""
    run = Run(LAB, siamese, values(seeds=2))
    found = []
    for changed, steps in parts:
        run.advance(math.inf, values(seeds=2, **changed), most=steps)
        found.append(run.history.facts)
    return found


def collapsed(facts, arm):
    """What the lesson calls collapse: any two inputs are the same, and little can be read."""
    return facts[f"{arm}_spread"] < 0.1 * FULL and facts[f"{arm}_others"] > 0.99


@pytest.fixture(scope="module")
def whole():
    """The lesson's own training, with four seeds."""
    return finished(LAB, siamese, values(seeds=4)).facts


def test_the_lower_loss_is_that_of_the_collapsed_features(whole):
    assert -1 <= whole["plain_loss"] < -0.999 < -0.99 < whole["trick_loss"] < -0.95
    assert whole["plain_loss_highest"] < whole["trick_loss_lowest"], "in every seed"
    assert collapsed(whole, "plain")
    assert not collapsed(whole, "trick")
    assert whole["plain_spread_highest"] < 0.02 < 0.14 < whole["trick_spread_lowest"]
    assert whole["plain_accuracy"] < 0.58 < 0.7 < whole["trick_accuracy"]
    without = trained(program=unstopped)
    assert collapsed(without, "trick")
    assert without["trick_loss"] == without["plain_loss"]


def test_both_cuts_are_the_stop():
    cut, stopped = (
        trained(*cuts, steps=30, target=target)
        for cuts, target in ((TARGETS, "open"), ((), "stopped"))
    )
    assert cut == stopped


@pytest.mark.parametrize("one", [TARGETS[0], *also((TARGETS[1],))])
def test_one_cut_is_not_enough(one):
    assert collapsed(trained(one, target="open"), "trick")


def test_without_a_predictor_the_stop_halves_the_gradient_and_it_collapses_too():
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        one, two = torch.randn(2, FEATURES, 5, dtype=torch.float64, generator=generator)
        slopes = []
        for stop in (True, False):
            leaves = one.clone().requires_grad_(), two.clone().requires_grad_()
            slopes.append(torch.autograd.grad(siamese(*leaves, itself, stop), leaves))
        for stopped, plain in zip(*slopes, strict=True):
            assert torch.allclose(stopped, plain / 2, rtol=1e-12, atol=0)
    facts = trained(head="none")
    assert collapsed(facts, "trick")
    assert facts["trick_spread"] == pytest.approx(facts["plain_spread"], rel=1e-2)
    result = LESSON.compute(values(head="none", dtype="float64"))
    gradients = result["trick_gradient"].y, result["true_gradient"].y
    assert gradients[0] == pytest.approx(gradients[1] / 2, rel=1e-12)
    with_predictor = LESSON.compute(values(dtype="float64"))
    ratio = with_predictor["trick_gradient"].y / with_predictor["true_gradient"].y
    assert np.ptp(ratio) > 1, "with a predictor the direction changes"
    assert result.facts["kept"] == pytest.approx(0.5, rel=1e-12)


def test_the_spread_falls_faster_than_it_returns():
    before, fallen, after = in_turn(({}, 100), ({"target": "open"}, 100), ({}, 100))
    assert fallen["trick_spread"] < 0.3 * before["trick_spread"]
    returned = after["trick_spread"] - fallen["trick_spread"]
    assert returned < 0.2 * (before["trick_spread"] - fallen["trick_spread"])


def test_the_largest_spread_is_what_the_chart_says():
    corners = torch.cat([torch.eye(FEATURES), -torch.eye(FEATURES)], 1).double()[None]
    found = measured(corners, corners)
    assert float(found["spread"]) == pytest.approx(FULL, rel=1e-12)
    assert pytest.approx(1 / math.sqrt(8)) == FULL
    on_a_line = corners.new_full(corners.shape, FULL) * torch.tensor([1, -1]).repeat(FEATURES)
    assert torch.linalg.matrix_rank(on_a_line) == 1
    assert float(measured(on_a_line, corners)["spread"]) == pytest.approx(FULL, rel=1e-12)
    one = torch.ones(1, FEATURES, 16, dtype=torch.float64)
    assert float(measured(one, corners)["spread"]) == pytest.approx(0, abs=1e-7)
    assert float(measured(one, corners)["others"]) == pytest.approx(1)


def test_what_is_measured_against_pairs_one_by_one_and_numpy():
    features, x = torch.randn(
        2, 3, FEATURES, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(1)
    )
    found = measured(features, x)
    for seed in range(3):
        one = features[seed].numpy()
        unit = one / np.linalg.norm(one, axis=0)
        assert float(found["spread"][seed]) == pytest.approx(unit.std(1).mean())
        pairs = [unit[:, i] @ unit[:, j] for i in range(10) for j in range(10) if i != j]
        assert float(found["others"][seed]) == pytest.approx(np.mean(pairs))


def test_a_head_reads_what_is_there_and_guesses_where_nothing_is():
    x = Pairs(siamese, values(seeds=8, dtype="float64")).x
    assert float(measured(x, x)["accuracy"].mean()) > 0.85
    fresh = torch.randn(x.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    assert 0.45 < float(measured(fresh, x)["accuracy"].mean()) < 0.55
    assert 0.4 < float(measured(torch.ones_like(x), x)["accuracy"].mean()) < 0.6


def test_the_inputs_the_kept_noise_and_the_training_noise_are_of_different_numbers():
    draws = Draws([0])
    x, kept = draws.normal(8, POINTS)[0], draws.normal(2, 8, POINTS)[0]
    Networks(draws)
    parts = [x, *kept, *draws.normal(2, 8, POINTS)[0]]
    learner = Pairs(siamese, values(seeds=1, dtype="float64"))
    assert torch.equal(learner.x[0], x), "the order in which the training draws them"
    seen = torch.corrcoef(torch.stack([one.flatten() for one in parts]))
    assert (seen - torch.eye(len(parts))).abs().max() < 0.15


def test_a_teacher_needs_no_detach_for_the_student():
    changed = changed_by_a_detach()
    assert changed["changed_teacher"] == 0 < 0.01 < changed["changed_student"]
    assert LESSON.predictions["transfer"](LESSON.compute(values(seeds=1))) == "nothing"


def test_the_answers_follow_the_program():
    result = LESSON.compute(values())
    assert whose_loss_is_lower(result) == "open"
    assert whose_loss_is_lower(result, unstopped) == "same"


def test_two_losses_near_their_lowest_are_two_lines_on_an_axis_that_names_losses():
    given = values(seeds=2, steps=100)
    figure = LAB.training.figures(finished(LAB, siamese, given), given)[0]
    axis = figure.layout["yaxis"]
    for place, word in zip(axis["tickvals"], axis["ticktext"], strict=True):
        assert float(word.replace("−", "-")) == pytest.approx(place - 1)
    low, high = axis["range"]
    lines = [one["y"] for one in figure.data if one["mode"] == "lines" and "fill" not in one]
    ends = [(math.log10(y[-1]) - low) / (high - low) for y in lines]
    assert len(ends) == 2
    assert abs(ends[0] - ends[1]) > 0.25
    assert all(0 <= end <= 1 for end in ends)


def test_the_stacked_networks_against_plain_layers():
    x, stacked = torch.randn(8, 5, dtype=torch.float64), Networks(Draws([3]))
    weights = [one[0].detach() for one in stacked.features.parameters()]
    h = x
    for weight, bias in zip(weights[::2], weights[1::2], strict=True):
        h = torch.nn.functional.linear(h.T, weight, bias[:, 0]).T
        h = h.relu() if weight.shape[0] == 32 else h
    assert torch.allclose(stacked.features(x[None])[0], h)
    assert cosine(h, h) == pytest.approx(1)
