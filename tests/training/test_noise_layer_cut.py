"""A noise layer in a long network with edges of its graph cut: both networks of a seed are cut."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.stop_gradient.noise_layer.lesson import LAB, NoiseLayer
from lessons.outputs.catalogue import find
from lessons.recorder import record
from lessons.recorder.cutting import cut
from lessons.training.under_way import Run, finished
from tests.support import course

pytestmark = pytest.mark.slow

LESSON = find("noise_layer")
STOPPED = ("add_1", 1)
"""Where the trick stands: from the noise that is added to the sum."""


values = partial(course.settings, LESSON)


def trained(*cuts, **given):
    chosen = values(**{"seeds": 2, "steps": 12, "draws": 4} | given)
    return finished(LAB, LESSON.cut_open(cuts), chosen).latest.numbers


def measures(numbers, arm):
    return {name.removeprefix(arm): one for name, one in numbers.items() if name.startswith(arm)}


@pytest.mark.parametrize("layer", ["clean", "plain"])
def test_the_graph_that_is_drawn_is_that_of_what_is_trained(layer):
    seen = []

    class Recorded(NoiseLayer):
        def forward(self, x):
            with record({"x": x, "drawn": self.draw(x)}) as recording:
                found = super().forward(x)
            if x.requires_grad:
                seen.append((self.clean_backward, recording))
            return found

    given = values(seeds=2, draws=2)
    Run(LAB, Recorded, given).advance(math.inf, given, most=1)
    trained = [recording for clean, recording in seen if clean == (layer == "clean")]
    assert trained
    drawn = LESSON.record(values(layer=layer))
    own = list(trained[0].nodes)
    assert [node.name for node in drawn][: len(own)] == own
    there = {(e.consumer.name, e.operand) for e in trained[0].edges if e.cuttable}
    assert LESSON.edges(values(layer=layer)) == there


def test_the_cut_is_the_trick():
    numbers, whole = trained(STOPPED), trained()
    plain, trick = measures(numbers, "plain_"), measures(numbers, "trick_")
    assert plain.keys() == trick.keys() > {"loss", "size", "noise_1"}
    for name, seeds in plain.items():
        assert np.array_equal(seeds, trick[name]), name
        assert np.array_equal(trick[name], whole[f"trick_{name}"]), "it was stopped already"
    assert not np.array_equal(whole["plain_loss"], whole["trick_loss"])


def test_a_class_that_is_cut_is_that_class_and_whole_outside():
    layer = cut(NoiseLayer, [STOPPED])(0.5, False)
    assert isinstance(layer, NoiseLayer)
    x = torch.ones(5, requires_grad=True)
    assert torch.autograd.grad(layer(x).sum(), x)[0].tolist() == [1.0] * 5
    assert torch.autograd.grad(NoiseLayer(0.5, False)(x).sum(), x)[0].tolist() != [1.0] * 5
    assert not layer.eval()(x).ne(x).any()
