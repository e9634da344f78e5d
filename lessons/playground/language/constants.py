"""Arithmetic between numbers that a program writes, always in floats: small, quick, bounded."""

import ast
import math
from collections.abc import Callable, Sequence

from lessons.playground.language.errors import PlaygroundError
from lessons.playground.language.expressions import NumberList, Span
from lessons.playground.language.limits import MAX_ELEMENTS, MAX_NUMBER

_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}


def apply(sign: str, values: Sequence[float], span: Span) -> float:
    """The result of an operator on floats.

    Raises:
        PlaygroundError: a division by 0, a root of a negative number, a result too large.
    """
    try:
        found = -values[0] if len(values) == 1 else _ARITHMETIC[sign](values[0], values[1])
    except ZeroDivisionError:
        message = "This divides the number by 0. A tensor can be divided by 0, as in x / 0."
        raise PlaygroundError(message, span.line, span.column) from None
    except OverflowError:
        found = math.inf
    if isinstance(found, complex):
        message = "A negative number to a fraction is no real number. Write a whole exponent."
        raise PlaygroundError(message, span.line, span.column)
    if not abs(found) <= MAX_NUMBER:
        message = f"This comes out larger than {MAX_NUMBER:g}. Use smaller numbers."
        raise PlaygroundError(message, span.line, span.column)
    return found


def list_of_numbers(
    node: ast.List, span: Span, error: Callable[[ast.expr, str], PlaygroundError]
) -> NumberList:
    """A list of written numbers, or of such lists of one length.

    Raises:
        PlaygroundError: anything else in it, an empty or ragged list, one too long.
    """
    count = sum(len(item.elts) if isinstance(item, ast.List) else 1 for item in node.elts)
    if not 0 < count <= MAX_ELEMENTS:
        problem = "is empty" if not count else f"holds {count:,} numbers"
        raise error(node, f"This list {problem}. It takes 1 to {MAX_ELEMENTS:,} numbers.")
    if not any(isinstance(item, ast.List) for item in node.elts):
        return NumberList(span, "tensor", tuple(_number(item, error) for item in node.elts))
    rows = []
    for item in node.elts:
        if not isinstance(item, ast.List):
            raise error(item, "A list holds numbers, or lists of numbers, not both.")
        rows.append(tuple(_number(entry, error) for entry in item.elts))
        if len(rows[-1]) != len(rows[0]):
            raise error(
                item, f"This row has {len(rows[-1])} numbers, the first has {len(rows[0])}. All "
                "rows need the same.",
            )  # fmt: skip
    return NumberList(span, "tensor", tuple(rows))


def _number(
    node: ast.expr, error: Callable[[ast.expr, str], PlaygroundError], negative: bool = False
) -> float:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)) and not negative:
        value = _number(node.operand, error, negative=True)
        return -value if isinstance(node.op, ast.USub) else value
    written = node.value if isinstance(node, ast.Constant) else None
    if isinstance(written, int | float) and not isinstance(written, bool):
        value = float(written)
        if abs(value) <= MAX_NUMBER:
            return value
        raise error(node, f"This number is larger than {MAX_NUMBER:g}. Use a smaller one.")
    raise error(node, "A list holds written numbers only, as in [1, 2, -0.5].")
