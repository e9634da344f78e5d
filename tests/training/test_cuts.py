"""An edge that is cut in the graph is cut in the training, too; a cut can do what a trick does."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pytest

from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.outputs.catalogue import find, lessons
from lessons.training.under_way import finished
from tests.support.amount import cases
from tests.support.course import settings

pytestmark = pytest.mark.slow

CUTTABLE = [one for one in lessons() if one.lab.training and one.lab.training.cuts]


def trained(lesson: Lesson, cuts: Collection[Cut] = (), **given: Any) -> Mapping[str, np.ndarray]:
    """Each number of a short training, for two seeds."""
    chosen = settings(lesson, **{"seeds": 2, "steps": 6, "dtype": "float64"} | given)
    return finished(lesson.lab, lesson.cut_open(cuts), chosen).latest.numbers


@pytest.mark.random
@pytest.mark.parametrize("lesson", CUTTABLE, ids=lambda one: one.slug)
def test_a_cut_that_changes_the_gradient_changes_the_training(lesson: Lesson) -> None:
    values = settings(lesson)
    plain, whole = lesson.compute(values)["trick_gradient"].y, trained(lesson)
    changed = [
        edge
        for edge in lesson.edges(values)
        if not np.array_equal(lesson.compute(values, cuts=[edge])["trick_gradient"].y, plain)
    ]
    assert changed
    for edge in changed[: cases(2, 99)]:
        numbers = trained(lesson, [edge])
        kept = [np.array_equal(one, whole[name], equal_nan=True) for name, one in numbers.items()]
        assert not all(kept), edge


@pytest.mark.parametrize(
    ("slug", "cuts", "given", "arm", "as_given", "as_arm"),
    [
        ("moons", [], {"scale": 0}, "trick", {}, "source_only"),
        ("moons", [("flip_gradient", 0)], {}, "trick", {}, "source_only"),
        ("moons", [("domain_head", 0)], {}, "trick", {}, "source_only"),
        ("noise_layer", [("add_1", 1)], {}, "plain", {}, "trick"),
        ("collapse", [], {"target": "open"}, "trick", {}, "plain"),
        ("collapse", [("cosine", 1), ("cosine_1", 1)], {"target": "open"}, "trick", {}, "trick"),
        ("moving_target", [], {"target": "open"}, "trick", {}, "plain"),
        ("moving_target", [("sub", 0)], {"target": "open"}, "trick", {}, "trick"),
        ("codebook", [("mse_loss_1", 1)], {}, "paper", {}, "paper"),
    ],
)
def test_an_arm_with_a_cut_or_no_trick_trains_as_another(
    slug: str,
    cuts: list[Cut],
    given: dict[str, Any],
    arm: str,
    as_given: dict[str, Any],
    as_arm: str,
) -> None:
    lesson = find(slug)
    one, other = trained(lesson, cuts, **given), trained(lesson, **as_given)
    names = [name for name in one if name.startswith(f"{arm}_")]
    assert names
    for name in names:
        assert one[name] == pytest.approx(other[name.replace(arm, as_arm)], rel=1e-9), name
