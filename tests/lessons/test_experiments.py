"""Every experiment: a trick changes no value, the true gradient is the value's own, and the
program's gradient is the intended one where the lesson uses the trick right.
"""

import sys

import pytest
import torch

from lessons.outputs.catalogue import find, lessons
from tests.support.course import with_each_choice

H = 1e-6
HELD = {"moons": {"wiring": "reversal"}, "not_finite": {"root": "plain"}}
"""Settings to keep: at others, the trick changes the value or the true gradient is NaN."""


def experiment_of(lesson):
    """The one that its module names, or the module of its run."""
    for made in (lesson.program, lesson.lab.start):
        module = sys.modules.get(getattr(made, "__module__", ""))
        if hasattr(module, "CURVE"):
            return module.CURVE.experiment
        if hasattr(module, "EXPERIMENT"):
            return module.EXPERIMENT
    return None


EXPERIMENTS = {lesson.slug: lesson for lesson in lessons() if experiment_of(lesson)}


def test_most_lessons_without_a_training_have_one():
    assert len(EXPERIMENTS) >= 20


def starts(lesson):
    """The runs whose graphs are drawn, at the settings of every step and at others, in float64."""
    for step in lesson.prose.steps:
        yield lesson.lab.start(lesson.validate({**step.lab, "dtype": "float64"}))
    held = {"dtype": "float64"} | HELD.get(lesson.slug, {})
    yield from map(lesson.lab.start, with_each_choice(lesson, **held))


def value(experiment, start):
    return start.finish(start.call(experiment.plain)).detach().sum()


@pytest.mark.parametrize("slug", EXPERIMENTS)
def test_a_trick_changes_no_value(slug):
    lesson = EXPERIMENTS[slug]
    experiment = experiment_of(lesson)
    for start in starts(lesson):
        plain = start.finish(start.call(experiment.plain))
        ours = experiment.by_role(lesson.program, start)["forward"]
        alike = torch.allclose(ours, plain, rtol=1e-9, atol=1e-12, equal_nan=True)
        assert alike, f"the program gives {ours}, the one without its trick {plain}"


@pytest.mark.parametrize("slug", EXPERIMENTS)
def test_the_true_gradient_is_the_central_difference_of_the_value(slug):
    lesson = EXPERIMENTS[slug]
    experiment = experiment_of(lesson)
    compared = 0
    for start in starts(lesson):
        true = experiment.by_role(lesson.program, start)["true_gradient"].flatten()
        trained = [(name, leaf) for name, leaf in start.leaves.items() if leaf.requires_grad]
        places = [(name, place) for name, leaf in trained for place in range(leaf.numel())]
        for slope, (name, place) in zip(true.tolist(), places, strict=True):
            leaf = start.leaves[name].detach()
            move = torch.zeros_like(leaf).flatten()
            move[place] = H
            low, here, high = (
                value(experiment, start.but(**{name: leaf + by * move.reshape(leaf.shape)}))
                for by in (-1, 0, 1)
            )
            left, right = float(here - low) / H, float(high - here) / H
            if left == pytest.approx(right, rel=1e-3, abs=1e-3):  # no kink, and no NaN
                assert slope == pytest.approx((left + right) / 2, rel=1e-4, abs=1e-4)
                compared += 1
    assert compared


AS_INTENDED = {
    "two_passes": {},
    "noise_leaks": {"u": "1"},
    "wrong_place": {"u": "1"},
    "right_place": {},
    "the_end": {"u": "1"},
    "straight_through": {"spelling": "value"},
    "cut_by_accident": {"spelling": "whole"},
    "in_place": {"change": "clone"},
    "unroll": {"every": "50"},
    "router": {"k": "3"},
    "upstream_not_true": {"local": "supplied"},
    "clip_identity": {"place": "inside"},
    "several_inputs": {"rule": "both"},
    "second_derivative": {"order": "1"},
    "several_outputs": {"rule": "sum"},
    "scope": {"place": "map", "ops": "1"},
    "type_not_name": {"key": "Identity", "place": "inside"},
    "guided_relu": {"spelling": "relu", "seeds": "1"},
    "flip": {"flips": "1"},
    "two_players": {},
    "wrong_ways": {"way": "layer"},
    "moons": {"wiring": "reversal"},
    "value_or_norm": {"limit": "100"},
    "starved": {"loss": "cross", "scale": "1"},
    "not_finite": {"root": "safe", "clip": "none"},
    "two_estimators": {"estimator": "path"},
    "critic_leak": {"stop": "yes"},
    "value_one": {"form": "ratio"},
    "moving_target": {"target": "stopped"},
    "collapse": {"target": "stopped"},
    "codebook": {"wiring": "paper"},
    "learned_step": {"rounding": "straight"},
}
"""Settings at which a program has the intended gradient, whatever the other settings are."""


@pytest.mark.parametrize("slug", AS_INTENDED)
def test_the_gradient_is_the_intended_one_where_the_trick_is_used_right(slug):
    lesson = find(slug)
    for values in with_each_choice(lesson, dtype="float64", **AS_INTENDED[slug]):
        result = lesson.compute(values)
        meant = result["intended_gradient"].y
        assert result["trick_gradient"].y == pytest.approx(meant, rel=1e-9, abs=1e-12, nan_ok=True)
