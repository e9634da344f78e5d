"""Chapter 3's two players against closed forms, differences and one step of descent."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from lessons import find
from lessons.reversal.players import (
    at_features,
    by_role,
    domain_loss,
    examples,
    wanted,
    weights,
)
from lessons.reversal.two_players.lesson import two_players
from lessons.tricks import flip_gradient

CASES = [(2.0, 1.2, 20.0), (0.0, 0.4, -130.0), (-1.0, 3.0, 90.0), (0.3, 0.0, 5.0)]


def tensors(gap, turn):
    return (*weights(turn), *examples(gap))


def run(slug="two_players", **given: str):
    lesson = find(slug)
    return lesson.compute(lesson.validate(given))


@pytest.mark.parametrize(("scale", "gap", "turn"), CASES)
def test_the_classifier_is_untouched_and_the_extractor_reversed(scale, gap, turn):
    roles = by_role(two_players, *tensors(gap, turn), scale)
    trick, plain = roles["trick_gradient"], roles["true_gradient"]
    assert trick[4:].tolist() == plain[4:].tolist()
    assert torch.allclose(trick[:4], -scale * plain[:4], rtol=1e-12)
    assert torch.allclose(trick, roles["intended_gradient"], rtol=1e-9, atol=1e-15)
    assert roles["forward"].item() == domain_loss(*tensors(gap, turn)).item()


def test_the_true_gradient_is_the_central_difference_of_the_loss():
    w1, w2, x, domain = tensors(1.2, 20.0)
    both, h = torch.cat([w1.flatten(), w2]), 1e-6

    def loss(both):
        return float(domain_loss(both[:4].reshape(2, 2), both[4:], x, domain))

    slope = [(loss(both + h * e) - loss(both - h * e)) / (2 * h) for e in torch.eye(6).double()]
    plain = by_role(two_players, w1, w2, x, domain, 2.0)["true_gradient"]
    assert plain.tolist() == pytest.approx(slope, rel=1e-7)


def test_the_loss_is_that_of_a_coin_weighted_by_its_sides():
    w1, w2, x, domain = (one.numpy() for one in tensors(1.2, 20.0))
    logit = x @ w1 @ w2
    p = 1 / (1 + np.exp(-logit))
    expected = -np.mean(domain * np.log(p) + (1 - domain) * np.log(1 - p))
    assert run().facts["loss"] == pytest.approx(expected, rel=1e-12)


def test_the_arrows_part_at_the_features_and_agree_at_the_classifier():
    result = run(scale="2", gap="1.2", turn="20")
    curves = {series.name: series.y for series in result.curves}

    def steps(role):
        return np.stack(
            [curves[f"{role}_to_{axis}"] - curves[f"{role}_from_{axis}"] for axis in "xy"], 1
        )

    plain, trick = steps("true_gradient"), steps("trick_gradient")
    assert np.allclose(trick[:-1], -2 * plain[:-1], rtol=1e-12)
    assert trick[-1].tolist() == plain[-1].tolist()
    w1, w2, x, domain = tensors(1.2, 20.0)
    feature = (x @ w1).requires_grad_()
    loss = functional.binary_cross_entropy_with_logits(flip_gradient(feature, 2.0) @ w2, domain)
    (expected,) = torch.autograd.grad(loss, feature)
    assert torch.allclose(at_features(two_players, w1, w2, x, domain, 2.0), expected)


def test_one_step_of_each_player_moves_the_loss_against_the_other():
    facts = run(scale="1").facts
    assert facts["loss_after_classifier"] < facts["loss_now"] < facts["loss_after_extractor"]
    w1, w2, x, domain = tensors(1.2, 20.0)
    away, towards = wanted(w1, w2, x, domain, 1.0)
    expected = [domain_loss(w1 - 0.5 * away, w2, x, domain)]
    expected.append(domain_loss(w1, w2 - 0.5 * towards, x, domain))
    shown = [facts["loss_after_extractor"], facts["loss_after_classifier"]]
    assert shown == pytest.approx([float(one) for one in expected], rel=1e-9)


def test_another_program_makes_another_answer_right():
    lesson = find("two_players")
    values = lesson.validate({})

    def answers(program):
        result = lesson.lab.compute(program, values, lambda share: None)
        return [lesson.predictions[name](result) for name in ("who", "step")]

    def unreversed(w1, w2, x, domain, scale):
        return domain_loss(w1, w2, x, domain)

    def everything(w1, w2, x, domain, scale):
        return -scale * domain_loss(w1, w2, x, domain)

    def behind(w1, w2, x, domain, scale):
        return domain_loss(w1, flip_gradient(w2, scale), x, domain)

    assert answers(two_players) == ["extractor", "against"]
    assert answers(unreversed) == ["nobody", "down"]
    assert answers(everything) == ["both", "up"]
    assert answers(behind) == ["classifier", "swapped"]
