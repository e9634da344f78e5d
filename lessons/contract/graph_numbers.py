"""Which numbers of a run's graph are those of its result: of a series, or of a fact.

A number counts as the same where it is the same input of the same program, and the numbers agree.
Where a series has several numbers, all of them have to be those of the node: a single 0 says
nothing.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from lessons.contract.result import Array, FactsAsAsked, Result, Series
from lessons.recorder import Node, Recording, Value
from lessons.recorder.recording.plain_tensor import flat, place

Of = Literal["value", "gradient"]


class GraphNumber(NamedTuple):
    """A node's value or gradient that has a name, or a role: that of the series called ``name``.

    ``row`` is its place in that series; None where it stands in no series.
    """

    node: str
    of: Of
    name: str
    value: float
    role: str | None
    row: int | None


def numbers_of(
    recording: Recording, nodes: Sequence[Node], index: tuple[int, ...], result: Result
) -> Iterator[GraphNumber]:
    """What of the graph's numbers may stand elsewhere."""
    series = {one.name: one for one in result.series}
    row = index[0] if len(index) == 1 else None
    leaves = [node for node in nodes if node.leaf and node.kind == "input"]
    for node in leaves:
        value = node.outputs[0]
        if node.label in series:
            yield from _first("value", [[(node, value)]], index, series[node.label])
        else:
            yield GraphNumber(node.name, "value", node.label, value.component(index), None, row)
    if "forward" in series:
        yield from forward_of(recording, nodes, index, series["forward"])
    for name in ("trick_gradient", "true_gradient"):  # where the trick is not in the graph
        if name in series and (shown := gradients_of(recording, leaves, index, series[name])):
            yield from shown
            return


def forward_of(
    recording: Recording, nodes: Sequence[Node], index: tuple[int, ...], series: Series
) -> list[GraphNumber]:
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


def gradients_of(
    recording: Recording, leaves: Sequence[Node], index: tuple[int, ...], series: Series
) -> list[GraphNumber]:
    """The inputs whose gradients the lab shows: one of them, or all of them end to end."""
    known = recording.gradients
    came = [(node, known[node.name]) for node in leaves if node.name in known]
    return _first("gradient", [*([one] for one in came), came], index, series)


def _first(
    of: Of,
    groups: Sequence[Sequence[tuple[Node, Value | None]]],
    index: tuple[int, ...],
    series: Series,
    alone: bool = True,
) -> list[GraphNumber]:
    """The first of these groups whose numbers, end to end, are those of the series.

    A tensor may have more rows than the series: then its numbers are those of the shown row.

    Args:
        alone: whether, where no group has all the numbers, the shown component by itself counts.
    """
    width = len(series.y)
    by_itself: list[GraphNumber] = []
    for group in groups:
        numbers: list[float] = []
        found: list[GraphNumber] = []
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
            found.append(GraphNumber(node.name, of, series.name, shown, series.role, row))
            if alone and value.size != width and len(index) == 1 and index[0] < width:
                one = GraphNumber(node.name, of, series.name, shown, series.role, index[0])
                by_itself += [one] if _same(float(series.y[index[0]]), shown) else []
        if found and _agree(numbers, series.y):
            return found
    return by_itself[:1]


def fact_of(shown: GraphNumber, result: Result) -> str | None:
    """The name of the fact that is this number, if there is one and it has been computed."""
    # A fact that is computed only when a text quotes it is about other settings than this run's.
    facts = result.facts.known if isinstance(result.facts, FactsAsAsked) else result.facts
    fact = facts.get(shown.name)
    same = isinstance(fact, (int, float)) and _same(float(fact), shown.value)
    return shown.name if same else None


def _agree(some: Sequence[float], others: Array) -> bool:
    if len(some) != len(others):
        return False
    # Float32 rounds sums in its own order.
    least = 1e-7 * float(np.abs(others[np.isfinite(others)]).max(initial=0.0))
    return np.allclose(some, others, rtol=1e-5, atol=least, equal_nan=True)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6) or (math.isnan(one) and math.isnan(other))
