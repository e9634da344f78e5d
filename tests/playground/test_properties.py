"""For random programs: gradients without tricks, and curves point by point."""

import random

import pytest
import torch

from lessons.playground.document.contents import Input
from lessons.playground.language.limits import CURVE_POINTS
from lessons.playground.running.outcome import run
from lessons.playground.running.sweep import grid
from tests.playground.programs import ran, valid
from tests.support.amount import seeds
from tests.support.folded import folded

pytestmark = pytest.mark.random


@folded("seed", seeds(50, 150))
def test_without_tricks_the_gradient_is_the_true_one(seed):
    """It is torch's, too: test_in_a_file.py runs such programs without the playground."""
    found = ran(valid(random.Random(seed)), curves=False).gradients
    assert repr(found["trick_gradient"]) == repr(found["true_gradient"])


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
