"""What on a page is the same thing: a node of the graph, its stretch of the code, its number in
the table, its role in the charts, its fact in the text.

A number counts as the same where it is the same input of the same program, and the numbers agree:
a lab whose table or series mean something else has no link, and no link has to be declared.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import Any, Literal

from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.text import number
from lessons.tracer import Recording
from pages.labs.graph_messages import Link, Stretch
from pages.labs.messages import TableSpec

_DIGITS = range(4, 8)
"""Significant digits that the labs' tables have."""


def stretches(lesson: Lesson, recording: Recording) -> list[Stretch]:
    """Where each op of the graph stands in the program's source, as the code pane shows it."""
    file, lines, first = _source(lesson.program)
    found: list[Stretch] = []
    for node in recording:
        if node.place is None or node.place[0] != file:
            continue
        line, last, start, end = node.place[1]
        if first <= line and last < first + len(lines):
            places = ((line, start), (last, end))
            (line, start), (last, end) = (
                (at - first, len(lines[at - first].encode()[:column].decode()))
                for at, column in places
            )
            found.append(
                {"node": node.name, "line": line, "start": start, "last": last, "end": end}
            )
    return found


@lru_cache(64)
def _source(program: Callable[..., Any]) -> tuple[str | None, list[str], int]:
    """A program's file, its lines, and the number of the first."""
    program = inspect.unwrap(program)
    lines, first = inspect.getsourcelines(program)
    return inspect.getsourcefile(program), lines, first


def links(
    recording: Recording,
    index: tuple[int, ...],
    result: Result,
    table: TableSpec | None,
    hidden: Collection[str],
) -> list[Link]:
    """The numbers of the graph's component that stand elsewhere too, those of hidden roles not."""
    found: list[Link] = []
    for node, of, name, value in _numbers(recording, index, result):
        role = next((series.role for series in result.series if series.name == name), None)
        if role in hidden:
            continue
        fact = result.facts.get(name)
        link: Link = {"node": node, "of": of, "role": role, "cell": None, "fact": None}
        if table and index:
            link["cell"] = _cell(table, index[0], role, name, value)
        if isinstance(fact, (int, float)) and _same(float(fact), value):
            link["fact"] = name
        if role or link["cell"] or link["fact"]:
            found.append(link)
    return found


def _numbers(
    recording: Recording, index: tuple[int, ...], result: Result
) -> Iterator[tuple[str, Literal["value", "gradient"], str, float]]:
    """Node, whether its value or its gradient, name and number of what may stand elsewhere."""
    row = index[0] if len(index) == 1 else None
    at_row = {
        series.name: float(series.y[row])
        for series in result.series
        if row is not None and row < len(series.y)
    }
    leaves = [node for node in recording if node.leaf and node.kind == "input"]
    for node in leaves:
        value = node.outputs[0].component(index)
        if _same(at_row.get(node.label, value), value):
            yield node.name, "value", node.label, value
    if recording.output is not None:
        value = recording.nodes[recording.output].outputs[0].component(index)
        if _same(at_row.get("forward"), value):
            yield recording.output, "value", "forward", value
    for node in leaves:
        gradient = recording.gradients.get(node.name)
        value = math.nan if gradient is None else gradient.component(index)
        if gradient is not None and _same(at_row.get("trick_gradient"), value):
            yield node.name, "gradient", "trick_gradient", value
            return


def _cell(
    table: TableSpec, row: int, role: str | None, label: str, value: float
) -> tuple[int, int] | None:
    """Where the table says this number; the column has its role, or else its name."""
    texts = {number(value, digits) for digits in _DIGITS}
    for place, column in enumerate(table["columns"]):
        named = column["role"] == role if role else column["label"] == label
        if named and row < len(table["rows"]) and table["rows"][row][place] in texts:
            return row, place
    return None


def _same(one: float | None, other: float) -> bool:
    if one is None:
        return False
    return math.isclose(one, other, rel_tol=1e-6) or (math.isnan(one) and math.isnan(other))
