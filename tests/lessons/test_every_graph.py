"""What holds for the graph of every lesson: its steps, its cuts, what the text asks of it."""

from collections.abc import Collection
from typing import Any

import pytest

from lessons.contract.lesson import Lesson
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.kit.formulas.drawing import covered, picture
from lessons.outputs.catalogue import lessons
from lessons.outputs.plain_torch import source_with
from tests.support.present import present

LESSONS = pytest.mark.parametrize(
    "lesson", [one for one in lessons() if one.lab.start], ids=lambda lesson: lesson.slug
)


def drawn(lesson: Lesson, values: Settings, cuts: Collection[Cut] = ()) -> dict[str, Any]:
    return picture(present(lesson.record(values, cuts)), present(lesson.lab.start)(values).index)


@pytest.mark.parametrize("point", [1, 4])
def test_a_table_with_a_row_for_each_input_shows_the_row_of_the_chosen_one(point: int) -> None:
    (starved,) = (one for one in lessons() if one.slug == "starved")
    graph = drawn(starved, starved.validate({"x": "-2,0.7,4,8", "point": str(point)}))
    nodes = {node["label"]: node for node in graph["nodes"]}
    assert nodes["logits"]["entry"] == f"row {point}, column 1 of 4×2"
    assert nodes["logits"]["value"] == nodes["x"]["value"]
    picked = next(node for node in graph["nodes"] if node["type"] == "getitem")
    assert nodes["p"]["value"] == picked["value"]


@LESSONS
def test_the_code_pane_names_the_cuts(lesson: Lesson) -> None:
    shown = source_with(lesson, [("mul", 0), ("add", 1)])
    name = lesson.program.__name__
    assert shown.endswith(f"{name} = cut({name}, [('add', 1), ('mul', 0)])\n")
    assert source_with(lesson, []) == lesson.source


@LESSONS
def test_a_covered_graph_holds_no_gradient(lesson: Lesson) -> None:
    values = lesson.validate({})
    whole = drawn(lesson, values)
    hidden = covered(whole)
    assert [one["value"] for one in hidden["nodes"]] == [one["value"] for one in whole["nodes"]]
    assert not hidden["steps"]
    spoken = {edge["alternative"] for edge in whole["edges"]}
    assert spoken <= {*whole["alternative"].split("\n")}
    assert not spoken & {*hidden["alternative"].split("\n")}
    covered_fields = ("gradient", "offered", "weight", "alternative")
    assert not any(edge[name] for edge in hidden["edges"] for name in covered_fields)
    assert {edge["full"] for edge in hidden["edges"]} == {"none"}
    assert {node["upstream_full"] for node in hidden["nodes"]} == {"none"}
