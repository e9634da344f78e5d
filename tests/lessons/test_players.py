"""Chapter 3's two players: their arrows, and the quotients that reveal a mistake."""

import numpy as np
import torch
from torch.nn import functional

from lessons.chapters.reversal.shared_players.lab import at_features, examples, weights
from lessons.chapters.reversal.two_players.lesson import two_players
from lessons.contract.lab import Start
from lessons.gradient_tricks.tricks import flip_gradient
from tests.support import course
from tests.support.course import numbers


def test_the_arrows_part_at_the_features_and_agree_at_the_classifier() -> None:
    result = course.run("two_players", scale="2", gap="1.2", turn="20")
    curves = {series.name: series.y for series in result.curves}

    def steps(role: str) -> np.ndarray:
        return np.stack(
            [curves[f"{role}_to_{axis}"] - curves[f"{role}_from_{axis}"] for axis in "xy"], 1
        )

    plain, trick = steps("true_gradient"), steps("trick_gradient")
    assert np.allclose(trick[:-1], -2 * plain[:-1], rtol=1e-12)
    assert trick[-1].tolist() == plain[-1].tolist()
    w1, w2 = (one.detach().requires_grad_() for one in weights(20.0))
    x, domain = examples(1.2)
    feature = (x @ w1).requires_grad_()
    loss = functional.binary_cross_entropy_with_logits(flip_gradient(feature, 2.0) @ w2, domain)
    (expected,) = torch.autograd.grad(loss, feature)
    start = Start({"w1": w1, "w2": w2, "x": x, "domain": domain}, {"scale": 2.0})
    assert torch.allclose(at_features(two_players, start), expected)


MISTAKES = ("module", "twice", "left_out", "subtract")
"""The other two ways besides the layer can work."""


def test_the_two_quotients_find_each_mistake_unless_the_scale_is_one() -> None:
    """As the lesson says: which of them leave the classifier alone, and which is hidden at 1."""
    found = {scale: course.run("wrong_ways", scale=scale).facts for scale in ("1", "2")}

    def quotients(way: str, scale: str) -> tuple[float, float]:
        facts = numbers(found[scale])
        return round(facts[f"{way}_extractor"], 9), round(facts[f"{way}_classifier"], 9)

    alone = [way for way in MISTAKES if quotients(way, "2")[1] == 1]
    assert alone == ["module", "twice", "left_out"]
    assert not [way for way in MISTAKES if quotients(way, "2") == (-2, 1)]
    assert [way for way in MISTAKES if quotients(way, "1") == (-1, 1)] == ["left_out"]
