"""Chapter 3's two players against closed forms, differences and one step of descent."""

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
from lessons.chapters.reversal.wrong_ways.lesson import wrong_ways
from lessons.contract.lab import Start
from lessons.kit.experiment import Experiment, run_of
from lessons.outputs.catalogue import find
from lessons.tricks import flip_gradient
from tests.support import course
from tests.support.course import right

PLAYERS = Experiment(run_of(), plain=domain_loss, intended=wanted)
CASES = [(2.0, 1.2, 20.0), (0.0, 0.4, -130.0), (-1.0, 3.0, 90.0), (0.3, 0.0, 5.0)]


def tensors(gap, turn):
    return (*weights(turn), *examples(gap))


def start(w1, w2, x, domain, scale, **settings):
    trained = {"w1": w1.detach().requires_grad_(), "w2": w2.detach().requires_grad_()}
    return Start({**trained, "x": x, "domain": domain}, {"scale": scale, **settings})


def by_role(program, *given, **settings):
    return PLAYERS.by_role(program, start(*given, **settings))


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
    assert course.run("two_players").facts["loss"] == pytest.approx(expected, rel=1e-12)


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


def test_another_program_makes_another_answer_right():
    def answers(program):
        return course.answers("two_players", program, "who", "step")

    def unreversed(w1, w2, x, domain, scale):
        return domain_loss(w1, w2, x, domain)

    def everything(w1, w2, x, domain, scale):
        return -scale * domain_loss(w1, w2, x, domain)

    def behind(w1, w2, x, domain, scale):
        return domain_loss(w1, flip_gradient(w2, scale), x, domain)

    assert answers(two_players) == ["extractor", "against"]
    assert answers(unreversed) == ["neither", "down"]
    assert answers(everything) == ["both", "up"]
    assert answers(behind) == ["classifier", "swapped"]


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


def test_two_reversals_do_nothing_at_a_scale_of_one():
    result = course.run("wrong_ways", way="twice", scale="1")
    assert np.allclose(result["trick_gradient"].y, result["true_gradient"].y)


MISTAKES = ("module", "twice", "left_out", "subtract")
"""The other two ways besides the layer can work."""


def test_the_two_quotients_find_each_mistake_unless_the_scale_is_one():
    """As the lesson says: which of them leave the classifier alone, and which is hidden at 1."""
    found = {
        scale: course.run("wrong_ways", way="layer", scale=scale).facts for scale in ("1", "2")
    }

    def quotients(way, scale):
        came = (found[scale][f"{way}_extractor"], found[scale][f"{way}_classifier"])
        return tuple(round(one, 9) for one in came)

    assert [way for way in MISTAKES if quotients(way, "2")[1] == 1] == [
        "module",
        "twice",
        "left_out",
    ]
    assert not [way for way in MISTAKES if quotients(way, "2") == (-2, 1)]
    assert [way for way in MISTAKES if quotients(way, "1") == (-1, 1)] == ["left_out"]


def test_flipped_labels_are_for_the_extractor_alone():
    """As in moons: one meaning of the word, and the classifier keeps its own gradient."""
    result = course.run("wrong_ways", way="labels", scale="2")
    w1, w2, x, domain = tensors(1.2, 20.0)
    flipped, _ = wanted(w1, w2, x, 1 - domain, -2.0)
    _, own = wanted(w1, w2, x, domain, 1.0)
    expected = torch.cat([flipped.flatten(), own])
    assert np.allclose(result["trick_gradient"].y, expected, rtol=1e-9)
    assert result.facts["labels_classifier"] == pytest.approx(1.0)
    assert result.facts["labels_extractor"] < 0


def test_flipped_labels_pull_where_the_classifier_is_sure_and_a_reversal_does_not():
    w1, w2 = weights(0.0)
    for gap, more in ((1.2, 1.0), (8.0, 40.0)):
        x, domain = examples(gap)
        sizes = [
            float(by_role(wrong_ways, w1, w2, x, domain, 1.0, way=way)["trick_gradient"][:4].norm())
            for way in ("labels", "layer")
        ]
        assert sizes[0] > more * sizes[1], gap


def test_the_answers_on_wrong_ways_follow_the_numbers():
    def answers(program):
        return course.answers("wrong_ways", program, "module", "subtract")

    def always(chosen):
        return lambda w1, w2, x, domain, scale, way: wrong_ways(w1, w2, x, domain, scale, chosen)

    def nothing(w1, w2, x, domain, scale, way):
        return domain_loss(w1.detach(), w2, x, domain)

    def behind(w1, w2, x, domain, scale, way):
        return domain_loss(w1, flip_gradient(w2, scale), x, domain)

    assert answers(wrong_ways) == ["plain", "both"]
    assert answers(always("layer")) == ["reversed", "extractor"]
    assert answers(always("module")) == ["plain", "neither"]
    assert answers(nothing)[0] == "none"
    assert answers(behind)[1] == "classifier"


def test_the_transfer_answers_follow_the_numbers():
    """Ten times the classifier's gradient and the extractor's own; a hook on a shared feature."""
    w1, w2, x, domain = tensors(1.2, 20.0)

    def gradients(weight, scale):
        def program(**given):
            return weight * two_players(**given)

        return by_role(program, w1, w2, x, domain, scale)["trick_gradient"]

    now, changed = gradients(1.0, 2.0), gradients(10.0, 0.2)
    assert torch.allclose(changed[:4], now[:4])
    assert torch.allclose(changed[4:], 10 * now[4:])
    for slug, answer in (("two_players", "both"), ("wrong_ways", "both_parts")):
        lesson = find(slug)
        assert right(lesson, "transfer", lesson.compute(lesson.validate({}))) == answer


def test_the_quotients_are_of_the_domain_loss_alone():
    """With a label loss on the same feature the extractor's is not −λ."""
    w1, w2, x, domain = tensors(1.2, 20.0)
    w1.requires_grad_()

    def extractor(scale, share):
        labels = share * (x @ w1)[:, 0].square().mean()
        return torch.autograd.grad(labels + two_players(w1, w2, x, domain, scale), w1)[0]

    for share, alone in ((0.0, True), (1.0, False)):
        quotient = extractor(2.0, share) / extractor(-1.0, share)  # at −1 as without the layer
        assert torch.allclose(quotient, torch.full_like(quotient, -2.0)) == alone
    text = (find("wrong_ways").folder / "en.md").read_text("utf-8")
    assert text.count("domain loss alone") == 2  # what to remember, and how to check


def test_a_hook_is_called_once_with_the_sum_and_a_modules_hook_leaves_its_weights():
    x, calls = torch.ones((), requires_grad=True), []
    x.register_hook(calls.append)
    (2 * x + 3 * x).backward()
    assert calls == [5]
    found = []
    for factor in (1.0, -2.0):
        extractor = torch.nn.Linear(1, 1, bias=False)
        extractor.register_full_backward_hook(lambda m, came, up, by=factor: (by * came[0],))
        x = torch.ones((1, 1), requires_grad=True)
        torch.nn.init.ones_(extractor.weight)
        (3 * extractor(x)).sum().backward()
        found.append((x.grad.item(), extractor.weight.grad.item()))
    assert found == [(3, 3), (-6, 3)]


def test_adam_takes_a_factor_on_the_loss_away():
    assert course.run("two_players").facts["adam_times"] == pytest.approx(1, rel=1e-6)
