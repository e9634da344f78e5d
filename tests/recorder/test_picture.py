"""The picture is plain data, drawn from the recording alone, and says what the numbers say."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import pytest
import torch
from hypothesis import example, given

from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.recorder import named, record
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.recorder.picture.places import NAME, PADDING, PILL, SMALL
from lessons.gradient_tricks.recorder.picture.sentences import WORDS
from lessons.gradient_tricks.recorder.recording.plain_tensor import Value, whole
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.formulas.drawing import covered, picture
from lessons.outputs.catalogue import find, lessons
from tests.recorder.programs import (
    Instruction,
    Program,
    U,
    X,
    inputs,
    leaf,
    own_run,
    programs,
    recorded,
    run,
)
from tests.recorder.test_layout import boxes, check


def drawn(
    program: Program,
    index: tuple[int, ...] = (0,),
    cuts: Collection[Cut] = (),
    **leaves: torch.Tensor,
) -> dict[str, Any]:
    """The picture of a program, by its result's backward pass."""
    return picture(recorded(program, cuts, **leaves), index)


def lesson_picture(
    slug: str,
    index: tuple[int, ...] = (0,),
    cuts: Collection[Cut] = (),
    x: Sequence[float] = X,
) -> dict[str, Any]:
    u = torch.tensor(U, dtype=torch.float64)
    return drawn(find(slug).program, index, cuts, x=leaf(*x), u=u)


def by_id(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in items}


def check_drawings(picture: dict[str, Any]) -> None:
    """Nothing lies on anything, and each edge runs from its box to its box, through none."""
    for place in filter(None, (picture["wide"], picture["narrow"])):
        nodes = dict(zip([node["id"] for node in picture["nodes"]], place["nodes"], strict=True))
        centres = [(box["x"], box["y"]) for box in place["nodes"]]
        pills = [(edge["x"], edge["y"]) for edge in place["edges"]]
        # Half of a value's pill hangs below its box. Places are rounded to a tenth: boxes 0.2
        # smaller than they are cannot touch by that.
        more = PILL[1] * place["right"] - 0.2
        check(
            boxes(centres, [(box["width"] - 0.2, box["height"] + more) for box in place["nodes"]]),
            boxes(pills, [(PILL[0] - 0.2, PILL[1] - 0.2)] * len(pills)),
            [],
            (place["width"] + 0.1, place["height"] + 0.1),
        )
        routes = [edge["route"] for edge in place["edges"]]
        inside = boxes(centres, [(box["width"] - 2, box["height"] - 2) for box in place["nodes"]])
        check(inside, [], routes, (place["width"], place["height"]))
        for edge, route in zip(picture["edges"], routes, strict=True):
            for name, (x, y) in ((edge["from"], route[0]), (edge["to"], route[-1])):
                box = nodes[name]
                off = abs(x - box["x"]) - box["width"] / 2, abs(y - box["y"]) - box["height"] / 2
                assert max(off) == pytest.approx(0, abs=0.2), (edge["id"], place["right"])
            along = [(x, y)[not place["right"]] for x, y in route]
            assert along == sorted(along), "it never turns back"


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_every_lesson_is_drawn_without_overlap(lesson: Lesson) -> None:
    start, own = own_run(lesson)
    drawing = drawn(lambda *_: own(start.leaves), start.index, **start.leaves)
    check_drawings(drawing)
    assert len(drawing["nodes"]) <= 25


@given(programs())
@example(
    [
        *(Instruction("double_use", 0, 0), Instruction("clip", 0, 0)),
        *(Instruction("integers", 0, 0), Instruction("integers", 1, 0)),
    ]
)
@example(
    [
        *(Instruction("add", 0, 0), Instruction("add", 0, 1), Instruction("add", 0, 0)),
        *(Instruction("no_grad", 5, 0), Instruction("add", 0, 2), Instruction("no_grad", 1, 1)),
    ]
)
@example(
    [
        *(Instruction("view_in_place", 0, 0), Instruction("add", 0, 0)),
        *(Instruction("add", 0, 0), Instruction("view_in_place", 3, 3)),
    ]
)
@example(
    [
        *(Instruction("add", 0, 0), Instruction("round", 0, 0), Instruction("round", 1, 0)),
        *(Instruction("integers", 1, 0), Instruction("own_unused", 3, 4)),
    ]
)
@pytest.mark.random
def test_random_programs_are_drawn_as_strict_json(program: list[Instruction]) -> None:
    given_inputs = inputs()
    drawing = drawn(lambda *_: run(program, given_inputs), (0,), **given_inputs)
    assert json.loads(json.dumps(drawing, allow_nan=False)) == drawing
    names = {node["id"] for node in drawing["nodes"]}
    assert all({edge["from"], edge["to"]} <= names for edge in drawing["edges"])
    if len(names) <= 25:
        check_drawings(drawing)


