"""Guided relu on networks that see shapes: what is drawn when, and no seed twice."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.override_map.guided_relu.lesson import LAB, guided_relu
from lessons.chapters.override_map.guided_relu.net import FRESH_SEEDS, MOST_SEED, RULES, Networks
from lessons.outputs.catalogue import find
from lessons.training.under_way import Run
from tests.support import course
from tests.support.present import present

pytestmark = pytest.mark.slow

LESSON = find("guided_relu")
values = partial(course.settings, LESSON)


def test_maps_are_compared_every_fifty_steps_and_after_the_last() -> None:
    given = values(seeds=1, steps=60, randomised=1)
    run = Run(LAB, guided_relu, given)
    seen = []
    for most in (0, 49, 1, 9, 1):
        run.advance(math.inf, given, most=most)
        seen.append(run.history.facts["plain_1"])
    first, before, fifty, after, last = seen
    assert first == before != fifty == after != last


def test_no_two_seeds_draw_the_same() -> None:
    """torch uses only 32 bits of a seed, so two distant seeds can draw the same numbers."""
    seeds = (0, 1, FRESH_SEEDS, FRESH_SEEDS + 1, MOST_SEED, MOST_SEED + FRESH_SEEDS)
    first = Networks.new(seeds, torch.device("cpu"), torch.float64).weights[0]
    for index, one in enumerate(first):
        assert not any(torch.equal(one, other) for other in first[:index])
    same = Networks.new((5, 5 + 2**32), torch.device("cpu"), torch.float64).weights[0]
    assert torch.equal(same[0], same[1]), "the reason to test"


def test_the_answer_is_not_drawn_before_it_is_asked_for() -> None:
    for step in LESSON.prose.steps[:4]:
        given = values(**step.lab)
        run = Run(LAB, guided_relu, given | {"seeds": 1})
        rows = present(LAB.training).table(run.history, given).rows
        assert [row[0] for row in rows] == ["as trained"]
    asked = present(LAB.training).table(run.history, given | {"randomised": 1})
    assert len(asked.rows) > len(rows)


def test_where_layers_are_randomised_their_maps_lie_below_those_of_the_same_rule() -> None:
    given = values(seeds=1, steps=60, randomised=1)
    run = Run(LAB, guided_relu, given)
    run.advance(math.inf, given, most=1)
    (maps,) = present(LAB.training).figures(run.history, given)
    for number, rule in enumerate(RULES):
        first, second = maps.data[1 + number], maps.data[1 + number + len(RULES)]
        assert [one["hovertemplate"].endswith(f"{rule}</extra>") for one in (first, second)]
        assert first["x0"] == second["x0"]
        assert second["y0"] + len(second["z"]) < first["y0"]
        assert not np.array_equal(first["z"], second["z"])
