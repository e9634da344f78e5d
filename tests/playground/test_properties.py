"""For random programs: gradients against central differences, curves point by point, scissors."""

import random

import pytest
import torch

from lessons.playground.document.check import check
from lessons.playground.document.contents import Input
from lessons.playground.language.limits import CURVE_POINTS
from lessons.playground.running.execute import live
from lessons.playground.running.outcome import run
from lessons.playground.running.scissors import edges, snip
from lessons.playground.running.sweep import grid
from tests.playground.programs import ran, valid
from tests.support.amount import seeds
from tests.support.folded import folded

pytestmark = pytest.mark.random


@folded("seed", seeds(50, 150))
def test_without_tricks_the_gradient_is_the_central_difference(seed):
    document = valid(random.Random(seed))
    checked = check(document)
    found = run(document, curves=False)
    for name, value in checked.inputs.items():
        trick, true = (found.gradients[role][name] for role in ("trick_gradient", "true_gradient"))
        step = 1e-5
        expected = torch.zeros_like(value)
        for place in range(len(value)):
            ends = []
            for sign in (1, -1):
                moved = value.clone()
                moved[place] += sign * step
                ends.append(live(checked, {name: moved}).output.detach())
            expected[place] = (ends[0] - ends[1]) / (2 * step)
        if trick is None:
            assert not expected.any()
            continue
        assert torch.equal(trick, true)
        torch.testing.assert_close(trick, expected, rtol=1e-4, atol=1e-6)


@folded("seed", seeds(15, 40))
def test_a_curve_is_what_each_of_its_points_gives_alone(seed):
    """The batch keeps points apart: sums, softmaxes, clipped norms and rules see one each."""
    document = valid(random.Random(seed), tricks=True)
    found = ran(document)
    curves = {curve.name: curve for curve in found.curves}
    first, *others = document.inputs
    for at in grid(first.low, first.high, CURVE_POINTS)[[0, 37, 120]].tolist():
        x = (at, *first.values[1:])
        moved = document.with_(inputs=(Input("x", x), *others))
        alone = run(moved, curves=False)
        pairs = [(curves["forward"], alone.values["out"])]
        for role in ("trick_gradient", "true_gradient"):
            gradient = alone.gradients[role]["x"]
            pairs.append((curves[role], torch.zeros(1) if gradient is None else gradient[0]))
        for curve, value in pairs:
            (here,) = (curve.x == at).nonzero()[0]  # a jump gives a curve points of its own
            assert float(curve.y[here]) == pytest.approx(float(value), rel=1e-9, nan_ok=True)


@folded("seed", seeds(15, 40))
def test_cutting_an_edge_keeps_the_values_and_mending_gives_back_the_text(seed):
    document = valid(random.Random(seed), tricks=True)
    document = document.with_(overrides=())
    before = ran(document, curves=False)
    for edge, operand in edges(check(document).program).items():
        if not operand.cut:
            done = snip(document, edge)
            assert snip(done, edge) == document
            after = run(done, curves=False)
            for name, value in before.values.items():
                assert torch.equal(torch.as_tensor(value), torch.as_tensor(after.values[name]))
            true, again = (one.gradients["true_gradient"] for one in (before, after))
            assert true.keys() == again.keys()
            for name, gradient in true.items():
                assert (gradient is None) == (again[name] is None)
                assert gradient is None or torch.equal(gradient, again[name])
