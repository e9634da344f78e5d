"""The picture is plain data, drawn from the recording alone, and says what the numbers say."""

import json

import pytest
import torch
from hypothesis import given

from lessons.outputs.catalogue import lessons
from lessons.tracer import record
from lessons.tracer.picture.graph_drawing import CHARACTER, PADDING, covered, picture, whole
from lessons.tracer.picture.layout import Drawing
from lessons.tracer.picture.legend import LEGEND
from lessons.tracer.recording.plain_tensor import Value
from lessons.tricks import (
    clip_gradient,
    flip_gradient,
    gradient_override_map,
    scale_gradient,
    stop_gradient,
    straight_through,
)
from tests.tracer.programs import U, X, inputs, leaf, own_run, programs, run
from tests.tracer.test_layout import check


def lesson_picture(slug, index=(0,), cuts=(), x=X):
    (lesson,) = (one for one in lessons() if one.slug == slug)
    given_inputs = {"x": leaf(*x), "u": torch.tensor(U, dtype=torch.float64)}
    with record(given_inputs, cuts=cuts) as recording:
        z = lesson.program(*given_inputs.values())
    return picture(recording.backward(z), index)


def by_id(items):
    return {one["id"]: one for one in items}


def drawn(drawing):
    """Its sizes, edges, labels and places as test_layout.check takes them."""

    places = Drawing(
        tuple((n["x"], n["y"]) for n in drawing["nodes"]),
        tuple((e["x"], e["y"]) for e in drawing["edges"]),
        tuple(tuple(map(tuple, e["route"])) for e in drawing["edges"]),
        drawing["width"] + 0.1,
        drawing["height"] + 0.1,
    )
    # Places are rounded to a tenth: boxes 0.2 smaller than they are cannot touch by that.
    sizes = [(n["width"] - 0.2, n["height"] - 0.2) for n in drawing["nodes"]]
    labels = [(e["width"] - 0.2, e["height"] - 0.2) for e in drawing["edges"]]
    return sizes, [], labels, places


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_every_lesson_is_drawn_without_overlap(lesson):
    start, own = own_run(lesson)
    with record(start.leaves) as recording:
        z = own(start.leaves)
    drawing = picture(recording.backward(z), start.index)
    check(*drawn(drawing))
    assert len(drawing["nodes"]) <= 25


@given(programs())
@pytest.mark.random
def test_random_programs_are_drawn_as_strict_json(program):
    given_inputs = inputs()
    with record(given_inputs) as recording:
        output = run(program, given_inputs)
    drawing = picture(recording.backward(output), (0,))
    assert json.loads(json.dumps(drawing, allow_nan=False)) == drawing
    names = {node["id"] for node in drawing["nodes"]}
    assert all({edge["from"], edge["to"]} <= names for edge in drawing["edges"])
    if len(names) <= 25:
        check(*drawn(drawing))


def test_nodes_show_name_type_and_the_chosen_component():
    nodes = by_id(lesson_picture("wrong_place", index=(1,))["nodes"])
    assert nodes["pow"]["lines"] == ["y", "pow 2", "1"]
    assert nodes["mul"]["lines"] == ["yu", "mul", "0.94"]
    assert nodes["x"]["lines"] == ["x", "−1"]
    assert nodes["mul"]["full"] == "[4.16, 0.94, 1.08] (3, float64)"
    assert nodes["sqrt"]["output"]
    assert not nodes["mul"]["output"]
    assert nodes["stop_gradient"]["kind"] == "stopped"
    for node in nodes.values():
        assert all(
            len(line) * CHARACTER + 2 * PADDING <= node["width"] + 0.1 for line in node["lines"]
        )


def test_edges_carry_gradient_sign_weight_and_state():
    edges = by_id(lesson_picture("noise_leaks")["edges"])
    assert edges["pow:0"]["gradient"] == "−1.02"
    assert edges["pow:0"]["sign"] == "negative"
    assert edges["pow:0"]["weight"] == 1.0
    assert edges["sqrt:0"]["weight"] == pytest.approx((0.245145 / 1.019804) ** 0.5, abs=1e-3)
    assert edges["mul:1"]["state"] == "none"
    assert edges["mul:1"]["gradient"] == ""
    assert not edges["mul:1"]["cuttable"]
    assert edges["mul:0"]["cuttable"]


def test_a_cut_edge_says_what_it_holds_back():
    drawing = lesson_picture("noise_leaks", cuts={("sqrt", 0)})
    edge = by_id(drawing["edges"])["sqrt:0"]
    assert (edge["state"], edge["gradient"], edge["offered"]) == ("cut", "none", "0.2451")
    assert "cut, 0.2451 stays here" in drawing["alternative"]
    assert "cut" in [one["key"] for one in drawing["legend"]]
    assert edge["cuttable"]


def test_the_legend_names_what_is_there_and_nothing_else():
    def tricks(x):
        y = flip_gradient(x) + scale_gradient(x, 2.0) + clip_gradient(x, -0.1, 0.1)
        return y + straight_through(torch.round)(x) + stop_gradient(x * 2) + torch.relu(x)

    x = leaf(1.0)
    with record({"x": x}) as recording, gradient_override_map({"relu": lambda op, g: g}):
        z = tricks(x)
    keys = [one["key"] for one in picture(recording.backward(z))["legend"]]
    assert keys == [
        *("positive", "negative", "stopped", "overridden", "reversed", "scaled", "clipped"),
        *("surrogate", "none"),
    ]
    assert set(keys) <= set(LEGEND)
    plain = [one["key"] for one in lesson_picture("noise_leaks")["legend"]]
    assert plain == ["positive", "negative", "none"]


