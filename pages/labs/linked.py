"""What on a page is the same thing: a node of the graph, its stretch of the code, its number in
the table, its role in the charts, its fact in the text.

Links are found by comparing numbers: a lab whose table or series mean something else has no link,
and no link has to be declared.
"""

import inspect
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any

from lessons.contract.graph_numbers import (
    GraphNumber,
    Of,
    fact_of,
    forward_of,
    gradients_of,
    numbers_of,
)
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.playground.codegen.program_file import places
from lessons.playground.document.check import Checked
from lessons.playground.running.outcome import Outcome
from lessons.playground.running.outcome_charts import rows_of
from lessons.playground.running.scissors import operations
from lessons.recorder import Recording
from lessons.recorder.recording.plain_tensor import flat, place
from lessons.text import number
from pages.labs.graph_messages import Link, Stretch
from pages.labs.messages import TableSpec

_DIGITS = range(4, 8)
"""Significant digits that the labs' tables have."""


def stretches(lesson: Lesson, recording: Recording) -> list[Stretch]:
    """Where each op of the graph stands in the program's source, as the code pane shows it.

    An op of a function that the program calls stands where the call does.
    """
    file, count, first = _source(lesson.program)
    found: dict[str, Stretch] = {}
    for node in recording:
        for where in (node.caller, node.place):
            if where is None or where[0] != file:
                continue
            line, last = where[1][0] - first, where[1][1] - first
            if line >= 0 and last < count:
                start, end = where[1][2:]
                found[node.name] = Stretch(
                    node=node.name, line=line, start=start, last=last, end=end
                )
    return list(found.values())


def stretches_of_program(checked: Checked) -> list[Stretch]:
    """Where each op stands in a playground program's torch code, and in what the learner typed."""
    at = {id(node): where for node, *where in places(checked)}
    found = []
    for op in operations(checked.program):
        line, start, end = at[id(op.node)]
        stretch = Stretch(node=op.name, line=line, start=start, last=line, end=end)
        found.append(stretch | {"typed": op.node.lineno - 1})
    return found


@lru_cache(64)
def _source(program: Callable[..., Any]) -> tuple[str | None, int, int]:
    """A program's file, how many lines it has there, and the number of the first."""
    program = inspect.unwrap(program)
    lines, first = inspect.getsourcelines(program)
    return inspect.getsourcefile(program), len(lines), first


def links(
    recording: Recording,
    index: tuple[int, ...],
    result: Result,
    table: TableSpec,
    drawn: Collection[str],
    hidden: Collection[str],
) -> list[Link]:
    """The numbers of the graph's component that stand elsewhere too.

    Args:
        recording, index: the run, and the component that is shown.
        result, table: what else shows them.
        drawn: the nodes that the graph shows.
        hidden: the roles still covered, none of whose numbers has a link.
    """
    nodes = [node for node in recording if node.name in drawn]
    covered = not {"trick_gradient", "true_gradient"}.isdisjoint(hidden)
    found: list[Link] = []
    for one in numbers_of(recording, nodes, index, result):
        fact, cell = fact_of(one, result), _cell(table, one)
        found.append(Link(node=one.node, of=one.of, role=one.role, cell=cell, fact=fact))
    return [
        link
        for link in found
        if (link["role"] or link["cell"] or link["fact"])
        and link["role"] not in hidden
        and not (covered and link["of"] == "gradient")
    ]


def links_of_program(
    recording: Recording,
    index: tuple[int, ...],
    outcome: Outcome,
    table: TableSpec,
    drawn: Collection[str],
) -> list[Link]:
    """The numbers that stand elsewhere too, for a program of the playground."""
    rows = rows_of(outcome)
    nodes = [node for node in recording if node.name in drawn]
    over = [node for node in nodes if node.leaf and node.name == outcome.over]
    series = {one.name: one for one in outcome.series}
    shown = gradients_of(recording, over, index, series["trick_gradient"])
    if "forward" in series:
        shown += forward_of(recording, nodes, index, series["forward"])
    roles = {(one.node, one.of): one.role for one in shown}
    columns = {column["role"]: at for at, column in enumerate(table["columns"])}
    found: list[Link] = []
    for node in nodes:
        shape = node.outputs[0].shape
        row = rows.get((node.label, flat(place(index, shape), shape) if node.leaf else None))
        known = node.leaf and recording.gradients.get(node.name) is not None
        parts: list[tuple[Of, str, bool]] = [("value", "forward", True)]
        for of, column, there in [*parts, ("gradient", "trick_gradient", known)]:
            cell = (row, columns[column]) if there and row is not None else None
            role = roles.get((node.name, of))
            found.append(Link(node=node.name, of=of, role=role, cell=cell, fact=None))
    return [link for link in found if link["role"] or link["cell"]]


def _cell(table: TableSpec, found: GraphNumber) -> tuple[int, int] | None:
    """Where the table says this number; the column has its role, or else its name."""
    row = found.row
    if row is None or row >= len(table["rows"]):
        return None
    texts = {number(found.value, digits) for digits in _DIGITS}
    for at, column in enumerate(table["columns"]):
        named = column["role"] == found.role if found.role else column["label"] == found.name
        if named and table["rows"][row][at] in texts:
            return row, at
    return None
