"""The control for the seed drawn counts from the first seed, whatever its number."""

import re

import pytest

from lessons.outputs.catalogue import lessons
from lessons.training.under_way import Run

TRAINED = [
    lesson
    for lesson in lessons()
    if lesson.lab.training and any(one.name == "shown" for one in lesson.lab.parameters)
]


@pytest.mark.parametrize("lesson", TRAINED, ids=lambda lesson: lesson.slug)
@pytest.mark.parametrize("first", [0, 5])
def test_one_draws_the_first_seed_and_two_the_next(lesson, first):
    training = lesson.lab.training
    given = {"seeds": "2", "seed": str(first)}
    values = lesson.validate(given)
    run = Run(lesson.lab, lesson.program, values)
    for place in (1, 2):
        run.look(values | {"shown": place})
        assert run.history.latest.picture["seed"] == first + place - 1
        captions = [figure.caption.lower() for figure in training.figures(run.history, values)]
        named = rf"seed {first + place - 1}\b"
        assert any(re.search(named, caption) for caption in captions)
