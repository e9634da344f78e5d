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
    role: str | None = None
    row: int | None = None


def stretches(lesson: Lesson, recording: Recording) -> list[Stretch]:
    """Where each op of the graph stands in the program's source, as the code pane shows it.

    An op of a function that the program calls stands where the call does.
    """
    file, lines, first = _source(lesson.program)
    found: list[Stretch] = []
    for node in recording:
        for where in (node.place, node.caller):
            if where is None or where[0] != file:
                continue
            line, last, start, end = where[1]
            if first <= line and last < first + len(lines):
                places = ((line, start), (last, end))
                (line, start), (last, end) = (
                    (at - first, len(lines[at - first].encode()[:column].decode()))
                    for at, column in places
                )
                found.append(
                    {"node": node.name, "line": line, "start": start, "last": last, "end": end}
                )
                break
    return found


def stretches_of_program(checked: Checked) -> list[Stretch]:
    """The same for a program of the playground, in its torch code and in what the learner typed."""
    at = {id(node): where for node, *where in places(checked)}
    return [
        {
            "node": op.name,
            "line": at[id(op.node)][0],
            "start": at[id(op.node)][1],
            "last": at[id(op.node)][0],
            "end": at[id(op.node)][2],
            "typed": op.line - 1,
        }
        for op in operations_of(checked.program)
    ]


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
        if one.role in hidden or (covered and one.of == "gradient"):
            continue
        fact = facts.get(one.name)
        link: Link = {"node": one.node, "of": one.of, "role": one.role, "cell": None, "fact": None}
        if table:
            link["cell"] = _cell(table, one)
        if isinstance(fact, (int, float)) and _same(float(fact), one.value):
            link["fact"] = one.name
        if one.role or link["cell"] or link["fact"]:
            found.append(link)
    if table:
        known = {link["cell"] for link in found}
        found += [
            link
            for link in _columns(nodes, index, table)
            if link["cell"] not in known and not (covered and link["of"] == "gradient")
        ]
    return found


def links_of_program(
    recording: Recording,
    index: tuple[int, ...],
    outcome: Outcome,
    table: TableSpec,
    drawn: Collection[str],
) -> list[Link]:
    """The same for a program of the playground, whose table has a row for each name."""
    rows = rows_of(outcome)
    nodes = [node for node in recording if node.name in drawn]
    series = {one.name: one for one in outcome.series}
    over = [node for node in nodes if node.leaf and node.name == outcome.over]
    shown = (
        [*_forward(recording.output, nodes, index, series["forward"])]
        if "forward" in series
        else []
    )
    shown += _gradients(recording, over, index, series["trick_gradient"])
    roles = {(one.node, one.of): one.role for one in shown}
    columns = {column["role"]: at for at, column in enumerate(table["columns"]) if column["role"]}
    found: list[Link] = []
    for node in nodes:
        value, gradient = node.outputs[0], recording.gradients.get(node.name)
        entry = flat(place(index, value.shape), value.shape) if node.leaf else None
        row = rows.get((node.label, entry))
        parts: list[tuple[_Of, str, Value | None]] = [("value", "forward", value)]
        parts.append(("gradient", "trick_gradient", gradient))
        for of, column, part in parts:
            link: Link = {"node": node.name, "of": of, "role": None, "cell": None, "fact": None}
            link["role"] = roles.get((node.name, of))
            if row is not None and part is not None and (of == "value" or node.leaf):
                link["cell"] = row, columns[column]
            if link["role"] or link["cell"]:
                found.append(link)
    return found


def _numbers(
    recording: Recording, nodes: Sequence[Node], index: tuple[int, ...], result: Result
) -> Iterator[_Found]:
    """What of the graph's numbers may stand elsewhere."""
    series = {one.name: one for one in result.series}
    row = index[0] if len(index) == 1 else None
    leaves = [node for node in nodes if node.leaf and node.kind == "input"]
    for node in leaves:
        value, own = node.outputs[0].component(index), series.get(node.label)
        if own is None:
            yield _Found(node.name, "value", node.label, value, None, row)
        elif row is not None and row < len(own.y) and _same(float(own.y[row]), value):
            yield _Found(node.name, "value", node.label, value, own.role, row)
    if "forward" in series:
        yield from _forward(recording.output, nodes, index, series["forward"])
    for name in ("trick_gradient", "true_gradient"):  # where the trick is not in the graph
        if name in series and (shown := list(_gradients(recording, leaves, index, series[name]))):
            yield from shown
            return


def _forward(
    output: str | None, nodes: Sequence[Node], index: tuple[int, ...], series: Series
) -> Iterator[_Found]:
    """The node whose value the lab shows: the end, or else all that have these very numbers."""
    ends = [node for node in nodes if node.name == output]
    others = [node for node in nodes if node.name != output] if len(series.y) > 1 else []
    for some in (ends, others):
        rows = [(node, _row(node.outputs[0], index, series.y)) for node in some]
        for node, row in rows:
            if row is not None:
                value = node.outputs[0].component(index)
                yield _Found(node.name, "value", "forward", value, series.role, row)
        if any(row is not None for _, row in rows):
            return
    for end in ends:
        if end.outputs[0].size != len(series.y):
            yield from _one(end.name, "value", end.outputs[0], index, series)


