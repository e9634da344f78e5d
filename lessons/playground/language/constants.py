"""Arithmetic between numbers that a program writes, always in floats: small, quick, bounded."""

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from lessons.playground.language.expressions import SIGNS, Node, of_kind, written
from lessons.playground.language.limits import MAX_ELEMENTS, MAX_NUMBER
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.words import WORDS


def apply(sign: str, values: Sequence[float], node: Node) -> float:
    """The result of an operator on floats.

    Raises:
        PlaygroundError: a division by 0, a root of a negative number, a result too large.
    """
    try:
        found = -values[0] if len(values) == 1 else SIGNS[sign].run(values[0], values[1])
    except ZeroDivisionError:
        message = WORDS("divides_by_zero")
        raise PlaygroundError(message, node.lineno, node.col_offset + 1) from None
    except OverflowError:
        found = math.inf
    if isinstance(found, complex):
        raise PlaygroundError(WORDS("not_real"), node.lineno, node.col_offset + 1)
    if not abs(found) <= MAX_NUMBER:
        message = WORDS("too_large", most=MAX_NUMBER)
        raise PlaygroundError(message, node.lineno, node.col_offset + 1)
    return found


def list_of_numbers(node: ast.List, error: Callable[[ast.expr, str], PlaygroundError]) -> ast.List:
    """A list of written numbers, or of such lists of one length.

    Raises:
        PlaygroundError: anything else in it, an empty or ragged list, one too long.
    """
    count = sum(len(item.elts) if isinstance(item, ast.List) else 1 for item in node.elts)
    if not 0 < count <= MAX_ELEMENTS:
        raise error(node, WORDS("list_size", count=count, most=MAX_ELEMENTS))
    if not any(isinstance(item, ast.List) for item in node.elts):
        return of_kind(ast.List([_number(item, error) for item in node.elts]), "tensor", node)
    rows: list[ast.expr] = []
    for item in node.elts:
        if not isinstance(item, ast.List):
            raise error(item, WORDS("mixed_list"))
        rows.append(ast.List([_number(entry, error) for entry in item.elts]))
        first = node.elts[0]
        if isinstance(first, ast.List) and len(item.elts) != len(first.elts):
            raise error(item, WORDS("ragged", here=len(item.elts), first=len(first.elts)))
    return of_kind(ast.List(rows), "tensor", node)


def numbers(node: ast.expr) -> Any:
    """The numbers of such a list, in lists."""
    if isinstance(node, ast.List):
        return [numbers(item) for item in node.elts]
    return written(node)


def _number(
    node: ast.expr, error: Callable[[ast.expr, str], PlaygroundError], negative: bool = False
) -> ast.Constant:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)) and not negative:
        value = written(_number(node.operand, error, negative=True))
        return ast.Constant(-value if isinstance(node.op, ast.USub) else value)
    found = node.value if isinstance(node, ast.Constant) else None
    if isinstance(found, int | float) and not isinstance(found, bool):
        value = float(found)
        if abs(value) <= MAX_NUMBER:
            return ast.Constant(value)
        raise error(node, WORDS("large_number", most=MAX_NUMBER))
    raise error(node, WORDS("only_numbers"))
