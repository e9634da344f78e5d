"""Every experiment: a trick changes no value, the true gradient is the value's own, and the
program's gradient is the intended one where the lesson uses the trick right.
"""

import pytest

from lessons.check import experiments
from lessons.check.runs import Runs
from lessons.outputs.catalogue import find, lessons
from tests.support.course import with_each_choice

HELD = {"not_finite": {"root": "plain"}}
"""Settings to keep: at others, the trick changes the value or the true gradient is NaN."""


EXPERIMENTS = [lesson.slug for lesson in lessons() if experiments.experiment_of(lesson)]


def test_most_lessons_without_a_training_have_one() -> None:
    assert len(EXPERIMENTS) >= 20


@pytest.mark.parametrize("slug", EXPERIMENTS)
def test_a_trick_changes_no_value_and_the_true_gradient_is_the_slope_of_it(slug: str) -> None:
    runs = Runs(find(slug))
    others = list(with_each_choice(runs.lesson, **{"dtype": "float64"} | HELD.get(slug, {})))
    for rule in (experiments.values, experiments.slopes):
        assert not [*rule(runs, others)]


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
    "guided_relu": {"seeds": "1"},
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
def test_the_gradient_is_the_intended_one_where_the_trick_is_used_right(slug: str) -> None:
    lesson = find(slug)
    for values in with_each_choice(lesson, dtype="float64", **AS_INTENDED[slug]):
        result = lesson.compute(values)
        meant = result["intended_gradient"].y
        assert result["trick_gradient"].y == pytest.approx(meant, rel=1e-9, abs=1e-12, nan_ok=True)
