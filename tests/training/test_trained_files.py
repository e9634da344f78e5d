"""The files with the ends of trainings, which a reader in a terminal gets instead of a training."""

import json

import pytest

from lessons.outputs.trained import FILE
from tests.support.trained import LESSONS, ends, told

EACH = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)


def kept(lesson):
    return json.loads((lesson.folder / FILE).read_text("utf-8"))


@pytest.mark.slow
@EACH
def test_a_lesson_keeps_each_training_that_its_text_tells_of_and_no_other(lesson):
    wanted = told(lesson)
    assert wanted
    assert kept(lesson).keys() == wanted.keys()


@pytest.mark.long
@EACH
def test_the_kept_numbers_are_those_of_a_training(lesson):
    """Only means are compared: on another machine the lowest or highest seed may differ."""
    found = ends(lesson)
    for name, facts in kept(lesson).items():
        means = [fact for fact in facts if not fact.endswith(("_lowest", "_highest"))]
        assert [facts[fact] for fact in means] == pytest.approx(
            [found[name][fact] for fact in means], rel=0.05, abs=0.01, nan_ok=True
        )
