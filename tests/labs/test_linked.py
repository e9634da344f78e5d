"""The graph links each op to the code that ran, and each leaf to the gradient in the charts."""

import ast
import textwrap
from functools import cache

import numpy as np

from lessons.outputs.catalogue import find, lessons
from lessons.outputs.computed import computed
from lessons.playground.document.gestures import form_of
from lessons.playground.document.presets import Preset, presets
from pages.labs import playground
from pages.labs.lesson import frame
from pages.labs.messages import Frame, Wish
from tests.support.folded import folded
from tests.support.present import present

DRAWN = [lesson.slug for lesson in lessons() if lesson.lab.start]
# The graph shows two samples of the batch; charts and table cover all.
OTHER_NUMBERS = {"one_outlier"}
# The graph has inputs that are not the lab's, or fewer.
OTHER_LEAVES = {"starved", "collapse", "codebook"}


@cache
def answered(slug: str) -> Frame:
    """The lesson's frame at its end, nothing covered."""
    steps = find(slug).prose.steps
    asked = [step.question.name for step in steps if step.question]
    return frame(Wish(lab=slug, step=len(steps), answers=asked, open=["graph"]))


@folded("slug", DRAWN)
def test_each_op_is_linked_to_the_expression_that_ran(slug: str) -> None:
    lesson = find(slug)
    nodes = present(computed(lesson, lesson.validate({})).recording).nodes
    lines = lesson.source.splitlines()
    stretches = present(answered(slug)["graph"])["stretches"]
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
def test_the_leaves_are_the_inputs_whose_gradients_the_charts_show(slug: str) -> None:
    lesson, graph = find(slug), present(answered(slug)["graph"])
    run = computed(lesson, lesson.validate({}))
    gradients = present(run.recording).gradients
    numbers = [n for leaf in graph["leaves"] for n in present(gradients[leaf]).numbers]
    assert (not numbers) == (slug in OTHER_LEAVES)
    if numbers and slug not in OTHER_NUMBERS:
        np.testing.assert_allclose(numbers, run.result["trick_gradient"].y, 1e-5, 1e-6)
    assert {*graph["leaves"]} <= {node["id"] for node in graph["nodes"]}


@folded("preset", presets(), ids=lambda one: one.name)
def test_a_program_of_the_playground_is_linked(preset: Preset) -> None:
    form = form_of(preset.document)
    shown = playground.frame(Wish(lab="playground", values=form, open=["graph", "code"]))
    graph = present(shown["graph"])
    lines = [
        "".join(text for _, text in line)
        for line in present(shown["code"])["panes"]["torch"]["lines"]
    ]
    typed = form["program"].split("\n")
    ops = {box["id"] for box in graph["nodes"] if box["kind"] not in ("input", "constant")}
    assert ops <= {one["node"] for one in graph["stretches"]}
    for one in graph["stretches"]:
        ast.parse(lines[one["line"]][one["start"] : one["end"]], mode="eval")
        assert lines[one["line"]] == typed[one["typed"]]
    (leaf,) = graph["leaves"]
    assert leaf in {box["id"] for box in graph["nodes"] if box["kind"] == "input"}


def test_a_covered_gradient_is_linked_to_nothing() -> None:
    graph = present(frame(Wish(lab="right_place", step=1))["graph"])
    assert graph["covered"]
    assert graph["leaves"] == []
