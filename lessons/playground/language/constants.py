"""Arithmetic between numbers that a program writes, always in floats: small, quick, bounded."""

import ast
import math
from collections.abc import Sequence
from typing import Any

from lessons.playground.language.expressions import (
    SIGNS,
    Node,
    children,
    kind_of,
    sign,
    written,
)
from lessons.playground.language.limits import MAX_NUMBER
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
        raise PlaygroundError.at(node, WORDS("divides_by_zero")) from None
    except OverflowError:
        found = math.inf
    if isinstance(found, complex):
        raise PlaygroundError.at(node, WORDS("not_real"))
    if not abs(found) <= MAX_NUMBER:
        raise PlaygroundError.at(node, WORDS("too_large", most=MAX_NUMBER))
    return found


def value_of(node: Node) -> float | None:
    """The value of an expression of written numbers alone; None where a name is read."""
    if kind_of(node) != "number":
        return None
    if isinstance(node, ast.Constant):
        return written(node)
    if operator := sign(node):
        values = [value_of(operand) for operand in children(node)]
        known = [value for value in values if value is not None]
        return apply(operator, known, node) if len(known) == len(values) else None
    return None


def numbers(node: ast.expr) -> Any:
    """The numbers of such a list, in lists."""
    if isinstance(node, ast.List):
        return [numbers(item) for item in node.elts]
    return written(node)
