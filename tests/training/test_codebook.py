"""The small VQ-VAE: which loss moves what, at one point and in training, and what a cut stops."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.codebook.lesson import (
    CODES,
    LAB,
    POINTS,
    Trained,
    nearest,
    vq_losses,
    without_commitment,
)
from lessons.outputs.catalogue import find
from lessons.recorder import record
from lessons.training.under_way import Run, finished
from tests.support import course

LESSON = find("codebook")
CODEBOOK = ("mse_loss_1", 1)
"""Where the code enters the codebook loss."""


values = partial(course.settings, LESSON)


def at(cuts=(), **given):
    return LESSON.compute(values(**given), cuts=cuts)


def run(*cuts, **given):
    chosen = values(**{"seeds": 3, "steps": 150} | given)
    return finished(LAB, LESSON.cut_open(cuts), chosen).latest.numbers


def sent(result, part):
    return next(one.y for one in result.curves if one.name == f"{part}_trick_gradient")


@pytest.mark.parametrize("z", [(0.1, 0.9), (-0.7, -0.2), (40.0, -3.0), (0.5, 0.4)])
def test_each_loss_moves_what_the_paper_says(z):
    result = at(z1=z[0], z2=z[1], dtype="float64")
    assert not sent(result, "reconstruction")[2:4].any()
    assert sent(result, "reconstruction")[:2].any()
    assert not sent(result, "codebook")[[0, 1, 4]].any()
    assert not sent(result, "commitment")[2:].any()
    away = np.array(z) - result["forward"].y[2:4]
    assert sent(result, "codebook")[2:4] == pytest.approx(-away)
    assert sent(result, "commitment")[:2] == pytest.approx(0.25 * away)


def test_with_nothing_stopped_both_ends_move_and_no_gradient_comes_through_the_choice():
    y = at(part="commitment", dtype="float64")["true_gradient"].y
    assert y[:2] == pytest.approx(-y[2:4])
    assert y[:2].any()
    assert not at(part="reconstruction")["true_gradient"].y[:2].any()


def test_the_two_losses_are_one_number():
    for z in ("0.1", "0.9", "-30"):
        facts = at(z1=z).facts
        assert facts["codebook_loss"] == facts["commitment_loss"] > 0


def test_the_codebook_loss_of_the_output_pushes_the_encoding_away_and_weighs_as_a_minus_one():
    result = at(wiring="output", part="codebook", dtype="float64")
    z, code = result["forward"].y[:2], result["forward"].y[2:4]
    assert result["trick_gradient"].y[:2] == pytest.approx(code - z)
    assert not result["trick_gradient"].y[2:4].any()
    wrong = at(wiring="output", beta=1.25, dtype="float64")
    right = at([CODEBOOK], beta=0.25, dtype="float64")
    assert wrong["trick_gradient"].y == pytest.approx(right["trick_gradient"].y)


@pytest.mark.parametrize("wiring", ["paper", "swapped", "output", "direct"])
def test_the_graph_that_is_drawn_is_that_of_what_is_trained(wiring):
    seen = []

    def recorded(z, code, decode, x, *settings):
        with record({"z": z, "code": code, "x": x}) as recording:
            losses = vq_losses(z, code, decode, x, *settings)
        seen.append(recording)
        return losses

    given = values(seeds=2, wiring=wiring)
    Run(LAB, recorded, given).advance(math.inf, given, most=1)
    ops = [(one.name, one.type) for one in seen[0] if not one.leaf]
    drawn_ops = [(one.name, one.type) for one in LESSON.record(given) if not one.leaf]
    assert drawn_ops[: len(ops)] == ops
    there = {(e.consumer.name, e.operand) for e in seen[0].edges if e.cuttable}
    assert LESSON.edges(given) <= there


@pytest.mark.slow
def test_without_commitment_the_encodings_run_away():
    numbers = run(beta=0)
    assert (numbers["trick_apart"] > 20 * numbers["paper_apart"]).all()
    assert numbers["trick_used"].mean() < numbers["paper_used"].mean()
    assert without_commitment(None) == "away"

    def always_committed(z, code, decode, x, beta, wiring):
        return vq_losses(z, code, decode, x, 0.25, wiring)

    assert without_commitment(None, always_committed) == "same"


@pytest.mark.slow
@pytest.mark.parametrize(("cuts", "given"), [([CODEBOOK], {}), ([], {"wiring": "output"})])
def test_codes_without_their_loss_stand_still(cuts, given):
    chosen = values(**{"seeds": 2, "steps": 20, **given})
    trained = Trained(LESSON.cut_open(cuts), chosen)
    before = [one.codes.detach().clone() for one in trained.arms.values()]
    for _ in range(20):
        trained.step(0, chosen)
    after = [one.codes.detach() for one in trained.arms.values()]
    assert torch.equal(before[0], after[0])
    assert not torch.equal(before[1], after[1]), "the paper's arm keeps its loss"


@pytest.mark.slow
def test_a_cut_reaches_the_training_and_not_the_arm_beside_it():
    cut, whole = run(CODEBOOK), run()
    assert (cut["trick_apart"] > 10 * whole["trick_apart"]).all()
    for name in ("error", "apart", "used"):
        assert np.array_equal(cut[f"paper_{name}"], whole[f"paper_{name}"])
        assert np.array_equal(whole[f"trick_{name}"], whole[f"paper_{name}"])


@pytest.mark.slow
def test_codes_that_start_far_out_stay_out_of_use():
    near, far = run(), run(start=5)
    assert near["trick_used"].mean() > 15
    assert far["trick_used"].mean() < 8
    assert (far["trick_error"] > near["trick_error"]).all()


def test_a_code_of_no_point_gets_exactly_nothing():
    networks = Trained(vq_losses, values(seeds=2, start=5))
    arm = networks.arms["trick"]
    code, chosen = nearest(arm.encode(networks.points), arm.codes)
    losses = vq_losses(
        arm.encode(networks.points), code, arm.decode, networks.points, 0.25, "paper"
    )
    (slope,) = torch.autograd.grad(sum(one.sum() for one in losses), arm.codes)
    for seed in range(2):
        used = set(chosen[seed].tolist())
        assert {n for n in range(CODES) if slope[seed, n].any()} == used


def test_the_nearest_code_is_the_nearest():
    trained = Trained(vq_losses, values(seeds=1, seed=3, dtype="float64"))
    points, codes = trained.points[0], trained.arms["trick"].codes[0].detach()
    assert points.shape == (2, POINTS)
    picked, chosen = nearest(points[None], codes[None])
    squares = ((points.T[:, None] - codes[None]) ** 2).sum(2)
    assert torch.equal(chosen[0], squares.argmin(1))
    assert torch.equal(picked[0].T, codes[chosen[0]])


def test_the_wiring_changes_no_value_but_the_weights():
    losses = {}
    z, code, x = (torch.randn(2, 3, generator=torch.Generator().manual_seed(n)) for n in range(3))
    for wiring in ("paper", "swapped", "output", "direct"):
        losses[wiring] = [float(one) for one in vq_losses(z, code, torch.sin, x, 1.0, wiring)]
    for one in losses.values():
        assert one == pytest.approx(losses["paper"], rel=1e-5)
