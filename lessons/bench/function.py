"""A function of x and the noise u as a program with one op a line, and the same without its noise.

Every result has a name, so a trick can go in at any of them, and each has a gradient to show.
"""

import ast
import copy
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from lessons.playground.language.functions import Put
from lessons.playground.language.pasted_expressions import names_in

NOISE = "u"
"""The name of the noise."""
_NAMES = "y", "w", "v", "t", "s", "r", "q", "p"
"""Names for results that the function leaves unnamed, in this order."""
_OUTPUT = "z"


@dataclass(frozen=True)
class Line:
    """An assignment: the names it gives, and the expression as Python's ``ast`` has it."""

    names: tuple[str, ...]
    value: ast.expr

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names that it reads, those of functions among them."""
        return frozenset(names_in(self.value))

    @cached_property
    def text(self) -> str:
        """The line in the playground's language."""
        value = ast.unparse(self.value).replace(" ** ", "**")
        return f"{', '.join(self.names)} = {value}"


@dataclass(frozen=True)
class Function:
    """A program with one op a line.

    Args:
        lines: in the order they run.
        inputs: the names that it reads besides the noise; the charts move the first one.
        middle: replaces u where it can't just be left out.
    """

    lines: tuple[Line, ...]
    inputs: tuple[str, ...]
    middle: float = 1.0

    @property
    def output(self) -> str:
        return self.lines[-1].names[0]

    @property
    def text(self) -> str:
        """The program."""
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def moving(self) -> frozenset[str]:
        """The names whose value depends on the first input."""
        return self._after(self.inputs[0])

    @cached_property
    def noisy(self) -> frozenset[str]:
        """The names whose value depends on the noise."""
        return self._after(NOISE)

    @cached_property
    def stops_noise(self) -> bool:
        """Whether the noise reaches the output through ``stop_gradient`` alone."""
        lines = tuple(
            replace(line, value=_WithoutStopped().visit(copy.deepcopy(line.value)))
            for line in self.lines
        )
        return self.output not in replace(self, lines=lines).noisy

    def _after(self, name: str) -> frozenset[str]:
        found = {name}
        for line in self.lines:
            if line.reads & found:
                found |= {*line.names}
        return frozenset(found)

    @cached_property
    def without_noise(self) -> Mapping[str, ast.expr]:
        """For each result that the noise reaches, an expression of it without the noise."""
        found: dict[str, ast.expr] = {}
        for line in self.lines:
            if line.names[0] in self.noisy and len(line.names) == 1:
                quiet = _with_noise(line.value, "off", ast.Constant(self.middle))
                found[line.names[0]] = put(quiet, found)
        return found

    def with_line(self, name: str, value: ast.expr) -> "Function":
        """This function with another expression for a name."""
        made = (replace(one, value=value) if name in one.names else one for one in self.lines)
        return replace(self, lines=tuple(made))

    def with_input(self, name: str, instead: str, value: ast.expr) -> "Function":
        """This function, where a new first line computes what the others read in place of an input.

        Args:
            name: the input.
            instead: the name of the new line.
            value: its expression.
        """
        lines = (replace(one, value=put(one.value, {name: _name(instead)})) for one in self.lines)
        return replace(self, lines=(Line((instead,), value), *lines))


def read_function(text: str, inputs: Sequence[str], noise: str, middle: float = 1.0) -> Function:
    """Break a function down into ops.

    Args:
        text: one expression or several assignments, in the playground's language; the caller has
            checked it.
        inputs: the names that it may read besides ``u``.
        noise: "typed" leaves u where the text has it. "multiply" and "add" make each product or
            sum with u the one or the other; if the text has no u, they join it to the first input.
            "off" takes it out.
        middle: the middle of the noise's range.

    >>> print(read_function("sqrt(x**2 * u)", ["x"], "multiply").text)
    y = x**2
    yu = y * u
    z = sqrt(yu)
    >>> print(read_function("x**2 * x", ["x"], "add").text)
    xu = x + u
    y = xu**2
    z = y * xu
    """
    body = ast.parse(text).body
    told = [(_targets(one), one.value) for one in body if isinstance(one, ast.Assign | ast.Expr)]
    reads = {name for _, value in told for name in names_in(value)}
    first = inputs[0]
    if NOISE in reads:
        if noise != "typed":
            told = [
                (names, _with_noise(value, noise, ast.Constant(middle))) for names, value in told
            ]
    elif noise not in ("off", "typed"):
        joined = _with_op(_name(first), noise)
        told = [(names, put(value, {first: _name(f"{first}{NOISE}")})) for names, value in told]
        told.insert(0, ((f"{first}{NOISE}",), joined))
    known = {*inputs, NOISE} | {name for names, _ in told for name in names}
    endless = itertools.chain(_NAMES, (f"{_NAMES[0]}{n}" for n in itertools.count(2)))
    free = (name for name in endless if name not in reads | known)
    lines: list[Line] = []
    for names, value in told:
        value = _broken_down(value, known, free, lines)
        if isinstance(value, ast.Name):  # the noise's op was the only one
            value = expression("identity(x)", x=value)
        lines.append(Line(names or (_OUTPUT,), value))
    return Function(tuple(lines), tuple(inputs), middle)