def _gradients(
    recording: Recording, leaves: Sequence[Node], index: tuple[int, ...], series: Series
) -> Iterator[_Found]:
    """The inputs whose gradients the lab shows: one of them, or all of them end to end."""
    known = recording.gradients
    came = [(node, known[node.name]) for node in leaves if node.name in known]
    for node, gradient in came:
        row = None if gradient is None else _row(gradient, index, series.y)
        if gradient is not None and row is not None:
            value = gradient.component(index)
            yield _Found(node.name, "gradient", series.name, value, series.role, row)
            return
    sizes = [node.outputs[0].size for node, _ in came]
    parts = [np.zeros(n) if g is None else _all(g) for n, (_, g) in zip(sizes, came, strict=True)]
    if len(came) > 1 and _agree(np.concatenate(parts), series.y):
        for at, (node, gradient) in enumerate(came):
            if gradient is not None:
                row = sum(sizes[:at]) + flat(place(index, gradient.shape), gradient.shape)
                value = gradient.component(index)
                yield _Found(node.name, "gradient", series.name, value, series.role, row)
        return
    for node, gradient in came:
        if gradient is not None and gradient.size != len(series.y):
            shown = list(_one(node.name, "gradient", gradient, index, series))
            yield from shown
            if shown:
                return


def _one(
    node: str, of: _Of, value: Value, index: tuple[int, ...], series: Series
) -> Iterator[_Found]:
    """This component by itself, where the series has another number of them."""
    shown = value.component(index)
    if len(index) == 1 and index[0] < len(series.y) and _same(float(series.y[index[0]]), shown):
        yield _Found(node, of, series.name, shown, series.role, index[0])


def _row(value: Value, index: tuple[int, ...], y: Array) -> int | None:
    """Where among these numbers the shown component stands, if all of them are the tensor's own.

    The tensor may have more rows: then those of the row that is shown.
    """
    shape, at = value.shape, place(index, value.shape)
    numbers = _all(value)
    if _agree(numbers, y):
        return flat(at, shape)
    if len(shape) > 1 and len(numbers) == value.size and shape[-1] == len(y):
        shown = numbers.reshape(shape)[at[:-1]]
        return at[-1] if _agree(shown, y) else None
    return None


def _columns(nodes: Sequence[Node], index: tuple[int, ...], table: TableSpec) -> Iterator[Link]:
    """Columns of no role that are a tensor of the graph from top to bottom."""
    rows = table["rows"]
    for at, column in enumerate(table["columns"]):
        texts = [row[at] for row in rows]
        while texts and not texts[-1]:
            texts.pop()  # below the components there may be their sum
        if column["role"] or len(set(texts)) < 2:
            continue
        for node in nodes:
            both: list[tuple[_Of, Value | None]] = [
                ("value", node.outputs[0]),
                ("gradient", node.upstream[0]),
            ]
            for of, value in both:
                if value is None or value.shape != (len(texts),) or len(index) != 1:
                    continue
                same = len(value.numbers) == len(texts) and any(
                    all(number(y, d) == text for y, text in zip(value.numbers, texts, strict=True))
                    for d in _DIGITS
                )
                cell = (min(index[0], len(texts) - 1), at)
                if same:
                    yield {"node": node.name, "of": of, "role": None, "cell": cell, "fact": None}


def _cell(table: TableSpec, found: _Found) -> tuple[int, int] | None:
    """Where the table says this number; the column has its role, or else its name."""
    texts = {number(found.value, digits) for digits in _DIGITS}
    row = found.row
    if row is None or row >= len(table["rows"]):
        return None
    for at, column in enumerate(table["columns"]):
        named = column["role"] == found.role if found.role else column["label"] == found.name
        if named and table["rows"][row][at] in texts:
            return row, at
    return None


def _all(value: Value) -> Array:
    """All its numbers; as many as were kept."""
    return np.asarray(value.numbers, dtype=np.float64)


def _agree(some: Array, others: Array) -> bool:
    if some.shape != others.shape:
        return False
    theirs = others.ravel().tolist()
    # Float32 rounds sums in its own order.
    least = 1e-7 * max((abs(one) for one in theirs if math.isfinite(one)), default=0.0)
    return all(_near(*two, least) for two in zip(some.ravel().tolist(), theirs, strict=True))


def _near(one: float, other: float, least: float) -> bool:
    """As numpy's ``isclose`` has it; a few numbers are compared sooner without arrays."""
    if one == other:
        return True
    if not math.isfinite(other):
        return one != one and other != other
    return abs(one - other) <= least + 1e-5 * abs(other)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6) or (math.isnan(one) and math.isnan(other))
