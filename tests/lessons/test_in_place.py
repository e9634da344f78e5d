"""A tensor changed after ops have saved it: what the graph marks."""

import pytest

from lessons.gradient_tricks.recorder.picture.graph_drawing import picture
from lessons.gradient_tricks.recorder.picture.sentences import WORDS
from lessons.outputs.catalogue import find
from tests.support.present import present

LESSON = find("in_place")


@pytest.mark.parametrize(("reads", "saved"), [("square", {"mul", "exp"}), ("triple", {"exp"})])
def test_the_graph_marks_each_op_that_saved_y_and_the_op_that_changed_it(
    reads: str, saved: set[str]
) -> None:
    values = LESSON.validate({"change": "data", "reads": reads})
    recording = present(LESSON.record(values))
    assert {node.name for node in recording if node.stale} == saved
    drawn = picture(recording, (0,))
    assert "add" in {node["id"] for node in drawn["nodes"]}
    said = " ".join(step["sentence"] for step in drawn["steps"])
    assert WORDS("reads_now", entry="y[0]", before="7.389", now="8.389") in said
    clean = LESSON.record(LESSON.validate({"reads": reads}))
    assert not any(node.stale for node in present(clean))