@lru_cache(maxsize=64)
def needs_middle(text: str) -> bool:
    """Whether u can't just be left out: in `sin(u)` or `u / x`, not in `x * u` or `x - u`."""
    lines = (one.value for one in ast.parse(text).body if isinstance(one, ast.Assign | ast.Expr))
    return any(NOISE in names_in(_with_noise(value, "off", _name(NOISE))) for value in lines)


def after_trick(name: str) -> str:
    """The name that a program's lines read where a trick is around the input of this name."""
    return f"{name}_in"


def put(node: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """Replace names in an expression with other expressions."""
    made: ast.expr = Put(given).visit(copy.deepcopy(node))
    return made


def expression(text: str, **given: ast.expr) -> ast.expr:
    """Read an expression of ours, and replace its names with other expressions."""
    return put(ast.parse(text, mode="eval").body, given)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _targets(line: ast.Assign | ast.Expr) -> tuple[str, ...]:
    if isinstance(line, ast.Expr):
        return ()
    return tuple(re.findall(r"\w+", ast.unparse(line.targets[0])))


def _with_op(value: ast.expr, noise: str) -> ast.expr:
    op = ast.Add() if noise == "add" else ast.Mult()
    return ast.BinOp(value, op, _name(NOISE))


def _is_noise(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == NOISE


def _beside_noise(node: ast.expr) -> ast.expr | None:
    """The v of `v * u`, `v / u`, `v + u`, `v - u`, `u * v` or `u + v`; None for other nodes."""
    if not isinstance(node, ast.BinOp):
        return None
    left, right = map(_is_noise, (node.left, node.right))
    if right and isinstance(node.op, ast.Mult | ast.Add | ast.Sub | ast.Div):
        return node.left
    return node.right if left and isinstance(node.op, ast.Mult | ast.Add) else None


class _Noise(ast.NodeTransformer):
    """Takes u out of an expression, or turns each `v * u` and `v + u` into what `noise` names.

    Args:
        noise: "off", "multiply" or "add".
        middle: replaces u where it can't just be left out.
    """

    def __init__(self, noise: str, middle: ast.expr) -> None:
        self.noise, self.middle = noise, middle

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        other = _beside_noise(node)
        if other and self.noise == "off":
            return self.visit(other)  # type: ignore[no-any-return]
        if other and isinstance(node.op, ast.Mult | ast.Add):
            return _with_op(self.visit(other), self.noise)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and _is_noise(node.func.value):  # u.abs()
            node = ast.Call(_name(node.func.attr), [node.func.value, *node.args], node.keywords)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.middle if self.noise == "off" and node.id == NOISE else node


class _WithoutStopped(ast.NodeTransformer):
    """Puts 0 in place of each ``stop_gradient(…)``."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id == "stop_gradient":
            return ast.Constant(0.0)
        return self.generic_visit(node)  # type: ignore[return-value]


def _with_noise(value: ast.expr, noise: str, middle: ast.expr) -> ast.expr:
    made: ast.expr = _Noise(noise, middle).visit(copy.deepcopy(value))
    return made


def _broken_down(
    value: ast.expr, known: set[str], free: Iterator[str], lines: list[Line]
) -> ast.expr:
    """The expression; each operand that is an op moves to a line of its own."""

    def operand(node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name | ast.Constant | ast.List | ast.Compare | ast.Lambda):
            return node
        if not names_in(node) & known:  # a number, or a function by its name
            return node
        inner = whole(node)
        reads = sorted(names_in(inner) & known)
        beside = [name for name in reads if name != NOISE]
        joins = NOISE in reads and len(beside) == 1 and f"{beside[0]}{NOISE}" not in known
        name = f"{beside[0]}{NOISE}" if joins else next(free)
        known.add(name)
        lines.append(Line((name,), inner))
        return _name(name)

    def whole(node: ast.expr) -> ast.expr:
        if isinstance(node, ast.BinOp):
            return ast.BinOp(operand(node.left), node.op, operand(node.right))
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, operand(node.operand))
        if isinstance(node, ast.Call) and ast.unparse(node.func) != "py_func":
            func = node.func
            if isinstance(func, ast.Attribute) and names_in(func) & known:  # x.abs()
                func = ast.Attribute(operand(func.value), func.attr, ast.Load())
            keywords = [ast.keyword(one.arg, operand(one.value)) for one in node.keywords]
            return ast.Call(func, [operand(one) for one in node.args], keywords)
        return node

    return whole(value)
