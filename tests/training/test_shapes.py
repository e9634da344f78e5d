"""Guided relu on networks that see shapes: what the lesson claims, as means over seeds."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from torch.nn.functional import conv_transpose2d

from lessons.chapters.override_map.guided_relu.figures import figures
from lessons.chapters.override_map.guided_relu.lesson import (
    LAB,
    WORDS,
    Shapes,
    guided_relu,
)
from lessons.chapters.override_map.guided_relu.net import (
    FRESH,
    MOST_SEED,
    RELUS,
    RULES,
    Networks,
    drawn,
    maps,
    ranks,
    test_pictures,
)
from lessons.chapters.override_map.guided_relu.shapes import KINDS, SIDE, labels, pictures
from lessons.outputs.catalogue import find
from lessons.training.under_way import Run, finished
from tests.support import course

pytestmark = pytest.mark.slow

LESSON = find("guided_relu")
CPU = torch.device("cpu")


values = partial(course.settings, LESSON)


def no_rule(x, network, rule, when):
    """The lesson's program with its trick taken out."""
    return network(x)


def told_apart(facts):
    """What the check shows: the last layer gone, plain is another map and guided is not."""
    return facts["guided_1"] > 0.75 and facts["plain_1"] < 0.45


@pytest.fixture(scope="module")
def run():
    """The lab as it opens, trained to the end."""
    run = Run(LAB, guided_relu, values())
    run.advance(math.inf, values())
    return run


@pytest.fixture(scope="module")
def whole(run):
    """What is seen at its end."""
    return run.history


def test_they_learn_the_shapes_in_less_than_half_the_steps(whole):
    accuracy = whole.series("accuracy", "forward")
    passed = accuracy.x[np.flatnonzero(accuracy.y > 0.95)[0]]
    assert passed <= 200
    assert whole.facts["accuracy"] > 0.96
    assert whole.facts["accuracy_lowest"] > 0.9


def test_what_the_maps_keep_when_weights_are_randomised(whole):
    facts = whole.facts
    assert told_apart(facts)
    guided = [facts[f"guided_{layers}"] for layers in range(1, 5)]
    assert sorted(guided, reverse=True) == guided, "it does change, the lower the layer the more"
    assert guided[2] > 0.5 > 0.35 > guided[3], "the evidence is in the upper layers"
    for layers in range(2, 5):
        assert abs(facts[f"plain_{layers}"]) < 0.15
    assert abs(facts["deconvnet_4"]) < 0.2
    assert facts["guided_other"] > 0.5, "nearly the same map for the score of another class"
    assert facts["plain_other"] < -0.1


def test_with_the_last_layer_drawn_anew_a_network_guesses(run):
    shapes = run._learner
    x = test_pictures(150, 0.25).expand(-1, 5, -1, -1)
    for layers in range(1, 5):
        logits = shapes.networks.randomised(shapes.others, layers).logits(x, "relu")
        right = (logits.argmax(1) == labels(150)).double().mean()
        assert 0.15 < right < 0.55, layers


def test_without_the_trick_the_bound_fails():
    short = values(seeds=2, steps=75)
    assert told_apart(finished(LAB, guided_relu, short).facts)
    plain = finished(LAB, no_rule, short).facts
    assert not told_apart(plain)
    assert plain["guided_1"] == plain["deconvnet_1"] == plain["plain_1"]


def by_hand(weights, x, target, send):
    """The input gradient layer by layer; ``send`` is what a relu makes of an upstream gradient."""
    (w1, b1), (w2, b2), (w3, b3), (w4, _) = zip(weights[::2], weights[1::2], strict=True)
    first = torch.conv2d(x, w1, b1, stride=2)
    second = torch.conv2d(first.clamp(min=0), w2, b2, stride=2)
    third = second.clamp(min=0).flatten(1) @ w3.T + b3
    upstream = send(third, w4[target])
    upstream = send(second, (upstream @ w3).reshape(second.shape))
    upstream = send(first, conv_transpose2d(upstream, w2, stride=2))
    return conv_transpose2d(upstream, w1, stride=2)


