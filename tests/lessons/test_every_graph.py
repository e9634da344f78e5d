"""What holds for the graph of every lesson: its steps, its cuts, what the text asks of it."""

import pytest
import torch

from lessons.contract.cuts import read_cuts
from lessons.kit.formulas.drawing import covered, picture
from lessons.outputs.catalogue import lessons
from lessons.recorder.recording.plain_tensor import Value, spelled

LESSONS = pytest.mark.parametrize(
    "lesson", [one for one in lessons() if one.lab.start], ids=lambda lesson: lesson.slug
)


def drawn(lesson, values, cuts=()):
    return picture(lesson.record(values, cuts), lesson.lab.start(values).index)


def by_autograd(lesson, values):
    """The leaf gradients of the very code, run once more with nobody watching."""
    start = lesson.lab.start(values)
    output = start.finish(start.call(lesson.program))
    wanted = {name: leaf for name, leaf in start.leaves.items() if leaf.requires_grad}
    found = torch.autograd.grad(
        output, list(wanted.values()), torch.ones_like(output), allow_unused=True
    )
    return {
        name: spelled(None if one is None else Value.of(one).component(start.index))
        for name, one in zip(wanted, found, strict=True)
    }


def components(lesson):
    """The default settings, and the last component where the learner can choose one."""
    yield lesson.validate({})
    if any(parameter.name == "point" for parameter in lesson.lab.parameters):
        yield lesson.validate({"point": "3"})
    if any(parameter.name == "dtype" for parameter in lesson.lab.parameters):
        yield lesson.validate({"dtype": "float32"})


@LESSONS
def test_the_steps_end_with_the_gradients_that_autograd_gives(lesson):
    for values in components(lesson):
        steps = drawn(lesson, values)["steps"]
        ends = {step["node"]: step["upstream"] for step in steps if step["kind"] == "leaf"}
        expected = {
            name: text for name, text in by_autograd(lesson, values).items() if text != "none"
        }
        assert expected
        assert {name: ends.get(name) for name in expected} == expected


@pytest.mark.parametrize("point", [1, 4])
def test_a_table_with_a_row_for_each_input_shows_the_row_of_the_chosen_one(point):
    (starved,) = (one for one in lessons() if one.slug == "starved")
    graph = drawn(starved, starved.validate({"x": "-2,0.7,4,8", "point": str(point)}))
    nodes = {node["label"]: node for node in graph["nodes"]}
    assert nodes["logits"]["entry"] == f"row {point}, column 1 of 4×2"
    assert nodes["logits"]["value"] == nodes["x"]["value"]
    picked = next(node for node in graph["nodes"] if node["type"] == "getitem")
    assert nodes["p"]["value"] == picked["value"]


@LESSONS
def test_the_code_pane_names_the_cuts(lesson):
    shown = lesson.source_with([("mul", 0), ("add", 1)])
    name = lesson.program.__name__
    assert shown.endswith(f"{name} = cut({name}, [('add', 1), ('mul', 0)])\n")
    assert lesson.source_with([]) == lesson.source


@LESSONS
def test_what_a_step_asks_of_the_graph_is_there(lesson):
    for step in lesson.prose.steps:
        values = lesson.validate(step.lab)
        cuts = read_cuts(step.cuts or "")
        assert set(cuts) <= lesson.edges(values), step.title
        if step.graph_step is not None:
            assert step.graph_step <= len(drawn(lesson, values, cuts)["steps"]), step.title


@LESSONS
def test_a_covered_graph_holds_no_gradient(lesson):
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


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_no_parameter_takes_a_word_of_the_graph(lesson):
    assert not {one.name for one in lesson.lab.parameters} & {"cuts", "at", "snip"}
