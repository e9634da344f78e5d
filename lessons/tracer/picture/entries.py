"""Which entry of its tensors a drawing shows, in words: only where a tensor has several."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from lessons.tracer.derivatives.along_edge import terms
from lessons.tracer.recording.nodes import Edge, Node
from lessons.tracer.recording.plain_tensor import Value, place

_MOST = 3
"""Shapes that are named one by one."""


def entry_of(value: Value, index: Sequence[int]) -> str:
    """What the chosen component is in a tensor, counted from 1; empty where it has one number.

    >>> entry_of(Value((3,), "float64", [1, 2, 3]), (1,)), entry_of(Value((), "float64", [1]), (1,))
    ('entry 2 of 3', '')
    >>> entry_of(Value((2, 3), "float64", [1] * 6), (1, 2))
    'row 2, column 3 of 2×3'
    >>> entry_of(Value((2, 1), "float64", [1, 2]), (1, 0))
    'entry 2 of 2'
    """
    return _entry(value.shape, place(index, value.shape))


@lru_cache(1024)
def _entry(of: tuple[int, ...], chosen_at: tuple[int, ...]) -> str:
    if math.prod(of) < 2:
        return ""
    chosen = zip(of, chosen_at, strict=True)
    axes = [(n, str(i + 1)) for n, i in chosen if n > 1]
    shape, at = [n for n, _ in axes], [i for _, i in axes]
    if len(shape) == 1:
        return f"entry {at[0]} of {shape[0]}"
    whole = "×".join(map(str, shape))
    if len(shape) == 2:
        return f"row {at[0]}, column {at[1]} of {whole}"
    return f"entry {', '.join(at)} of {whole}"


def shown_entries(nodes: Iterable[Node], index: Sequence[int]) -> str:
    """Of which entries the numbers of these nodes are; empty where no tensor has several."""
    entries = dict.fromkeys(entry_of(node.outputs[0], index) for node in nodes)
    entries.pop("", None)
    if not entries:
        return ""
    if len(entries) > _MOST:
        return "Each number is of one entry of its tensor; point at a node to see them all."
    return f"The numbers are of {'; '.join(entries)}."


def shown_sums(edges: Iterable[Edge], index: Sequence[int]) -> str:
    """Which gradients are sums over entries, where an op has spread a smaller tensor over them."""
    sizes = {edge.value.size for edge in edges if _is_sum(edge, index)}
    if not sizes:
        return ""
    smaller = "one number" if sizes == {1} else "fewer numbers"
    return f"A gradient into a tensor with {smaller} is summed over the entries that read it."


def _is_sum(edge: Edge, index: Sequence[int]) -> bool:
    spread = edge.gradient is not None and edge.value.size < edge.consumer.outputs[0].size
    return spread and len(terms(edge, index)) > 1