@pytest.mark.parametrize("when", ["runs", "built"])
def test_each_map_is_what_its_formula_gives(when):
    send = {
        "plain": lambda x, u: u * (x > 0),
        "guided": lambda x, u: u * ((x > 0) & (u > 0)),
        "deconvnet": lambda x, u: u * (u > 0),
    }
    x = test_pictures(6, 0.25).double()
    networks = Networks.new([0, 1, 2], CPU, torch.float64)
    for rule in RULES:
        found = maps(guided_relu, networks, x, labels(6), rule, values(when=when))
        for seed in range(3):
            expected = by_hand([w.detach() for w in drawn(seed)], x, labels(6), send[rule])
            assert torch.allclose(found[seed], expected.flatten(1), rtol=1e-9, atol=1e-14), rule


@pytest.mark.parametrize("spelling", ["clamp", "maximum"])
@pytest.mark.parametrize("when", ["runs", "built"])
def test_a_relu_of_another_type_is_missed_and_learns_the_same(spelling, when):
    x = test_pictures(3, 0.25)
    networks = Networks.new([0], CPU, torch.float32)
    other = values(spelling=spelling, when=when)
    plain, guided = (
        maps(guided_relu, networks, x, labels(3), r, other) for r in ("plain", "guided")
    )
    assert torch.equal(plain, guided)
    assert torch.equal(plain, maps(guided_relu, networks, x, labels(3), "plain", values()))
    assert not torch.equal(plain, maps(guided_relu, networks, x, labels(3), "guided", values()))
    trained = [Shapes(guided_relu, given) for given in (values(), other)]
    for one, given in zip(trained, (values(), other), strict=True):
        for done in range(3):
            one.step(done, given)
    for a, b in zip(*(one.networks.weights for one in trained), strict=True):
        assert torch.equal(a, b)


def test_where_a_relu_is_missed_it_is_said():
    assert not LESSON.compute(values()).notes
    (note,) = LESSON.compute(values(spelling="clamp")).notes
    assert "matched no op" in note.text
    assert "clamp" in note.text
    (note,) = LESSON.compute(values(spelling="maximum", when="built")).notes
    assert note.text == WORDS("no_relu")


def test_the_maps_step_is_told_where_it_is_not_the_last_one():
    given = values(seeds=1, steps=60, randomised=1)
    run = Run(LAB, guided_relu, given)
    told = []
    for most in (3, 49, 10):  # compared after step 50 and after the last one
        run.advance(math.inf, given, most=most)
        history = run.history
        alike = next(one for one in figures(history, given) if one.name == "compared")
        told.append((history.done, history.facts["compared_step"]))
        assert f"at step {told[-1][1]:.0f}:" in alike.alt
    assert told == [(3, 0), (52, 50), (60, 60)]


def test_no_two_seeds_draw_the_same():
    """torch reads 32 bits of a seed: what is far apart as a number may be the same to it."""
    first = [drawn(seed)[0] for seed in (0, 1, FRESH, FRESH + 1, MOST_SEED, MOST_SEED + FRESH)]
    for index, one in enumerate(first):
        assert not any(torch.equal(one, other) for other in first[:index])
    assert torch.equal(drawn(5)[0], drawn(5 + 2**32)[0]), "the reason to test"
    streams = Shapes(guided_relu, values(seeds=2)).streams
    one, other = (pictures(3, 0.25, stream) for stream in streams)
    assert not torch.equal(one, other)
    assert MOST_SEED + FRESH + 10 < 2**32


def test_the_answer_is_not_drawn_before_it_is_asked_for():
    for step in LESSON.prose.steps[:4]:
        given = LESSON.validate(step.lab)
        run = Run(LAB, guided_relu, given | {"seeds": 1})
        seen = [figure.name for figure in LAB.training.figures(run.history, given)]
        assert seen == ["maps"]
        assert len(LAB.training.figures(run.history, given)[0].data) == 1 + len(RULES)
        assert [row[0] for row in LAB.training.table(run.history, given).rows] == [
            "accuracy",
            "loss",
        ]
    given = given | {"randomised": 1}
    seen = {figure.name for figure in LAB.training.figures(run.history, given)}
    assert seen == {"maps", "compared"}


