"""Domain-adversarial training: what the lesson claims, as means over seeds, and each mistake."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.reversal.moons.lesson import (
    DOMAINS,
    LAB,
    LABELS,
    Moons,
    adversarial,
    points_of,
)
from lessons.outputs.catalogue import find
from lessons.training.stacked import Adam, Draws, accuracy
from lessons.training.under_way import finished
from tests.support import course

pytestmark = pytest.mark.slow

LESSON = find("moons")


values = partial(course.settings, LESSON)


def trained(program=adversarial, **given):
    return finished(LAB, program, values(**given)).facts


def unreversed(*args, **settings):
    """The lesson's program with its trick taken out."""
    return adversarial(*args, **(settings | {"wiring": "never"}))


def lifts(facts):
    """What the trick is for: far better on the target, and a domain head that has to guess."""
    better = facts["trick_target"] - facts["source_only_target"]
    return better > 0.12 and facts["trick_domain"] < 0.75 < facts["source_only_domain"]


def arrives(facts, arm):
    """Where the lesson says that the mean of twenty seeds ends."""
    return facts[f"{arm}_target"] >= 0.93 and facts[f"{arm}_domain"] < 0.62


SHORT = {"seeds": 2, "steps": 300}
"""The fewest steps after which the trick has an effect that its absence has not."""

BRIEF = {"seeds": 3, "steps": 150}
"""Enough to see how a mistake fails."""


@pytest.fixture(scope="module", params=[4, pytest.param(20, marks=pytest.mark.long)])
def seeds(request):
    """Four show it; the lesson speaks of twenty."""
    return request.param


@pytest.fixture(scope="module")
def whole(seeds):
    """The lab as it opens, trained to the end."""
    return trained(seeds=seeds)


def test_the_seeds_gain_what_the_lesson_says(whole):
    assert 0.65 < whole["source_only_target"] < 0.78
    assert whole["source_only_domain"] > 0.9
    assert whole["trick_target_lowest"] > whole["source_only_target"], "every seed gains"
    assert arrives(whole, "trick")
    assert not arrives(whole, "source_only"), "the same networks, steps and seeds with λ = 0"
    assert lifts(whole)


def test_both_checks_pass_and_every_target_point_is_wrong():
    """Turned by 180°, each moon lies where the other was: what the lesson tells one to try."""
    ends = trained(angle=180, seeds=2, steps=150)
    assert ends["trick_domain"] < 0.62, "the domain head can only guess"
    assert ends["trick_label_loss"] < 0.05
    assert ends["trick_source"] > 0.99
    assert ends["trick_target"] < 0.02


def test_without_the_trick_the_bound_fails():
    assert lifts(trained(**SHORT))
    assert not lifts(trained(unreversed, **SHORT))


@pytest.mark.long
def test_each_mistake_fails_in_its_own_way():
    ends = {
        wiring: trained(wiring=wiring, **BRIEF)
        for wiring in ("twice", "lost", "never", "subtract", "labels")
    }
    alone = ends["lost"]["source_only_domain_loss"]
    for wiring in ("twice", "never"):
        assert ends[wiring]["trick_domain_loss"] < 0.9 * alone, "the extractor helps"
    # Who never reverses has no λ to move; who reverses twice has one, of the wrong sign.
    few = {"seeds": 2, "steps": 20}
    never, twice = (
        [trained(wiring=one, scale=s, **few) for s in (1, 3)] for one in ("never", "twice")
    )
    assert never[0] == never[1]
    assert twice[0] != twice[1]
    for name in ("target", "domain", "domain_loss", "label_loss"):
        assert ends["lost"][f"trick_{name}"] == ends["lost"][f"source_only_{name}"]
    assert ends["subtract"]["trick_domain_loss"] > 2.0, "the domain head is driven to fail"
    for wiring in ("twice", "lost", "never", "subtract"):
        assert not lifts(ends[wiring])
    assert lifts(ends["labels"]), "flipping the labels is another way to the same end"


@pytest.mark.long
def test_the_papers_network_gains_less_and_is_less_steady(whole, seeds):
    paper = trained(seeds=seeds, network="paper", scale=6, steps=600, rate=0.05, decay="none")
    gain = paper["trick_target"] - paper["source_only_target"]
    assert 0.05 < gain < whole["trick_target"] - whole["source_only_target"]
    spread = paper["trick_target_highest"] - paper["trick_target_lowest"]
    assert spread > whole["trick_target_highest"] - whole["trick_target_lowest"]


