"""Domain-adversarial training with edges of its graph cut: what is cut there is cut in training."""

from functools import partial

import numpy as np
import pytest

from lessons.chapters.reversal.moons.lesson import (
    LAB,
    PARAMETERS,
    Moons,
    adversarial,
)
from lessons.outputs.catalogue import find
from lessons.recorder import record
from lessons.recorder.cutting import cut
from lessons.training.under_way import Run, finished
from tests.support import course

pytestmark = pytest.mark.slow

LESSON = find("moons")
MEASURES = ("target", "source", "domain", "domain_loss", "label_loss")
OPTIONS = {one.name: one.names for one in PARAMETERS if one.name in ("wiring", "network", "whose")}


values = partial(course.settings, LESSON)


def trained(*cuts, **given):
    program = cut(adversarial, cuts) if cuts else adversarial
    return finished(LAB, program, values(**{"seeds": 3, "steps": 25} | given)).latest.numbers


def ops(recording):
    """Name, and where each operand that the scissors may reach comes from."""
    return [
        (node.name, [edge.producer.name for edge in node.operands if not edge.fixed])
        for node in recording
        if not node.leaf
    ]


@pytest.mark.parametrize("wiring", OPTIONS["wiring"])
@pytest.mark.parametrize("network", OPTIONS["network"])
def test_the_graph_that_is_drawn_is_that_of_what_is_trained(wiring, network):
    features = []

    def program(given, **settings):
        with record({"features": given}) as recording:
            loss = adversarial(given, **settings)
        features.append(recording.backward(loss))
        return loss

    given = values(seeds=2, network=network, wiring=wiring)
    Moons(program, given).loss("trick", 0, given)
    for whose in OPTIONS["whose"]:
        drawn = LESSON.record(values(wiring=wiring, network=network, whose=whose))
        assert ops(drawn) == ops(features[0])
        there = {(e.consumer.name, e.operand) for e in features[0].edges if e.cuttable}
        implicit = {(e.consumer.name, e.operand) for e in features[0].edges if e.fixed}
        assert LESSON.edges(values(wiring=wiring, whose=whose)) == there - implicit


@pytest.mark.parametrize("edge", [("flip_gradient", 0), ("domain_head", 0)])
def test_a_cut_on_either_side_of_the_reversal_is_training_on_the_source_alone(edge):
    numbers, whole = trained(edge), trained()
    for name in MEASURES:
        assert np.array_equal(numbers[f"trick_{name}"], numbers[f"source_only_{name}"]), name
        assert np.array_equal(numbers[f"source_only_{name}"], whole[f"source_only_{name}"])
    assert not np.array_equal(numbers["trick_domain_loss"], whole["trick_domain_loss"])


def test_with_every_edge_cut_nothing_moves():
    every = [("add", 0), ("add", 1)]
    numbers, first = trained(*every), trained(steps=1)
    history = Run(LAB, adversarial, values(seeds=3)).history
    for name in MEASURES:
        assert np.array_equal(numbers[f"trick_{name}"], history.latest.numbers[f"trick_{name}"])
    assert not np.array_equal(first["trick_label_loss"], numbers["trick_label_loss"])
    result = LESSON.compute(values(), cuts=every)
    assert not result["trick_gradient"].y.any()
    assert result["true_gradient"].y.any(), "what is compared with is whole"