def test_where_layers_are_randomised_their_maps_lie_below_those_of_the_same_rule():
    given = values(seeds=1, steps=60, randomised=1)
    run = Run(LAB, guided_relu, given)
    run.advance(math.inf, given, most=1)
    maps, _ = LAB.training.figures(run.history, given)
    domains = {name: axis["domain"] for name, axis in maps.layout.items() if "axis" in name}
    for number, rule in enumerate(RULES):
        first, second = maps.data[1 + number], maps.data[1 + number + len(RULES)]
        assert [one["hovertemplate"].endswith(f"{rule}</extra>") for one in (first, second)]
        over, under = (domains[f"xaxis{one['xaxis'][1:]}"] for one in (first, second))
        assert over == under
        over, under = (domains[f"yaxis{one['yaxis'][1:]}"] for one in (first, second))
        assert under[1] < over[0]
        assert not np.array_equal(first["z"], second["z"])


def rank_correlation(first, second):
    return (ranks(first) * ranks(second)).sum(-1)


def test_ranks_are_places_and_equal_numbers_share_theirs():
    numbers = torch.randint(0, 30, (20, 60), generator=torch.Generator().manual_seed(0)).float()
    below = (numbers[:, None, :] < numbers[:, :, None]).sum(-1).double()
    same = (numbers[:, None, :] == numbers[:, :, None]).sum(-1).double()
    places = below + (same - 1) / 2
    assert torch.allclose(
        rank_correlation(numbers[:10], numbers[10:]),
        torch.stack(
            [
                torch.corrcoef(torch.stack(pair))[0, 1]
                for pair in zip(places[:10], places[10:], strict=True)
            ]
        ),
    )
    assert float(rank_correlation(numbers[0], numbers[0].exp())) == pytest.approx(1.0)
    assert float(rank_correlation(numbers[0], -numbers[0])) == pytest.approx(-1.0)
    assert float(rank_correlation(numbers[0], torch.zeros(60))) == 0.0
    assert ranks(numbers).norm(dim=-1).allclose(torch.ones(20, dtype=torch.float64))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("when", ["runs", "built"])
@pytest.mark.parametrize("behind", ["weights", "sum"])
def test_autograd_gives_the_formula_where_the_rule_comes_in(rule, when, behind):
    result = LESSON.compute(values(rule=rule, when=when, behind=behind))
    assert np.array_equal(result["trick_gradient"].y, result["intended_gradient"].y)


def test_the_pictures_are_what_they_say():
    clean = pictures(300, 0.0, torch.Generator().manual_seed(3))
    noisy = pictures(300, 0.25, torch.Generator().manual_seed(3))
    assert clean.shape == (300, SIDE, SIDE)
    assert clean.min() >= 0
    assert clean.max() <= 1
    assert float((noisy - clean).std()) == pytest.approx(0.25, rel=0.02)
    assert torch.bincount(labels(300)).tolist() == [100] * len(KINDS)
    border = torch.cat([clean[:, 0], clean[:, -1], clean[:, :, 0], clean[:, :, -1]], 1)
    assert border.mean() < 0.03, "the shapes lie inside"
    for kind in range(len(KINDS)):
        assert 0.08 < clean[labels(300) == kind].mean() < 0.4
    # A circle is the same upside down about its own middle; a triangle is not.
    inside = clean > 0.5
    wide = inside.any(1).sum(1) - inside.any(2).sum(1)
    assert wide[labels(300) == 1].abs().max() <= 1


def test_every_spelling_is_the_same_function():
    x = torch.linspace(-2, 2, 9)
    for relu in RELUS.values():
        assert torch.equal(relu(x), torch.relu(x))