def test_one_reversal_is_the_subtracted_loss_for_the_extractor_and_not_for_the_domain_head():
    """What the flipped sign of a loss does to whom; double precision, one step's gradients."""
    given = values(seeds=2, scale=0.7, schedule="fixed", dtype="float64")
    moons = Moons(adversarial, given)

    def gradients(wiring):
        loss = moons.loss("trick", 0, given | {"wiring": wiring}).sum()
        return torch.autograd.grad(loss, list(moons.arms["trick"].parameters()))

    extractor = slice(4)
    domain_head = slice(-4, None)
    reversal, subtract, never = map(gradients, ("reversal", "subtract", "never"))
    for one, other, plain in zip(
        reversal[extractor], subtract[extractor], never[extractor], strict=True
    ):
        assert torch.allclose(one, other, rtol=1e-9, atol=1e-14)
        assert not torch.allclose(one, plain)
    for one, other, plain in zip(
        reversal[domain_head], subtract[domain_head], never[domain_head], strict=True
    ):
        assert torch.allclose(one, -other / 0.7, rtol=1e-9, atol=1e-14)
        assert torch.allclose(one, plain, rtol=1e-9, atol=1e-14)


def test_the_chart_of_the_points_shows_which_are_called_wrong():
    chosen = values(seeds=1, steps=40)
    history = finished(LAB, adversarial, chosen)
    plane = LAB.training.figures(history, chosen)[0]
    near = {}
    for trace in plane.data:
        if trace["mode"] == "markers":
            seen = np.abs(trace["x"]) < 10
            near[trace["name"]] = near.get(trace["name"], 0) + int(seen.sum())
    assert near["source"] == near["target"] + near["wrong"] == 300
    assert near["target"] / 300 == pytest.approx(history.facts["trick_target"], abs=1e-6)


def test_the_data_are_two_moons_and_the_target_turned():
    points = points_of(Draws(range(30)), 35.0)
    assert points.shape == (30, 2, 600)
    assert points[..., :300].mean(2).abs().max() < 1e-12
    straight = points_of(Draws(range(30)), 0.0)
    turned = torch.atan2(points[:, 1, 300:], points[:, 0, 300:])
    before = torch.atan2(straight[:, 1, 300:], straight[:, 0, 300:])
    degrees = torch.rad2deg(turned - before).remainder(360)
    assert torch.allclose(degrees, torch.full_like(degrees, 35.0))
    # A moon is half a circle of radius 2 about its own middle, with noise of 0.1.
    upper = straight[..., :150] - straight[..., :150].mean(2, keepdim=True)
    assert 0.05 < (upper.norm(dim=1).std(1)).mean() < 1.0
    assert LABELS.sum() == DOMAINS.sum() == 300


def test_adam_is_torchs_adam():
    generator = torch.Generator().manual_seed(3)
    weights = [torch.randn(2, 3, 4, dtype=torch.float64, generator=generator) for _ in range(3)]
    ours = [weight.clone().requires_grad_() for weight in weights]
    theirs = [weight.clone().requires_grad_() for weight in weights]

    def loss(weights):  # the last weight has no part in it
        return (weights[0] * 5).sin().sum((1, 2)) + (weights[1] ** 4).sum((1, 2))

    adam, reference = Adam(ours), torch.optim.Adam(theirs)
    for rate in (0.1, 0.05, 0.02, 0.3):
        adam.step(loss(ours), rate)
        reference.param_groups[0]["lr"] = rate
        reference.zero_grad()
        loss(theirs).sum().backward()
        reference.step()
    for one, other, first in zip(ours, theirs, weights, strict=True):
        assert torch.allclose(one, other, rtol=1e-12, atol=1e-14)
        assert torch.equal(one, first) == (first is weights[2])


def test_the_source_only_arm_is_lambda_zero():
    """It is spared what λ = 0 would multiply by nothing: the same."""
    given = values(seeds=9, steps=20, wiring="reversal", scale=0, dtype="float64")
    numbers = finished(LAB, adversarial, given).latest.numbers
    for name in ("target", "domain", "domain_loss", "label_loss"):
        assert np.array_equal(numbers[f"trick_{name}"], numbers[f"source_only_{name}"])


@pytest.mark.parametrize("lost", [math.nan, math.inf, -math.inf])
def test_a_seed_with_a_logit_that_is_not_finite_has_no_accuracy(lost):
    logit = torch.tensor([[[1.0, -1.0, 2.0]], [[1.0, lost, -2.0]]])
    first, second = accuracy(logit, torch.tensor([1.0, 0.0, 0.0])).tolist()
    assert first == pytest.approx(2 / 3)
    assert math.isnan(second)
