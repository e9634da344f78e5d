"""Domain-adversarial training: where it fails, and the chart of its points."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest

from lessons.chapters.reversal.moons.lesson import LAB, adversarial
from lessons.outputs.catalogue import find
from lessons.training.under_way import finished
from tests.support import course
from tests.support.course import numbers
from tests.support.present import present

pytestmark = pytest.mark.slow

LESSON = find("moons")


values = partial(course.settings, LESSON)


def trained(**given: object) -> Mapping[str, float]:
    return numbers(finished(LAB, adversarial, values(**given)).facts)


def test_both_checks_pass_and_every_target_point_is_wrong() -> None:
    """Turned by 180°, each moon lies where the other was: what the lesson tells one to try."""
    ends = trained(angle=180, seeds=2, steps=150)
    assert ends["trick_domain"] < 0.62, "the domain head can only guess"
    assert ends["trick_label_loss"] < 0.05, "the label head learns the source"
    assert ends["trick_source"] > 0.99, "and gets nearly every point of it right"
    assert ends["trick_target"] < 0.02, "each moon is taken for the other"


def test_reversed_twice_the_extractor_helps_the_domain_head() -> None:
    ends = trained(wiring="twice", seeds=3, steps=150)
    assert ends["trick_domain_loss"] < 0.9 * ends["source_only_domain_loss"], "it learns more"
    assert ends["trick_target"] - ends["source_only_target"] < 0.12, "and the target gains little"


def test_the_chart_of_the_points_shows_which_are_called_wrong() -> None:
    chosen = values(seeds=1, steps=40)
    history = finished(LAB, adversarial, chosen)
    plane = present(LAB.training).figures(history, chosen)[0]
    near: dict[str, int] = {}
    for trace in plane.data:
        if trace["mode"] == "markers":
            seen = np.abs(trace["x"]) < 10
            near[trace["name"]] = near.get(trace["name"], 0) + int(seen.sum())
    assert near["source"] == near["target"] + near["wrong"] == 300
    assert near["target"] / 300 == pytest.approx(history.facts["trick_target"], abs=1e-6)
