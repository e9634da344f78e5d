"""Scissors: an edge of a program's graph cut open by rewriting the program, and mended again.

Every op has a name as the recorder gives it, its type and a number (`mul`, `mul_1`), in the order
the ops run. Cutting the edge `mul:1` writes `stop_gradient(…)` around that operand's own text and
touches nothing else: comments and layout stay, and mending gives back the very text.
"""

import ast
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace

from lessons.playground.document.check import check
from lessons.playground.document.contents import Document
from lessons.playground.language.expressions import (
    Node,
    Program,
    called,
    children,
    kind_of,
    op_types,
    row_of,
    span,
    surrogates,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.words import WORDS
from lessons.text import cited

_OPEN, _CLOSE = "stop_gradient(", ")"


@dataclass(frozen=True)
class Operand:
    """One operand that is a tensor: an edge into an op.

    Args:
        text: the expression.
        start, end: its offsets in the program.
        cut: whether it is ``stop_gradient(…)`` or ``x.detach()`` already.
        inner: what is left when it is mended.
        place: its number among all tensors that torch gets, comparisons and made ones too: with
            the op's name, the edge as a recording names it.
    """

    text: str
    start: int
    end: int
    cut: bool
    inner: str
    place: int


@dataclass(frozen=True)
class Operation:
    """One op of a program.

    Args:
        name: its type, and from the second on a number: ``mul``, ``mul_1``.
        operands: its tensor operands, in order; none for stop_gradient, which passes no
            gradient back, and for py_func, whose edges have no text of their own.
        node: the expression as it was read.
    """

    name: str
    operands: tuple[Operand, ...]
    node: Node


def operations(program: Program) -> tuple[Operation, ...]:
    """Every op of a program, in the order they run."""
    count: Counter[str] = Counter()
    found = []
    for node in program.nodes:
        kind = _type(node)
        if not kind:
            continue
        name = f"{kind}_{count[kind]}" if count[kind] else kind
        count[kind] += 1
        # py_func reads its operands inside its own expressions, so there is no text to cut around.
        # No gradient flows back through a stop_gradient, so there is nothing to cut either.
        closed = kind in ("py_func", "stop_gradient")
        edges = [] if closed else children(node)
        operands = tuple(
            _operand(program.text, child, place)
            for place, child in enumerate(edge for edge in edges if _reaches_torch(node, edge))
            if kind_of(child) == "tensor"
        )
        found.append(Operation(name, operands, node))
    return tuple(found)


def edges(program: Program) -> dict[str, Operand]:
    """The edges that have a text of their own, as a recording names them.

    >>> from lessons.playground.language.parse import parse_program
    >>> list(edges(parse_program("y = maximum(0, x) * x", ["x"])))
    ['maximum:1', 'mul:0', 'mul:1']
    """
    return {
        f"{op.name}:{operand.place}": operand
        for op in operations(program)
        for operand in op.operands
    }


def snip(document: Document, edge: str) -> Document:
    """The document with an edge of its graph cut by ``stop_gradient``, or mended again.

    Raises:
        PlaygroundError: the document is not valid, or has no such edge in its text.
    """
    there = edges(check(document).program)
    if edge not in there:
        raise PlaygroundError(WORDS("no_edge", edge=cited(edge), edges=", ".join(there)))
    operand, text = there[edge], document.program
    before, after = text[: operand.start], text[operand.end :]
    if not operand.cut:
        return replace(document, program=f"{before}{_OPEN}{operand.text}{_CLOSE}{after}")
    # Without its brackets a sum may become another expression, and an expression of two lines may
    # be no Python.
    bare, bracketed = f"{before}{operand.inner}{after}", f"{before}({operand.inner}){after}"
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


def _reaches_torch(node: Node, child: Node) -> bool:
    """Whether an operand is a tensor by the time that torch gets it; Machine makes some."""
    row = row_of(node)
    if kind_of(child) != "number" or row is None:
        return kind_of(child) != "number"
    place = children(node).index(child)
    branches = children(node)[1:]
    return row.parameters[place].kind == "tensor" or (
        row.name == "where" and place == 1 and all(kind_of(one) == "number" for one in branches)
    )


def _operand(text: str, node: Node, place: int) -> Operand:
    row = row_of(node)
    is_cut = row is not None and row.op == "stop_gradient"
    start, end = span(text, node)
    inside = slice(*span(text, children(node)[0] if is_cut else node))
    return Operand(text[start:end], start, end, is_cut, text[inside], place)
