"""What on a page is the same thing: a node of the graph, its stretch of the code, its number in
the table, its role in the charts, its fact in the text.

A number counts as the same where it is the same input of the same program, and the numbers agree:
a lab whose table or series mean something else has no link, and no link has to be declared. Where
a series has several numbers, all of them have to be those of the node: a single 0 says nothing.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, FactsAsAsked, Result, Series
from lessons.playground import Outcome
from lessons.playground.codegen.program_file import places
from lessons.playground.document.check import Checked
from lessons.playground.running.outcome_charts import rows_of
from lessons.playground.running.scissors import operations_of
from lessons.text import number
from lessons.tracer import Recording, Value
from lessons.tracer.recording.nodes import Node
from lessons.tracer.recording.plain_tensor import flat, place
from pages.labs.graph_messages import Link, Stretch
from pages.labs.messages import TableSpec

_DIGITS = range(4, 8)
"""Significant digits that the labs' tables have."""

_Of = Literal["value", "gradient"]


class _Found(NamedTuple):
    """A node's value or gradient that has a name, or a role: that of the series called ``name``.

    ``row`` is its place in that series; None where it stands in no series.
    """

    node: str
    of: _Of
    name: str
    value: float
    role: str | None
    row: int | None


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
    for op in operations_of(checked.program):
        line, start, end = at[id(op.node)]
        stretch = Stretch(node=op.name, line=line, start=start, last=line, end=end)
        found.append(stretch | {"typed": op.line - 1})
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
    # What is computed only when a text quotes it is about other settings than those of this run.
    facts = result.facts.known if isinstance(result.facts, FactsAsAsked) else result.facts
    found: list[Link] = []
    for one in _numbers(recording, nodes, index, result):
        fact = facts.get(one.name)
        quoted = isinstance(fact, (int, float)) and _same(float(fact), one.value)
        cell, name = _cell(table, one), one.name if quoted else None
        found.append(Link(node=one.node, of=one.of, role=one.role, cell=cell, fact=name))
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
    shown = _gradients(recording, over, index, series["trick_gradient"])
    if "forward" in series:
        shown += _forward(recording, nodes, index, series["forward"])
    roles = {(one.node, one.of): one.role for one in shown}
    columns = {column["role"]: at for at, column in enumerate(table["columns"])}
    found: list[Link] = []
    for node in nodes:
        shape = node.outputs[0].shape
        row = rows.get((node.label, flat(place(index, shape), shape) if node.leaf else None))
        known = node.leaf and recording.gradients.get(node.name) is not None
        parts: list[tuple[_Of, str, bool]] = [("value", "forward", True)]
        for of, column, there in [*parts, ("gradient", "trick_gradient", known)]:
            cell = (row, columns[column]) if there and row is not None else None
            role = roles.get((node.name, of))
            found.append(Link(node=node.name, of=of, role=role, cell=cell, fact=None))
    return [link for link in found if link["role"] or link["cell"]]


def _numbers(
    recording: Recording, nodes: Sequence[Node], index: tuple[int, ...], result: Result
) -> Iterator[_Found]:
    """What of the graph's numbers may stand elsewhere."""
    series = {one.name: one for one in result.series}
    row = index[0] if len(index) == 1 else None
    leaves = [node for node in nodes if node.leaf and node.kind == "input"]
    for node in leaves:
        value = node.outputs[0]
        if node.label in series:
            yield from _first("value", [[(node, value)]], index, series[node.label])
        else:
            yield _Found(node.name, "value", node.label, value.component(index), None, row)
    if "forward" in series:
        yield from _forward(recording, nodes, index, series["forward"])
    for name in ("trick_gradient", "true_gradient"):  # where the trick is not in the graph
        if name in series and (shown := _gradients(recording, leaves, index, series[name])):
            yield from shown
            return


def _forward(
    recording: Recording, nodes: Sequence[Node], index: tuple[int, ...], series: Series
) -> list[_Found]:
    """The node whose value the lab shows: the end, or else all that have these very numbers."""
    end = [[(node, node.outputs[0])] for node in nodes if node.name == recording.output]
    others = [[(node, node.outputs[0])] for node in nodes if node.name != recording.output]
    shown = _first("value", end, index, series, alone=False) or [
        one
        for group in others
        if len(series.y) > 1
        for one in _first("value", [group], index, series, alone=False)
    ]
    return shown or _first("value", end, index, series)


def _gradients(
    recording: Recording, leaves: Sequence[Node], index: tuple[int, ...], series: Series
) -> list[_Found]:
    """The inputs whose gradients the lab shows: one of them, or all of them end to end."""
    known = recording.gradients
    came = [(node, known[node.name]) for node in leaves if node.name in known]
    return _first("gradient", [*([one] for one in came), came], index, series)


def _first(
    of: _Of,
    groups: Sequence[Sequence[tuple[Node, Value | None]]],
    index: tuple[int, ...],
    series: Series,
    alone: bool = True,
) -> list[_Found]:
    """The first of these groups whose numbers, end to end, are those of the series.

    A tensor may have more rows than the series: then its numbers are those of the shown row.

    Args:
        of, groups, index, series: what is compared with what.
        alone: whether, where no group has all the numbers, the shown component by itself counts.
    """
    width = len(series.y)
    by_itself: list[_Found] = []
    for group in groups:
        numbers: list[float] = []
        found: list[_Found] = []
        for node, value in group:
            if value is None:
                numbers += [0.0] * node.outputs[0].size
                continue
            own, at = list(value.numbers), place(index, value.shape)
            row, shown = flat(at, value.shape), value.component(index)
            if len(own) > width and value.shape[-1] == width:
                own, row = own[row - at[-1] :][:width], at[-1]
            row += len(numbers)
            numbers += own
            found.append(_Found(node.name, of, series.name, shown, series.role, row))
            if alone and value.size != width and len(index) == 1 and index[0] < width:
                one = _Found(node.name, of, series.name, shown, series.role, index[0])
                by_itself += [one] if _same(float(series.y[index[0]]), shown) else []
        if found and _agree(numbers, series.y):
            return found
    return by_itself[:1]


def _cell(table: TableSpec, found: _Found) -> tuple[int, int] | None:
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


def _agree(some: Sequence[float], others: Array) -> bool:
    if len(some) != len(others):
        return False
    # Float32 rounds sums in its own order.
    least = 1e-7 * float(np.abs(others[np.isfinite(others)]).max(initial=0.0))
    return np.allclose(some, others, rtol=1e-5, atol=least, equal_nan=True)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6) or (math.isnan(one) and math.isnan(other))
