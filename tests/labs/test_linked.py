"""What is linked is the same: the code of each op, and its numbers in the table and the text."""

import ast
import inspect
import textwrap

import pytest

from lessons.chapters.clipping.value_or_norm import lab
from lessons.outputs.catalogue import find, lessons
from lessons.playground import presets
from pages.labs import playground
from pages.labs.lesson import computed, frame
from pages.labs.messages import Wish
from pages.labs.playground_form import form_of

DRAWN = [lesson for lesson in lessons() if lesson.lab.start]


def answered(lesson):
    """The lesson's frame at its end, nothing covered."""
    steps = lesson.prose.steps
    asked = [step.question.name for step in steps if step.question]
    return frame(Wish(lab=lesson.slug, step=len(steps), answers=asked))


def test_a_frame_computes_no_fact_that_its_step_does_not_quote(monkeypatch):
    monkeypatch.setattr(lab, "_many", pytest.fail)
    assert frame(Wish(lab="value_or_norm", values={"g1": "2.123"}))["graph"]["links"]


@pytest.mark.parametrize("lesson", DRAWN, ids=lambda lesson: lesson.slug)
def test_each_op_is_linked_to_the_expression_that_ran(lesson):
    graph = answered(lesson)["graph"]
    nodes = computed(lesson, lesson.validate({})).recording().nodes
    lines = lesson.source.splitlines()
    file = inspect.getsourcefile(inspect.unwrap(lesson.program))
    for stretch in graph["stretches"]:
        own = lines[stretch["line"] : stretch["last"] + 1]
        own[-1] = own[-1][: stretch["end"]]
        own[0] = own[0][stretch["start"] :]
        ast.parse(textwrap.dedent("\n".join(own)).strip(), mode="eval")
        node = nodes[stretch["node"]]
        inside = node.place and node.place[0] == file
        assert not inside or node.variable is None or node.variable in lines[stretch["line"]]
    # An op of the program itself has no other place.
    linked = {stretch["node"] for stretch in graph["stretches"]}
    first = inspect.getsourcelines(lesson.program)[1]
    for name, node in nodes.items():
        if node.place and node.place[0] == file:
            inside = first <= node.place[1][0] < first + len(lines)
            called = node.caller and node.caller[0] == file
            assert inside == (name in linked) or (called and name in linked), name


def test_an_op_of_a_function_that_the_program_calls_is_linked_to_the_call():
    lesson = find("guided_relu")
    lines = lesson.source.splitlines()
    found = {
        one["node"]: lines[one["line"]][one["start"] : one["end"]]
        for one in answered(lesson)["graph"]["stretches"]
    }
    assert found["relu"] == found["sum"] == "network(x)"


@pytest.mark.parametrize("lesson", DRAWN, ids=lambda lesson: lesson.slug)
def test_each_number_is_linked_to_itself(lesson):
    shown = answered(lesson)
    run = computed(lesson, lesson.validate({}))
    for link in shown["graph"]["links"]:
        box = next(box for box in shown["graph"]["nodes"] if box["id"] == link["node"])
        text = box["value"] if link["of"] == "value" else box["upstream"]
        if link["cell"]:
            row, column = link["cell"]
            cell = shown["table"]["rows"][row][column]
            assert written(cell) == pytest.approx(written(text), rel=1e-3)
            assert shown["table"]["columns"][column]["role"] == link["role"]
        if link["fact"]:
            fact = run.result.facts[link["fact"]]
            assert fact == pytest.approx(written(text), rel=1e-5)


def written(text):
    """The number that a page shows as this text."""
    return float(text.replace("−", "-").replace("∞", "inf"))


# The graph is of two of the batch's samples, and every other number is of all.
OTHER_NUMBERS = {"one_outlier"}


@pytest.mark.parametrize("lesson", DRAWN, ids=lambda lesson: lesson.slug)
def test_the_gradient_of_the_graph_is_found_in_the_charts(lesson):
    links = answered(lesson)["graph"]["links"]
    roles = {link["role"] for link in links if link["of"] == "gradient"}
    assert ("trick_gradient" in roles) == (lesson.slug not in OTHER_NUMBERS)