def test_nodes_show_name_type_and_the_chosen_component() -> None:
    drawing = lesson_picture("wrong_place", index=(1,))
    nodes = by_id(drawing["nodes"])
    assert nodes["pow"]["lines"] == ["y", "pow 2", "1"]
    assert nodes["mul"]["lines"] == ["yu", "mul", "0.94"]
    assert nodes["x"]["lines"] == ["x", "−1"]
    assert nodes["mul"]["full"] == "[4.16, 0.94, 1.08] (3, float64)"
    assert nodes["sqrt"]["output"]
    assert not nodes["mul"]["output"]
    assert nodes["stop_gradient"]["kind"] == "stopped"
    for node, box in zip(drawing["nodes"], drawing["narrow"]["nodes"], strict=True):
        name, *others, _ = node["lines"]
        room = box["width"] - PILL[0] - 2 * PADDING + 0.1
        assert max(len(name) * NAME, *(len(line) * SMALL for line in others), 0) <= room


def test_edges_carry_gradient_sign_weight_and_state() -> None:
    edges = by_id(lesson_picture("noise_leaks")["edges"])
    assert edges["pow:0"]["gradient"] == "−1.02"
    assert edges["pow:0"]["sign"] == "negative"
    assert edges["pow:0"]["weight"] == 1.0
    assert edges["sqrt:0"]["weight"] == pytest.approx((0.245145 / 1.019804) ** 0.5, abs=1e-3)
    assert edges["mul:1"]["state"] == "none"
    assert edges["mul:1"]["gradient"] == ""
    assert not edges["mul:1"]["cuttable"]
    assert edges["mul:0"]["cuttable"]


def test_a_cut_edge_says_what_it_holds_back() -> None:
    drawing = lesson_picture("noise_leaks", cuts={("sqrt", 0)})
    edge = by_id(drawing["edges"])["sqrt:0"]
    assert (edge["state"], edge["gradient"], edge["offered"]) == ("cut", "none", "0.2451")
    said = WORDS("cut_edge", consumer="sqrt", producer="yu", offered="0.2451")
    assert said in drawing["alternative"].splitlines()
    assert edge["cuttable"]


def written(drawing: dict[str, Any]) -> str:
    """The equation, what is struck out in brackets."""
    return "".join(f"[{text}]" if cut else text for text, cut in drawing["equation"])


@pytest.mark.parametrize(
    ("cuts", "first", "said"),
    [
        ([], lambda x: x, "dy/dx = 32 + 16 = 48"),
        ([("pow", 0)], lambda x: x, "dy/dx = [32] + 16 = 16"),
        ([("pow", 0), ("mul", 1)], lambda x: x, "dy/dx = [32] + [16] = none"),
        ([], stop_gradient, "dy/dx = 16"),
        ([("mul", 1)], stop_gradient, "dy/dx = [16] = none"),
    ],
)
def test_the_equation_is_the_sum_of_what_the_edges_bring(
    cuts: list[Cut], first: Program, said: str
) -> None:
    drawing = drawn(lambda x: named(first(x) ** 2 * x, "y"), cuts=cuts, x=leaf(4.0))
    assert written(drawing) == said
    assert written(covered(drawing)) == "dy/dx = ?"


def test_of_several_inputs_the_equation_is_for_the_one_with_several_paths() -> None:
    assert drawn(torch.mul, x=leaf(2.0), w=leaf(3.0))["equation"] == []
    both = drawn(lambda x, w: named(x * w + x, "y"), x=leaf(-2.0), w=leaf(3.0))
    assert written(both) == "dy/dx = 3 + 1 = 4"
    assert drawn(lambda x: x + x + x + x + x, x=leaf(-2.0))["equation"] == []