def test_nothing_moves_while_values_change():
    first, second = (
        lesson_picture("wrong_place"),
        lesson_picture("wrong_place", x=[1e-7, 3.0, -1e9]),
    )
    places = ("id", "x", "y", "width", "height")
    for kind in ("nodes", "edges"):
        assert [[one[key] for key in places] for one in first[kind]] == [
            [one[key] for key in places] for one in second[kind]
        ]
    assert first["nodes"][0]["value"] != second["nodes"][0]["value"]


def test_nan_is_said_and_not_hidden():
    drawing = lesson_picture("noise_leaks", x=[0.0, 1.0, 2.0])
    edge = by_id(drawing["edges"])["pow:0"]
    assert (edge["gradient"], edge["sign"], edge["weight"]) == ("NaN", "nan", 0)
    assert "nan" in [one["key"] for one in drawing["legend"]]
    assert any("The NaN arises here" in step["sentence"] for step in drawing["steps"])


def test_what_does_not_lead_to_the_output_is_not_drawn():
    x = leaf(1.0)
    with record({"x": x}) as recording:
        y = x * 2
        y.exp()
    assert [n["id"] for n in picture(recording.backward(y))["nodes"]] == ["x", "mul"]


def test_before_a_backward_pass_all_ops_are_drawn():
    x = leaf(1.0)
    with record({"x": x}) as recording:
        (x * 2).exp()
    drawing = picture(recording)
    assert [n["id"] for n in drawing["nodes"]] == ["x", "mul", "exp"]
    assert drawing["steps"] == []


def test_the_text_alternative_has_every_node_and_edge_with_its_number():
    drawing = lesson_picture("right_place", index=(2,))
    lines = drawing["alternative"].splitlines()
    assert lines[0] == "A graph of 9 nodes and 10 edges. The numbers are of entry 3 of 3."
    assert len(lines) == 1 + 9 + 10
    assert "clean: sqrt of y, value 1." in lines
    assert "Gradient from clean back to y: 0.5." in lines
    assert "Gradient from stop_gradient back to sub: none, stopped." in lines


def test_steps_are_text():
    steps = lesson_picture("noise_leaks")["steps"]
    assert steps[1]["parts"][0]["local"] == "0.245145"
    assert steps[1]["parts"][0]["latex"].endswith("= 0.2451")
    last = steps[-1]
    assert (last["kind"], last["node"], last["upstream"]) == ("leaf", "x", "−1.0198")
    ends = "The way back ends at the leaf x, with the gradient −1.0198 (entry 1 of 3)."
    assert last["sentence"] == ends
    assert (last["parts"], last["arrived"], last["waiting"]) == ([], [], [])


def two_factors(x, w, index=(0,)):
    """The picture of x · w."""
    with record({"x": x, "w": w}) as recording:
        z = x * w
    return picture(recording.backward(z), index)


def test_it_says_which_entry_is_shown_and_which_gradients_are_sums():
    drawing = two_factors(leaf(-2.0, 0.5, 2.0), leaf(3.0).squeeze(), (2,))
    assert drawing["entries"] == "The numbers are of entry 3 of 3."
    assert drawing["sums"] == (
        "A gradient into a tensor with one number is summed over the entries that read it."
    )
    gradients = {edge["from"]: edge["gradient"] for edge in drawing["edges"]}
    assert gradients == {"x": "3", "w": "0.5"}, "−2 + 0.5 + 2: the sum, beside x's third entry"
    assert {n["id"]: n["entry"] for n in drawing["nodes"]} == {
        "x": "entry 3 of 3",
        "w": "",
        "mul": "entry 3 of 3",
    }
    assert drawing["sums"] in drawing["alternative"]
    assert covered(drawing)["sums"] == ""
    assert "summed" not in covered(drawing)["alternative"]
    assert drawing["entries"] in covered(drawing)["alternative"]


def test_of_single_numbers_it_says_neither():
    drawing = two_factors(leaf(2.0).squeeze(), leaf(3.0).squeeze())
    assert drawing["entries"] == drawing["sums"] == ""
    assert {node["entry"] for node in drawing["nodes"]} == {""}


def test_several_shapes_are_told_apart():
    matrix = torch.arange(6.0).reshape(2, 3).requires_grad_()
    drawing = two_factors(matrix, leaf(1.0, 2.0, 3.0), (1, 2))
    assert drawing["entries"] == "The numbers are of row 2, column 3 of 2×3; entry 3 of 3."
    assert drawing["sums"].startswith("A gradient into a tensor with fewer numbers")


def test_large_tensors_are_shown_in_part():
    assert whole(Value((100,), "float32", [1.0] * 100)).endswith("… 68 more] (100, float32)")
    assert whole(Value((), "bool", [True])) == "1 (scalar, bool)"


def test_a_number_of_the_program_without_a_fraction_is_written_out():
    x = leaf(2.0)
    with record({"x": x}) as recording:
        x / 32768 * 268435456.0 + 1 / 3
    lines = [node["lines"] for node in picture(recording)["nodes"]]
    assert "div 32768" in str(lines)
    assert "mul 268435456" in str(lines)
    assert "add 0.3333" in str(lines)
