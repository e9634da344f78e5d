"""What a program is once it has been read: Python's own `ast`, in the language's one spelling.

The reader builds each expression from names, numbers, lists of numbers, operators, comparisons and
calls of functions by name, with all of their operands in order. Nothing else can run. Each
expression knows its kind, and its place in the text: the brackets around it do not count.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, NamedTuple, TypeVar

from lessons.playground.language.functions import FUNCTIONS, Function
from lessons.playground.language.limits import MAX_NUMBER
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.words import WORDS

Kind = Literal["number", "tensor", "mask", "several"]
"""A Python float; a tensor; what a comparison gives; more than one tensor."""

Node = ast.expr
_Node = TypeVar("_Node", bound=Node)


class Sign(NamedTuple):
    """An operator or comparison.

    Args:
        node: Python's own class of it.
        run: what it computes.
        op: the engine's op type that it runs on tensors, if a map could meet it.
    """

    node: type[ast.operator | ast.cmpop]
    run: Callable[[Any, Any], Any]
    op: str = ""


SIGNS = {
    "+": Sign(ast.Add, operator.add, "add"),
    "-": Sign(ast.Sub, operator.sub, "sub"),
    "*": Sign(ast.Mult, operator.mul, "mul"),
    "/": Sign(ast.Div, operator.truediv, "div"),
    "**": Sign(ast.Pow, operator.pow, "pow"),
    "@": Sign(ast.MatMult, operator.matmul, "matmul"),
    "<": Sign(ast.Lt, operator.lt),
    "<=": Sign(ast.LtE, operator.le),
    ">": Sign(ast.Gt, operator.gt),
    ">=": Sign(ast.GtE, operator.ge),
    "==": Sign(ast.Eq, operator.eq),
    "!=": Sign(ast.NotEq, operator.ne),
}
_SPELT: dict[type[ast.AST], str] = {row.node: sign for sign, row in SIGNS.items()}


def of_kind(made: _Node, kind: Kind, at: Node) -> _Node:
    """Set the kind of a new expression, give it the place of ``at``, and return it."""
    vars(made)["kind"] = kind
    return ast.copy_location(made, at)


def with_place(made: _Node, at: ast.expr | ast.stmt) -> _Node:
    """Give the parts of an expression that have no place the place of ``at``, and return it."""
    for part in ast.walk(made):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, at)
    return made


def kind_of(node: Node) -> Kind:
    """Return an expression's kind."""
    found: Kind = vars(node)["kind"]
    return found


def written(node: Node) -> float:
    """The value of a number that the program writes."""
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, float)
    return node.value


def sign(node: Node) -> str:
    """The sign of an operator or comparison; “” for other expressions, and for a sign unknown."""
    if isinstance(node, ast.UnaryOp):
        return "-"
    if isinstance(node, ast.Compare):
        return _SPELT.get(type(node.ops[0]), "")
    return _SPELT.get(type(node.op), "") if isinstance(node, ast.BinOp) else ""


def called(node: Node) -> str:
    """The function that a call names; of ``straight_through(f)(x)`` that is straight_through."""
    func = node.func if isinstance(node, ast.Call) else None
    func = func.func if isinstance(func, ast.Call) else func
    return func.id if isinstance(func, ast.Name) else ""


def row_of(node: Node) -> Function | None:
    """The row of the function that a call names; None if the table has no such function."""
    return FUNCTIONS.get(called(node))


def surrogates(node: Node) -> list[Function]:
    """The functions named in ``straight_through(f)(x)`` or ``forward_backward(f, g)(x)``."""
    inner = node.func if isinstance(node, ast.Call) else None
    given = inner.args if isinstance(inner, ast.Call) else []
    return [FUNCTIONS[one.id] for one in given if isinstance(one, ast.Name)]


def children(node: Node) -> Sequence[Node]:
    """The expressions that one is made of, in the order they are computed.

    Those of ``py_func`` are the names that its expressions read: the op's inputs.
    """
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if not isinstance(node, ast.Call):
        return []
    if called(node) != "py_func":
        return node.args
    read = (part for output in node.args for part in walk(output))
    names = [one for one in read if isinstance(one, ast.Name) and kind_of(one) == "tensor"]
    first = {one.id: one for one in reversed(names)}
    return [one for one in names if first[one.id] is one]