def test_all_but_a_few_lessons_link_the_gradient_to_their_table():
    found = {
        one.slug
        for one in DRAWN
        for link in answered(one)["graph"]["links"]
        if link["cell"] and link["role"] == "trick_gradient"
    }
    # The table of type_not_name is one of names and types.
    assert {one.slug for one in DRAWN} - found == OTHER_NUMBERS | {"type_not_name"}


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        # Node, whether value or gradient, and what the table says of it.
        ("moons", {("features", "value", "0.2361"), ("features", "gradient", "0.1005")}),
        ("value_or_norm", {("clip_gradient", "value", "3"), ("w", "gradient", "1.5")}),
        ("noise_layer", {("add_1", "value", "0.162"), ("x", "gradient", "0.9742")}),
        ("guided_relu", {("relu", "value", "0.5"), ("relu", "gradient", "−1.5")}),
        ("where_to_clip", {("w", "gradient", "16"), ("v", "gradient", "8")}),
        ("two_players", {("w1", "gradient", "0.37007"), ("w2", "gradient", "−0.20133")}),
        ("codebook", {("z", "gradient", "−0.58"), ("weight", "gradient", "−0.092")}),
        ("collapse", {("one", "gradient", "0.03467")}),
        ("value_one", {("advantages", "value", "1")}),
    ],
)
def test_numbers_are_found_by_all_that_they_stand_among(slug, expected):
    shown = answered(find(slug))
    rows = shown["table"]["rows"]
    found = {
        (link["node"], link["of"], rows[link["cell"][0]][link["cell"][1]])
        for link in shown["graph"]["links"]
        if link["cell"]
    }
    assert expected <= found


def test_one_equal_component_does_not_make_a_tensor_the_same():
    # At x = 0 the layer's output and its tanh are both 0: only the output is the lab's value.
    shown = frame(Wish(lab="noise_layer", step=9, values={"point": "9"}, answers=["where"]))
    box = {one["id"]: one["value"] for one in shown["graph"]["nodes"]}
    links = [one for one in shown["graph"]["links"] if one["role"] == "forward"]
    assert box["tanh"] == "0"
    assert links
    assert "tanh" not in {one["node"] for one in links}


@pytest.mark.parametrize("preset", presets(), ids=lambda one: one.name)
def test_a_program_of_the_playground_is_linked(preset):
    shown = playground.frame(Wish(lab="playground", values=form_of(preset.document)))
    graph, rows = shown["graph"], shown["table"]["rows"]
    boxes = {box["id"]: box for box in graph["nodes"]}
    lines = ["".join(text for _, text in line) for line in shown["code"]["panes"]["torch"]["lines"]]
    typed = preset.document.program.split("\n")
    found = {one["node"]: one for one in graph["stretches"]}
    ops = {name for name, box in boxes.items() if box["kind"] not in ("input", "constant")}
    assert ops <= set(found)
    for one in found.values():
        ast.parse(lines[one["line"]][one["start"] : one["end"]], mode="eval")
        given = typed[one["typed"]].split("=")[0].strip()
        assert lines[one["line"]].strip().startswith(given.split(",")[0].strip())
    for link in graph["links"]:
        box = boxes[link["node"]]
        text = box["value"] if link["of"] == "value" else box["upstream"]
        if link["cell"]:
            row, column = link["cell"]
            said = [written(one) for one in rows[row][column].replace("; ", ", ").split(", ")]
            assert written(text) in said
    assert {link["role"] for link in graph["links"]} & {"forward", "trick_gradient"}


def test_a_covered_gradient_is_linked_to_nothing():
    graph = frame(Wish(lab="right_place", step=1))["graph"]
    assert graph["covered"]
    assert {link["of"] for link in graph["links"]} == {"value"}
