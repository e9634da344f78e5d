"""What a program is once it has been read: expressions, each with its place in the text.

Only what stands here can run. There is no node for an attribute, a subscript or a Python object.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lessons.playground.language.functions import Function

Kind = Literal["number", "tensor", "mask", "several"]
"""A Python float; a tensor; what a comparison gives; more than one tensor."""


@dataclass(frozen=True)
class Span:
    """Where an expression stands: offsets into the text, and line and column, 1 for the first."""

    start: int
    end: int
    line: int
    column: int


@dataclass(frozen=True)
class Node:
    """Any expression.

    Args:
        span: its place, the brackets around it not counted.
        kind: what it gives.
    """

    span: Span
    kind: Kind

    @property
    def children(self) -> tuple["Node", ...]:
        """The expressions it is made of, in the order they are computed."""
        return ()

    @property
    def op_types(self) -> tuple[str, ...]:
        """The engine's op types that it runs itself, its children's not counted."""
        return ()


@dataclass(frozen=True)
class Number(Node):
    """A number as written."""

    value: float


@dataclass(frozen=True)
class NumberList(Node):
    """A list of numbers, or of such lists: a constant tensor of 1 or 2 dimensions."""

    values: tuple[float, ...] | tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Name(Node):
    """A name that was given before."""

    id: str


@dataclass(frozen=True)
class Nothing(Node):
    """None: no gradient for this operand. Only in a rule."""


@dataclass(frozen=True)
class Operator(Node):
    """One of + - * / ** @ and the comparisons, or with one operand the sign -."""

    sign: str
    operands: tuple[Node, ...]

    @property
    def children(self) -> tuple[Node, ...]:
        return self.operands

    @property
    def op_types(self) -> tuple[str, ...]:
        if self.kind == "number" or self.sign not in OPERATOR_TYPES:
            return ()
        return ("neg",) if len(self.operands) == 1 else (OPERATOR_TYPES[self.sign],)


@dataclass(frozen=True)
class Call(Node):
    """A function of the table called with expressions."""

    function: Function
    arguments: tuple[Node, ...]

    @property
    def children(self) -> tuple[Node, ...]:
        return self.arguments

    @property
    def op_types(self) -> tuple[str, ...]:
        return (self.function.op,) if self.function.op else ()


@dataclass(frozen=True)
class Surrogate(Node):
    """``straight_through(f)(x)`` or ``forward_backward(f, g)(x)``: functions named, one operand."""

    trick: str
    functions: tuple[Function, ...]
    operand: Node

    @property
    def children(self) -> tuple[Node, ...]:
        return (self.operand,)

    @property
    def op_types(self) -> tuple[str, ...]:
        # In the engine's order: the surrogate first, then the value.
        return tuple(f.op for f in reversed(self.functions) if f.op)


@dataclass(frozen=True)
class PyFunc(Node):
    """``py_func(a + b, a * b)``: the expressions as one op with an output each and no gradient.

    Args:
        inputs: the names that the expressions read, in order: the op's inputs.
        outputs: the expressions.
    """

    inputs: tuple[Name, ...]
    outputs: tuple[Node, ...]

    @property
    def children(self) -> tuple[Node, ...]:
        return self.inputs

    @property
    def op_types(self) -> tuple[str, ...]:
        return ("py_func",)


@dataclass(frozen=True)
class Assignment:
    """One line: the names it gives, the expression, and where the line starts."""

    names: tuple[str, ...]
    value: Node
    span: Span


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
    def reads(self) -> frozenset[str]:
        """Every name that its expressions read."""
        found = (node for line in self.assignments for node in walk(line.value))
        return frozenset(node.id for node in found if isinstance(node, Name))

    @property
    def ops(self) -> int:
        """How many ops run on tensors."""
        plain = (Number, NumberList, Name)
        found = (node for line in self.assignments for node in walk(line.value))
        return sum(not isinstance(one, plain) and one.kind != "number" for one in found)

    @property
    def op_types(self) -> tuple[str, ...]:
        """The engine's op types that it runs, each once, in order."""
        found = (op for line in self.assignments for n in walk(line.value) for op in n.op_types)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Rule:
    """A rule's expressions: one gradient for each tensor operand of the op."""

    text: str
    gradients: tuple[Node, ...]


OPERATOR_TYPES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow", "@": "matmul",
}  # fmt: skip
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order they are computed."""
    for child in node.children:
        yield from walk(child)
    yield node
