"""Where a clip stands in a training step: what clip_grad_norm_ returns."""

from dataclasses import replace
from functools import partial

import pytest

from lessons.outputs.catalogue import find
from tests.support import course
from tests.support.course import right

run = partial(course.run, "where_to_clip")


@pytest.mark.parametrize("place", ["none", "early", "after"])
def test_which_number_is_returned_is_graded_from_the_number(place: str) -> None:
    lesson = find("where_to_clip")
    result = run(place=place)
    assert right(lesson, "returned", result) == "before"
    limit = result.facts["example_limit"]
    result = replace(result, facts={**result.facts, "returned": limit})
    assert right(lesson, "returned", result) == "after"
