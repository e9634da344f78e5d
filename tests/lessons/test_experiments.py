"""Every experiment: a trick changes no value, and the true gradient is the value's own."""

import sys

import pytest
import torch

from lessons.outputs.catalogue import lessons

H = 1e-6


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
    """The runs whose graphs are drawn, at the settings of every step, in float64."""
    for step in lesson.prose.steps:
        given = {name: text for name, text in step.lab.items() if name not in ("cuts", "at")}
        yield lesson.lab.start(lesson.validate({**given, "dtype": "float64"}))


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
