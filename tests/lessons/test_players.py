"""Chapter 3's two players against closed forms and one step of descent."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from lessons.chapters.reversal.shared_players.game import (
    at_features,
    domain_loss,
    examples,
    wanted,
    weights,
)
from lessons.chapters.reversal.two_players.lesson import two_players
from lessons.contract.lab import Start
from lessons.tricks import flip_gradient
from tests.support import course


def tensors(gap, turn):
    return (*weights(turn), *examples(gap))


def start(w1, w2, x, domain, scale, **settings):
    trained = {"w1": w1.detach().requires_grad_(), "w2": w2.detach().requires_grad_()}
    return Start({**trained, "x": x, "domain": domain}, {"scale": scale, **settings})


def test_the_arrows_part_at_the_features_and_agree_at_the_classifier():
    result = course.run("two_players", scale="2", gap="1.2", turn="20")
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
    assert torch.allclose(at_features(two_players, start(w1, w2, x, domain, 2.0)), expected)


def test_one_step_of_each_player_moves_the_loss_against_the_other():
    facts = course.run("two_players", scale="1").facts
    assert facts["loss_after_classifier"] < facts["loss_now"] < facts["loss_after_extractor"]
    w1, w2, x, domain = tensors(1.2, 20.0)
    away, towards = wanted(w1, w2, x, domain, 1.0)
    expected = [domain_loss(w1 - 0.5 * away, w2, x, domain)]
    expected.append(domain_loss(w1, w2 - 0.5 * towards, x, domain))
    shown = [facts["loss_after_extractor"], facts["loss_after_classifier"]]
    assert shown == pytest.approx([float(one) for one in expected], rel=1e-9)


WAYS = {
    # what the extractor and the classifier get of the plain gradient, at λ = 2
    "layer": (-2.0, 1.0),
    "module": (1.0, 1.0),
    "twice": (4.0, 1.0),
    "left_out": (-1.0, 1.0),
    "subtract": (-2.0, -2.0),
    "apart": (-2.0, 1.0),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_writing_it_gives_each_player_what_the_text_says(way):
    result = course.run("wrong_ways", way=way, scale="2")
    trick, plain = result["trick_gradient"].y, result["true_gradient"].y
    extractor, classifier = WAYS[way]
    assert np.allclose(trick[:4], extractor * plain[:4], rtol=1e-9)
    assert np.allclose(trick[4:], classifier * plain[4:], rtol=1e-9)
    assert result.facts[f"{way}_extractor"] == pytest.approx(extractor)
    assert result.facts[f"{way}_classifier"] == pytest.approx(classifier)
    right = (extractor, classifier) == (-2.0, 1.0)
    assert np.allclose(trick, result["intended_gradient"].y) == right


MISTAKES = ("module", "twice", "left_out", "subtract")
"""The other two ways besides the layer can work."""


def test_the_two_quotients_find_each_mistake_unless_the_scale_is_one():
    """As the lesson says: which of them leave the classifier alone, and which is hidden at 1."""
    found = {scale: course.run("wrong_ways", scale=scale).facts for scale in ("1", "2")}

    def quotients(way, scale):
        came = (found[scale][f"{way}_extractor"], found[scale][f"{way}_classifier"])
        return tuple(round(one, 9) for one in came)

    alone = [way for way in MISTAKES if quotients(way, "2")[1] == 1]
    assert alone == ["module", "twice", "left_out"]
    assert not [way for way in MISTAKES if quotients(way, "2") == (-2, 1)]
    assert [way for way in MISTAKES if quotients(way, "1") == (-1, 1)] == ["left_out"]
