"""One bad sample in a batch, against closed forms."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.one_outlier.batch import batch, each, ordinary
from lessons.chapters.in_the_wild.one_outlier.lab import EXPERIMENT
from lessons.chapters.in_the_wild.one_outlier.lesson import one_outlier
from lessons.contract.lab import Start
from tests.support import course


def trick_gradient(x, y, clip, limit):
    settings = {"clip": clip, "limit": limit}
    w = torch.zeros(2, dtype=x.dtype, requires_grad=True)
    start = Start({"w": w, "x": x, "y": y}, settings)
    return EXPERIMENT.by_role(one_outlier, start)["trick_gradient"]


run = partial(course.run, "one_outlier")


def rows(size=100.0, angle=120.0, many=7):
    return batch(ordinary(3, many), size, angle)


def by_hand(size=100.0, angle=120.0):
    """The samples' gradients at w = 0 with nothing but arithmetic."""
    turn = math.radians(angle)
    bad = (math.cos(turn), math.sin(turn))
    found = []
    for place, (a, b) in enumerate([bad, *ordinary(3, 7)]):
        error = 2 * a + b + (size if place == 0 else 0.0)  # w · x − y, at w = 0
        found.append((error * a, error * b))
    return np.array(found)


@pytest.mark.parametrize("size", [0.0, 3.0, 100.0, 1e6])
@pytest.mark.parametrize("limit", [0.0, 0.3, 1.0, 50.0])
def test_each_clip_is_its_closed_form(size, limit):
    samples = by_hand(size)
    mean = samples.mean(0)
    lengths = np.linalg.norm(samples, axis=1, keepdims=True)
    expected = {
        "none": mean,
        "batch": mean * min(1.0, limit / np.linalg.norm(mean)),
        "sample": (samples * np.minimum(1.0, limit / np.maximum(lengths, 1e-300))).mean(0),
    }
    for clip, gradient in expected.items():
        result = run(clip=clip, size=repr(size), limit=repr(limit))
        assert np.allclose(result["trick_gradient"].y, gradient, rtol=1e-9, atol=1e-12)
        assert np.allclose(result["intended_gradient"].y, samples[1:].mean(0), rtol=1e-9)
        assert np.allclose(result.planes["raw"], samples, rtol=1e-9)


def test_the_batchs_clip_keeps_the_direction_and_each_samples_nearly_the_ordinary_one():
    facts = {clip: run(clip=clip).facts for clip in ("none", "batch", "sample")}
    assert facts["batch"]["cos_used"] == pytest.approx(facts["none"]["cos_used"], abs=1e-9)
    assert facts["batch"]["cos_used"] < 0.1 < 0.95 < facts["sample"]["cos_used"]
    assert facts["batch"]["length_used"] == pytest.approx(1.0)


def test_the_part_of_the_bad_sample_is_bounded_by_limit_over_batch():
    ends = [run(clip="sample", size=size)["trick_gradient"].y for size in ("1000", "1000000")]
    assert np.allclose(*ends, atol=1e-12)  # its size no longer matters
    for many, limit in (("8", "1"), ("2", "0.5"), ("32", "3")):
        facts = run(batch=many, limit=limit).facts
        assert facts["most"] == pytest.approx(float(limit) / int(many), rel=1e-6)
    x, y = rows(1e6)
    alone = trick_gradient(x, y, "sample", 1.0)
    others = torch.stack([g * min(1.0, 1.0 / float(g.norm())) for g in each(x, y)[1:]]).sum(0) / 8
    assert float((alone - others).norm()) == pytest.approx(1 / 8)


def test_with_a_low_limit_nearly_all_samples_are_shortened_to_one_length():
    samples = run(clip="sample", limit="0.1").planes["samples"]
    assert (np.linalg.norm(samples, axis=1) > 0.0999).sum() >= 7
    assert (np.linalg.norm(run(clip="sample").planes["samples"], axis=1) > 0.999).sum() < 7


def test_only_batch_norm_lets_one_sample_into_the_gradient_of_another():
    facts = run().facts
    mixed = {name: facts[f"mixed_{name}"] for name in ("linear", "layernorm", "groupnorm")}
    assert set(mixed.values()) == {0.0}
    assert facts["mixed_batchnorm"] > 0.1