def apply(node: Node, values: Sequence[float]) -> float:
    """The result of an operator on floats: small, quick and bounded.

    Raises:
        PlaygroundError: a division by 0, a root of a negative number, a result too large.
    """
    try:
        found = -values[0] if len(values) == 1 else SIGNS[sign(node)].run(*values)
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
    if kind_of(node) != "number" or isinstance(node, ast.Name):
        return None
    if isinstance(node, ast.Constant):
        return written(node)
    values = [value for one in children(node) if (value := value_of(one)) is not None]
    return apply(node, values) if len(values) == len(children(node)) else None


def op_types(node: Node) -> tuple[str, ...]:
    """The engine's op types that an expression runs itself, its children's not counted."""
    if named := surrogates(node):  # in the engine's order: the surrogate first, then the value
        return tuple(one.op for one in reversed(named) if one.op)
    if called(node) == "py_func":
        return ("py_func",)
    row = row_of(node)
    if row is not None:
        return (row.op,) if row.op else ()
    if kind_of(node) == "number" or not sign(node):
        return ()
    op = "neg" if isinstance(node, ast.UnaryOp) else SIGNS[sign(node)].op
    return (op,) if op else ()


def walk(node: Node) -> Iterator[Node]:
    """The expression and all below it, in the order they are computed."""
    for child in children(node):
        yield from walk(child)
    yield node


def span(text: str, node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Where an expression starts and ends, as offsets into the program's text."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    return starts[node.lineno - 1] + node.col_offset, end


def words(text: str, node: ast.expr | ast.stmt, most: int = 10_000) -> str:
    """The expression as it stands in the program, in one line, cut short."""
    start, end = span(text, node)
    found = " ".join(text[start:end].split())
    return found if len(found) <= most else found[: most - 1] + "…"


@dataclass(frozen=True)
class Assignment:
    """One line: the names it gives, and the expression."""

    names: tuple[str, ...]
    value: Node

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every expression in it, in the order they are computed."""
        return tuple(walk(self.value))

    @cached_property
    def op_types(self) -> tuple[str, ...]:
        """The engine's op types that it runs, in order."""
        return tuple(op for node in self.nodes for op in op_types(node))


@dataclass(frozen=True)
class Program:
    """A whole program, with its text."""

    text: str
    assignments: tuple[Assignment, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that it gives, in order."""
        return tuple(name for line in self.assignments for name in line.names)

    @property
    def nodes(self) -> list[Node]:
        """Every expression, in the order they are computed."""
        return [node for line in self.assignments for node in line.nodes]

    def behind(self, name: str) -> set[str]:
        """The names that lines give and that this one is made of, itself among them."""
        lines = {n: line for line in self.assignments for n in line.names}
        found, waiting = set[str](), [name]
        while waiting:
            if (one := waiting.pop()) in lines and one not in found:
                found.add(one)
                waiting += [n.id for n in lines[one].nodes if isinstance(n, ast.Name)]
        return found

    @property
    def reads(self) -> frozenset[str]:
        """Every name that its expressions read."""
        return frozenset(node.id for node in self.nodes if isinstance(node, ast.Name))

    @property
    def ops(self) -> int:
        """How many ops run on tensors."""
        plain = (ast.Constant, ast.List, ast.Name)
        return sum(not isinstance(one, plain) and kind_of(one) != "number" for one in self.nodes)

    @property
    def op_types(self) -> tuple[str, ...]:
        """The engine's op types that it runs, each once, in order."""
        return tuple(dict.fromkeys(op for line in self.assignments for op in line.op_types))


def reaches_torch(node: Node, child: Node) -> bool:
    """Whether an operand is a tensor by the time that torch gets it; the interpreter makes some."""
    row = row_of(node)
    if kind_of(child) != "number" or row is None:
        return kind_of(child) != "number"
    place = children(node).index(child)
    branches = children(node)[1:]
    return row.parameters[place].kind == "tensor" or (
        row.name == "where" and place == 1 and all(kind_of(one) == "number" for one in branches)
    )
