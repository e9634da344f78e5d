"""What is linked is the same: the code of each op, and its numbers in the table and the text."""

import ast
import inspect
import textwrap

import pytest

from lessons.outputs.catalogue import lessons
from pages.labs.lesson import computed, frame
from pages.labs.messages import Wish

DRAWN = [lesson for lesson in lessons() if lesson.lab.start]


def answered(lesson):
    """The lesson's frame at its end, nothing covered."""
    steps = lesson.prose.steps
    asked = [step.question.name for step in steps if step.question]
    return frame(Wish(lab=lesson.slug, step=len(steps), answers=asked))


@pytest.mark.parametrize("lesson", DRAWN, ids=lambda lesson: lesson.slug)
def test_each_op_is_linked_to_the_expression_that_ran(lesson):
    graph = answered(lesson)["graph"]
    nodes = computed(lesson, lesson.validate({})).recording.nodes
    lines = lesson.source.splitlines()
    for stretch in graph["stretches"]:
        own = lines[stretch["line"] : stretch["last"] + 1]
        own[-1] = own[-1][: stretch["end"]]
        own[0] = own[0][stretch["start"] :]
        ast.parse(textwrap.dedent("\n".join(own)).strip(), mode="eval")
        variable = nodes[stretch["node"]].variable
        assert variable is None or variable in lines[stretch["line"]]
    # An op of the program itself has no other place.
    file = inspect.getsourcefile(inspect.unwrap(lesson.program))
    linked = {stretch["node"] for stretch in graph["stretches"]}
    first = inspect.getsourcelines(lesson.program)[1]
    for name, node in nodes.items():
        if node.place and node.place[0] == file:
            inside = first <= node.place[1][0] < first + len(lines)
            assert inside == (name in linked), name


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


def test_most_lessons_link_value_and_gradient_to_their_table():
    found = [
        {link["role"] for link in answered(one)["graph"]["links"] if link["cell"]} for one in DRAWN
    ]
    assert sum({"forward", "trick_gradient"} <= roles for roles in found) >= 18


def test_a_covered_gradient_is_linked_to_nothing():
    graph = frame(Wish(lab="right_place", step=1))["graph"]
    assert graph["covered"]
    assert {link["of"] for link in graph["links"]} == {"value"}
