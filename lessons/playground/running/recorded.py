"""The graph of a document's run: recorded, named as the program names things, and its edges found
again in the program's text, for the scissors and the stepper.
"""

from collections.abc import Iterable
from typing import Any

import torch

from lessons.contract.result import jsonable
from lessons.playground.document.check import Checked, check
from lessons.playground.document.contents import Document
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import Budget
from lessons.playground.running.execute import Live, forward
from lessons.playground.running.scissors import Operation, operations, toggle
from lessons.recorder import Recording, Value, record
from lessons.text import cited
from lessons.tricks import TrickError


def recorded(document: Document, cuts: Iterable[tuple[str, int]] = ()) -> Recording:
    """One run at the learner's points with the document's own draw, forward and backward.

    Args:
        document: what to run.
        cuts: edges (op, operand as the recording counts) where the gradient stops.

    Raises:
        PlaygroundError: the document is not valid, or does not run.
    """
    return record_checked(check(document), cuts)


def record_checked(checked: Checked, cuts: Iterable[tuple[str, int]] = ()) -> Recording:
    """As ``recorded``, for a document that has been checked."""
    leaves = {
        name: value.to(checked.dtype).clone().requires_grad_()
        for name, value in checked.inputs.items()
    }
    try:
        with record(leaves, cuts=cuts) as recording:
            made = forward(checked, leaves, False, Budget())
            _name(recording, made)
        recording.backward(made.output)
    except (TrickError, RuntimeError) as error:
        if isinstance(error.__cause__, PlaygroundError):
            raise error.__cause__ from None
        raise PlaygroundError(f"torch refuses the backward pass: {error}", part="rule") from error
    return recording


def _name(recording: Recording, made: Live) -> None:
    """Call each op's node by the name that the program gives its result, and by no other.

    Within the recording's block, so that a list that no op reads gets a node too.
    """
    for node in recording:
        node.variable = None
    for name, value in made.values.items():
        if isinstance(value, torch.Tensor):
            node, _ = recording.node_of(value)
            # The first name stays: `b = a` makes no new op.
            if node.kind != "input" and node.variable is None:
                node.variable = name


def edges(document: Document) -> dict[str, tuple[str, int]]:
    """The edges that have a text of their own: as a recording names them → op and operand.

    >>> from lessons.playground.document.as_text import from_text
    >>> edges(from_text("input x = 3\\nprogram\\ny = maximum(0, x) * x\\n"))
    {'maximum:1': ('maximum', 0), 'mul:0': ('mul', 0), 'mul:1': ('mul', 1)}
    """
    return edges_of(operations(document))


def edges_of(there: Iterable[Operation]) -> dict[str, tuple[str, int]]:
    """As ``edges``, for a program's operations."""
    return {
        f"{op.name}:{operand.place}": (op.name, number)
        for op in there
        for number, operand in enumerate(op.operands)
    }


def snip(document: Document, edge: str) -> Document:
    """The document with an edge of its graph cut by ``stop_gradient``, or mended again.

    Raises:
        PlaygroundError: the document is not valid, or has no such edge in its text.
    """
    there = edges(document)
    if edge not in there:
        raise PlaygroundError(
            f"The program has no edge {cited(edge)} to cut. There are: {', '.join(there)}."
        )
    return toggle(document, *there[edge])


def as_json(recording: Recording) -> dict[str, Any]:
    """Nodes and edges with all their numbers, unrounded; what is not finite is text."""
    return {
        "nodes": [
            {
                "name": node.name,
                "label": node.label,
                "type": node.type,
                "kind": node.kind,
                "rule": node.rule,
                "values": [_numbers(value) for value in node.outputs],
                "upstream": [_numbers(value) for value in node.upstream],
                "output": node.name == recording.output,
            }
            for node in recording
        ],
        "edges": [
            {
                "name": edge.name,
                "from": edge.producer.name,
                "to": edge.consumer.name,
                "operand": edge.operand,
                "state": edge.state,
                "gradient": _numbers(edge.gradient),
            }
            for edge in recording.edges
        ],
        "order": list(recording.order),
    }


def place(checked: Checked) -> tuple[int, ...]:
    """The component that the plot moves, as an index into the plotted input."""
    value = checked.inputs[checked.over.name]
    found: list[int] = []
    rest = checked.document.plot.entry - 1
    for size in reversed(value.shape):
        found.insert(0, rest % size)
        rest //= size
    return tuple(found)


def _numbers(value: Value | None) -> Any:
    """A tensor as nested lists, as many as were kept."""
    if value is None:
        return None
    numbers = [jsonable(one) for one in value.numbers]
    if not value.shape:
        return numbers[0] if numbers else None
    for size in reversed(value.shape[1:]):
        numbers = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return numbers
