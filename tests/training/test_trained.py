"""What holds of every training: its seeds, its looks, and what its settings declare.

A setting declared wrong leaves a finished run beside settings that it was not trained with, or
throws one away for a setting that its steps never read.
"""

import math
import re
from typing import Any

import numpy as np
import pytest
import torch

from lessons.contract.history import Snapshot
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Integer, Number
from lessons.contract.settings import Settings
from lessons.outputs import catalogue
from lessons.training.under_way import Run, finished
from tests.support.course import another, settings
from tests.support.present import present

pytestmark = pytest.mark.slow

SHORT = {"seeds": 2, "steps": 3}
LESSONS = [lesson for lesson in catalogue.lessons() if lesson.lab.training]
LIVE = [
    (lesson.slug, parameter)
    for lesson in LESSONS
    for parameter in lesson.lab.parameters
    if parameter.in_run != "restarts"
]


def trained_and_seen(
    lesson: Lesson,
    trained_with: Settings,
    looked_at_with: Settings,
) -> Snapshot:
    run = Run(lesson.lab, lesson.program, trained_with)
    run.advance(math.inf, trained_with)
    run.look(looked_at_with)
    return run.history.latest


def same(one: Snapshot, other: Snapshot) -> bool:
    pairs = [(one.numbers, other.numbers), (one.picture, other.picture)]
    return all(
        mine.keys() == theirs.keys()
        and all(np.array_equal(mine[n], theirs[n], equal_nan=True) for n in mine)
        for mine, theirs in pairs
    )


TOLERANCES: dict[str, dict[str, Any]] = {
    "cliff": {"abs": 0.01},  # a descent at the cliff's edge may fall on either side
    "collapse": {"rel": 1e-7, "abs": 1e-9},
    "guided_relu": {"rel": 1e-6, "abs": 1e-9},
    "noise_layer": {"rel": 1e-7},
}
"""How near a seed by itself is to the same among others, beyond the usual 1e-9."""


def few(lesson: Lesson, **given: int) -> Any:
    return settings(lesson, **{"dtype": "float64", "steps": 12} | given)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.slug)
def test_many_seeds_at_once_are_the_same_as_one_by_one(lesson: Lesson) -> None:
    batch = finished(lesson.lab, lesson.program, few(lesson, seeds=3, seed=5)).latest.numbers
    for index in range(3):
        alone = few(lesson, seeds=1, seed=5 + index)
        one = finished(lesson.lab, lesson.program, alone).latest.numbers
        for name, seeds in batch.items():
            near = TOLERANCES.get(lesson.slug, {"rel": 1e-9})
            assert one[name][0] == pytest.approx(seeds[index], **near), (name, index)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.slug)
def test_the_same_seed_gives_the_same_numbers_however_the_time_is_cut_and_looked_at(
    lesson: Lesson,
) -> None:
    given = few(lesson, seeds=2, steps=5)
    history = finished(lesson.lab, lesson.program, given)
    whole = history.latest.numbers
    looks = [one for one in lesson.lab.parameters if one.in_run == "looks"]
    others = given | {one.name: another(one, given[one.name]) for one in looks}
    cut, looked = (Run(lesson.lab, lesson.program, given) for _ in range(2))
    while not looked.over:
        cut.advance(0.0, given)
        looked.advance(0.0, given)
        looked.look(others)
        assert cut.history.done == looked.history.done == looked.done
    looked.look(given)
    for name, seeds in looked.history.latest.numbers.items():
        assert np.array_equal(seeds, whole[name]), name
        curves = [one.series(name, "noise") for one in (cut.history, history)]
        assert np.array_equal(curves[0].y, curves[1].y, equal_nan=True), name
    seed = finished(
        lesson.lab, lesson.program, few(lesson, seeds=2, steps=5, seed=7)
    ).latest.numbers
    assert any(not np.array_equal(seeds, whole[name]) for name, seeds in seed.items())


@pytest.mark.parametrize(("slug", "parameter"), LIVE, ids=lambda one: getattr(one, "name", one))
def test_a_live_setting_is_one_that_trains_where_it_changes_what_steps_come_to(
    slug: str, parameter: Choice | Integer | Number
) -> None:
    lesson = catalogue.find(slug)
    name = parameter.name
    values = lesson.validate({}) | SHORT
    other = values | {name: another(parameter, values[name])}
    mixed = trained_and_seen(lesson, values, other)
    changes = not same(mixed, trained_and_seen(lesson, other, other))
    assert changes == (parameter.in_run == "steps")


@pytest.mark.parametrize(
    ("slug", "given", "looked_at", "charts"),
    [
        ("moons", {"steps": 30, "wiring": "twice", "scale": 1e6}, {}, 3),
        ("noise_layer", {"steps": 5, "strength": 1000}, {}, 3),
        ("guided_relu", {"steps": 15}, {"randomised": 2}, 1),
        ("cliff", {"steps": 5, "rate": 1000, "norm_limit": 1e6, "value_limit": 1e6}, {}, 1),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_blown_up_seeds_are_told(
    slug: str, given: dict[str, str | float], looked_at: dict[str, int], charts: int
) -> None:
    lesson = catalogue.find(slug)
    values = settings(lesson, **{"seeds": 2, "rate": 10.0} | given)
    run = Run(lesson.lab, lesson.program, values)
    run.advance(math.inf, values)
    figures = present(lesson.lab.training).figures(run.history, values | looked_at)
    assert len(figures) == charts  # whatever the numbers have become
    lost = ~np.isfinite(np.stack(list(run.history.latest.numbers.values()))).all(0)
    assert bool(run.history.notes()) == lost.any()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(
    ("slug", "given", "near"),
    [
        ("moons", {"steps": 40, "seeds": 5}, {"rel": 1e-6}),
        ("noise_layer", {"steps": 12, "seeds": 3}, {"rel": 1e-6}),
        ("guided_relu", {"steps": 20, "seeds": 3}, {"rel": 1e-5, "abs": 1e-6}),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_gpu_trains_the_same_networks(
    slug: str, given: dict[str, int], near: dict[str, Any]
) -> None:
    lesson = catalogue.find(slug)
    here, there = (
        finished(
            lesson.lab,
            lesson.program,
            settings(lesson, dtype="float64", device=device, **given),
        ).latest.numbers
        for device in ("cpu", "cuda:0")
    )
    for name, seeds in here.items():
        assert seeds == pytest.approx(there[name], **near)


SHOWN = [one for one in LESSONS if any(each.name == "shown" for each in one.lab.parameters)]


@pytest.mark.parametrize("lesson", SHOWN, ids=lambda lesson: lesson.slug)
@pytest.mark.parametrize("first", [0, 5])
def test_the_seed_drawn_counts_from_the_first_seed_whatever_its_number(
    lesson: Lesson, first: int
) -> None:
    values = settings(lesson, seeds=2, seed=first)
    run = Run(lesson.lab, lesson.program, values)
    for place in (1, 2):
        run.look(values | {"shown": place})
        assert run.history.latest.picture["seed"] == first + place - 1
        figures = present(lesson.lab.training).figures(run.history, values)
        named = rf"seed {first + place - 1}\b"
        assert any(re.search(named, figure.caption, re.IGNORECASE) for figure in figures)
