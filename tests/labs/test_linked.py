"""What is linked is the same: the code of each op, and its numbers in the table and the text."""

import ast
import textwrap
from functools import cache

import pytest

from lessons.chapters.clipping.value_or_norm import lesson as value_or_norm
from lessons.contract.computed import computed
from lessons.outputs.catalogue import find, lessons
from lessons.playground.document.presets import presets
from pages.labs import playground
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from pages.labs.playground_form import form_of
from tests.support.folded import folded

DRAWN = [lesson.slug for lesson in lessons() if lesson.lab.start]
# The graph is of two of the batch's samples, and every other number is of all.
OTHER_NUMBERS = {"one_outlier"}


@cache
def answered(slug):
    """The lesson's frame at its end, nothing covered."""
    steps = find(slug).prose.steps
    asked = [step.question.name for step in steps if step.question]
    return frame(Wish(lab=slug, step=len(steps), answers=asked, open=["graph", "table"]))


def written(text):
    """The number that a page shows as this text."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def said(graph, link):
    """The number of a link as its node says it."""
    box = next(box for box in graph["nodes"] if box["id"] == link["node"])
    return written(box["value"] if link["of"] == "value" else box["upstream"])


def test_a_frame_computes_no_fact_that_its_step_does_not_quote(monkeypatch):
    monkeypatch.setattr(value_or_norm, "_many", pytest.fail)
    assert frame(Wish(lab="value_or_norm", values={"g1": "2.123"}, open=["graph"]))["graph"][
        "links"
    ]


@folded("slug", DRAWN)
def test_each_op_is_linked_to_the_expression_that_ran(slug):
    lesson = find(slug)
    nodes = computed(lesson, lesson.validate({})).recording.nodes
    lines = lesson.source.splitlines()
    stretches = answered(slug)["graph"]["stretches"]
    assert stretches
    for stretch in stretches:
        own = lines[stretch["line"] : stretch["last"] + 1]
        own[-1] = own[-1][: stretch["end"]]
        own[0] = own[0][stretch["start"] :]
        ast.parse(textwrap.dedent("\n".join(own)).strip(), mode="eval")
        node = nodes[stretch["node"]]
        called = node.place != node.caller and node.caller is not None
        assert called or node.variable is None or node.variable in lines[stretch["line"]]


@folded("slug", DRAWN)
def test_each_number_is_linked_to_itself(slug):
    shown, lesson = answered(slug), find(slug)
    facts = computed(lesson, lesson.validate({})).result.facts
    for link in shown["graph"]["links"]:
        if link["cell"]:
            row, column = link["cell"]
            cell = written(shown["table"]["rows"][row][column])
            assert cell == pytest.approx(said(shown["graph"], link), rel=1e-3)
            assert shown["table"]["columns"][column]["role"] == link["role"]
        if link["fact"]:
            assert facts[link["fact"]] == pytest.approx(said(shown["graph"], link), rel=1e-5)


def test_all_but_a_few_lessons_link_the_gradient_to_charts_and_table():
    gradients = [
        (slug, link["cell"])
        for slug in DRAWN
        for link in answered(slug)["graph"]["links"]
        if link["role"] == "trick_gradient" and link["of"] == "gradient"
    ]
    assert {*DRAWN} - {slug for slug, _ in gradients} == OTHER_NUMBERS
    # The table of type_not_name is one of names and types.
    in_table = {slug for slug, cell in gradients if cell}
    assert {*DRAWN} - in_table == OTHER_NUMBERS | {"type_not_name"}


def test_one_equal_component_does_not_make_a_tensor_the_same():
    # At x = 0 the layer's output and its tanh are both 0: only the output is the lab's value.
    asked = {"step": 9, "values": {"point": "9"}, "answers": ["where"], "open": ["graph"]}
    shown = frame(Wish(lab="noise_layer", **asked))
    box = {one["id"]: one["value"] for one in shown["graph"]["nodes"]}
    linked = {one["node"] for one in shown["graph"]["links"] if one["role"] == "forward"}
    assert box["tanh"] == "0"
    assert linked
    assert "tanh" not in linked


@folded("preset", presets(), ids=lambda one: one.name)
def test_a_program_of_the_playground_is_linked(preset):
    asked = {"values": form_of(preset.document), "open": ["graph", "table", "code"]}
    shown = playground.frame(Wish(lab="playground", **asked))
    graph = shown["graph"]
    lines = ["".join(text for _, text in line) for line in shown["code"]["panes"]["torch"]["lines"]]
    typed = preset.document.program.split("\n")
    ops = {box["id"] for box in graph["nodes"] if box["kind"] not in ("input", "constant")}
    assert ops <= {one["node"] for one in graph["stretches"]}
    for one in graph["stretches"]:
        ast.parse(lines[one["line"]][one["start"] : one["end"]], mode="eval")
        given = typed[one["typed"]].split("=")[0].strip()
        assert lines[one["line"]].strip().startswith(given.split(",")[0].strip())
    for link in (link for link in graph["links"] if link["cell"]):
        row, column = link["cell"]
        cells = shown["table"]["rows"][row][column].replace("; ", ", ").split(", ")
        assert said(graph, link) in map(written, cells)
    assert {link["role"] for link in graph["links"]} & {"forward", "trick_gradient"}


def test_a_covered_gradient_is_linked_to_nothing():
    graph = frame(Wish(lab="right_place", step=1))["graph"]
    assert graph["covered"]
    assert {link["of"] for link in graph["links"]} == {"value"}
