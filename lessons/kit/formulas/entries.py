"""Say which entry of its tensors a drawing shows, where a tensor has several."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from lessons.gradient_tricks.recorder import Edge, Node, Value
from lessons.gradient_tricks.recorder.derivatives import terms
from lessons.gradient_tricks.recorder.recording.plain_tensor import place
from lessons.gradient_tricks.text import listed, number
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)
_ORDINALS = WORDS("ordinals").split(", ")


def entry_of(value: Value, index: Sequence[int]) -> str:
    """The place of the chosen component in a tensor, counted from 1; empty where it has one number.

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
        return WORDS("entry", at=at[0], shape=shape[0])
    whole = "×".join(map(str, shape))
    if len(shape) == 2:
        return WORDS("row_and_column", row=at[0], column=at[1], shape=whole)
    return WORDS("entry", at=", ".join(at), shape=whole)


def shown_entries(nodes: Iterable[Node], index: Sequence[int]) -> str:
    """The entry of the tensors that a drawing shows; empty where no tensor has several.

    >>> x = Node("x", "input", "input", [Value((3,), "float64", [1, 2, 3])], requires_grad=True)
    >>> shown_entries([x], (2,))
    'Showing the third input, x = 3.'
    """
    drawn = list(nodes)
    entries = dict.fromkeys(entry_of(node.outputs[0], index) for node in drawn)
    entries.pop("", None)
    if not entries:
        return ""
    inputs = [node for node in drawn if node.kind == "input" and node.requires_grad]
    if len(inputs) == 1 and len(shape := inputs[0].outputs[0].shape) == 1 and shape[0] > 1:
        value = inputs[0].outputs[0]
        (at,) = place(index, shape)
        shown = {"name": inputs[0].label, "value": number(value.component(index), 4)}
        if at < len(_ORDINALS):
            return WORDS("input_by_ordinal", ordinal=_ORDINALS[at], **shown)
        return WORDS("input_by_number", n=at + 1, **shown)
    if len(entries) == 1:
        return WORDS("shown", entry=next(iter(entries)))
    return WORDS("one_of_each")


def shown_sums(edges: Iterable[Edge], index: Sequence[int]) -> str:
    """The gradients that are sums over entries, where an op has broadcast a smaller tensor."""
    spread = [edge for edge in edges if _is_sum(edge, index)]
    if not spread:
        return ""
    labels = [*dict.fromkeys(edge.producer.label for edge in spread)]
    names = listed(labels, most=3)
    counts = {edge.consumer.outputs[0].size // edge.value.size for edge in spread}
    over = WORDS("entries", n=counts.pop()) if len(counts) == 1 else WORDS("readers")
    if len(labels) == 1:
        return WORDS("sum", names=names, over=over)
    return WORDS("sums", names=names, over=over)


def _is_sum(edge: Edge, index: Sequence[int]) -> bool:
    spread = edge.gradient is not None and edge.value.size < edge.consumer.outputs[0].size
    return spread and len(terms(edge, index)) > 1
