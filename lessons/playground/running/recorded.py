"""The graph of a document's run: recorded, named as the program names things, and its scissors.

Every op has a name as the recorder gives it, its type and a number (`mul`, `mul_1`), in the order
the ops run. Cutting the edge `mul:1` writes `stop_gradient(…)` around that operand's own text and
touches nothing else: comments and layout stay, and mending gives back the very text.
"""

import ast
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import torch

from lessons.gradient_tricks.recorder import Recording, record
from lessons.gradient_tricks.text import cited, listed
from lessons.playground.document.check import Checked, check
from lessons.playground.document.contents import Document
from lessons.playground.language.expressions import (
    Node,
    Program,
    called,
    children,
    kind_of,
    op_types,
    reaches_torch,
    row_of,
    span,
    surrogates,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import Budget
from lessons.playground.running.execute import Forward, forward, leaves, playground_errors
from lessons.playground.running.words import WORDS


def recorded(
    checked: Checked, cuts: Iterable[tuple[str, int]] = (), *, backward: bool = True
) -> Recording:
    """One run at the learner's points with the document's own draw, forward and backward.

    Args:
        backward: False leaves the backward pass out.
        cuts: edges (op, operand as the recording counts) where the gradient stops.

    Raises:
        PlaygroundError: it does not run.
    """
    given = leaves(checked)
    with playground_errors():
        with record(given, cuts=cuts) as recording:
            made = forward(checked, given, False, Budget())
            _name(recording, made)
        if backward:
            recording.backward(made.output)
    return recording


def _name(recording: Recording, made: Forward) -> None:
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


def place(checked: Checked) -> tuple[int, ...]:
    """The component that the plot moves, as an index into the plotted input."""
    shape = checked.inputs[checked.over.name].shape
    return tuple(int(i) for i in np.unravel_index(checked.document.entry - 1, shape))


def operations(program: Program) -> dict[str, Node]:
    """Every op of a program, in the order they run: its type, and from the second on a number."""
    count: Counter[str] = Counter()
    found: dict[str, Node] = {}
    for node in program.nodes:
        if kind := _type(node):
            found[f"{kind}_{count[kind]}" if count[kind] else kind] = node
            count[kind] += 1
    return found


def edges(program: Program) -> dict[str, Node]:
    """The operands that have a text of their own, by the edges as a recording names them.

    >>> from lessons.playground.language.parse import parse_program
    >>> list(edges(parse_program("y = maximum(0, x) * x", ["x"])))
    ['maximum:1', 'mul:0', 'mul:1']
    """
    found: dict[str, Node] = {}
    for name, node in operations(program).items():
        # py_func reads its operands inside its own expressions, so there is no text to cut around.
        # No gradient flows back through a stop_gradient, so there is nothing to cut either.
        closed = _type(node) in ("py_func", "stop_gradient")
        tensors = [] if closed else [one for one in children(node) if reaches_torch(node, one)]
        found |= {f"{name}:{place}": one for place, one in enumerate(tensors)}
    return {name: operand for name, operand in found.items() if kind_of(operand) == "tensor"}


def is_cut(operand: Node) -> bool:
    """Whether an operand is ``stop_gradient(…)`` or ``x.detach()`` already."""
    row = row_of(operand)
    return row is not None and row.op == "stop_gradient"


def snip(document: Document, edge: str) -> Document:
    """The document with an edge of its graph cut by ``stop_gradient``, or mended again.

    Raises:
        PlaygroundError: the document is not valid, or has no such edge in its text.
    """
    there, text = edges(check(document).program), document.program
    if edge not in there:
        raise PlaygroundError(WORDS("no_edge", edge=cited(edge), edges=listed([*there], 12)))
    start, end = span(text, there[edge])
    before, own, after = text[:start], text[start:end], text[end:]
    if not is_cut(there[edge]):
        return replace(document, program=f"{before}stop_gradient({own}){after}")
    # Without its brackets a sum may become another expression, and an expression of two lines may
    # be no Python.
    inner = text[slice(*span(text, children(there[edge])[0]))]
    bare, bracketed = f"{before}{inner}{after}", f"{before}({inner}){after}"
    with suppress(SyntaxError):
        if ast.dump(ast.parse(bare)) == ast.dump(ast.parse(bracketed)):
            return replace(document, program=bare)
    return replace(document, program=bracketed)


def _type(node: Node) -> str:
    """What the op is called; nothing for a node that runs none."""
    if surrogates(node):
        return called(node)
    row = row_of(node)
    return (row.op or row.name) if row else next(iter(op_types(node)), "")