def test_nothing_moves_while_values_change() -> None:
    first, second = (
        lesson_picture("wrong_place"),
        lesson_picture("wrong_place", x=[1e-7, 3.0, -1e9]),
    )
    assert first["wide"] == second["wide"]
    assert first["narrow"] == second["narrow"]
    assert first["nodes"][0]["value"] != second["nodes"][0]["value"]


def test_nan_is_said_and_not_hidden() -> None:
    drawing = lesson_picture("noise_leaks", x=[0.0, 1.0, 2.0])
    edge = by_id(drawing["edges"])["pow:0"]
    assert (edge["gradient"], edge["sign"], edge["weight"]) == ("NaN", "nan", 0)
    assert any(WORDS("nan") in step["sentence"] for step in drawing["steps"])


def test_ops_that_do_not_lead_to_the_output_are_not_drawn() -> None:
    drawing = drawn(lambda x: [x * 2, x.exp()][0], x=leaf(1.0))
    assert [n["id"] for n in drawing["nodes"]] == ["x", "mul"]


def test_the_text_alternative_has_every_node_and_edge_with_its_number() -> None:
    drawing = lesson_picture("right_place", index=(2,))
    lines = drawing["alternative"].splitlines()
    assert lines[0] == f"{WORDS('graph', nodes=9, edges=10)} Showing the third input, x = 1."
    assert len(lines) == 1 + 9 + 10
    assert WORDS("made_of", name="clean", op="sqrt", operands="y", value="1") in lines
    assert WORDS("edge", consumer="clean", producer="y", gradient="0.5") in lines
    stopped = WORDS("edge", consumer="stop_gradient", producer="sub", gradient="none (stopped)")
    assert stopped in lines


def test_the_drawing_says_which_entry_it_shows_and_which_gradients_are_sums() -> None:
    drawing = drawn(torch.mul, (2,), x=leaf(-2.0, 0.5, 2.0), w=leaf(3.0).squeeze())
    entry, sums = "Showing entry 3 of 3.", "The gradient of w is summed over 3 entries."
    assert drawing["entries"] == f"{entry}\n{sums}"
    assert drawing["alternative"].endswith(sums)
    gradients = {edge["from"]: edge["gradient"] for edge in drawing["edges"]}
    assert gradients == {"x": "3", "w": "0.5"}, "−2 + 0.5 + 2: the sum, beside x's third entry"
    assert {n["id"]: n["entry"] for n in drawing["nodes"]} == {
        "x": "entry 3 of 3",
        "w": "",
        "mul": "entry 3 of 3",
    }
    assert "summed" not in covered(drawing)["alternative"]
    assert covered(drawing)["entries"] == entry


def test_a_drawing_of_single_numbers_names_no_entry_and_no_sum() -> None:
    drawing = drawn(torch.mul, x=leaf(2.0).squeeze(), w=leaf(3.0).squeeze())
    assert drawing["entries"] == ""
    assert "summed" not in drawing["alternative"]
    assert {node["entry"] for node in drawing["nodes"]} == {""}


def test_several_shapes_are_told_apart() -> None:
    matrix = torch.arange(6.0).reshape(2, 3).requires_grad_()
    drawing = drawn(torch.mul, (1, 2), x=matrix, w=leaf(1.0, 2.0, 3.0))
    assert drawing["entries"].startswith("Showing one entry of each tensor.")
    assert "The gradient of w is summed over 2 entries." in drawing["alternative"]


def test_large_tensors_are_shown_in_part() -> None:
    assert whole(Value((32,), "float32", [1.0] * 32)).count("1,") == 31
    assert whole(Value((33,), "float32", [1.0] * 33)).endswith("… 21 more] (33, float32)")
    assert whole(Value((), "bool", [True])) == "1 (scalar, bool)"


def test_a_number_of_the_program_without_a_fraction_is_written_out() -> None:
    x = leaf(2.0)
    with record({"x": x}) as recording:
        x / 32768 * 268435456.0 + 1 / 3
    nodes = picture(recording)["nodes"]
    assert " ".join(node["id"] for node in nodes) == "x div mul add"  # before a backward pass
    lines = [node["lines"] for node in nodes]
    assert "div 32768" in str(lines)
    assert "mul 268435456" in str(lines)
    assert "add 0.3333" in str(lines)
