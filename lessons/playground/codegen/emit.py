"""Writes expressions in torch: `ast` in, `ast` out.

`ast.unparse` then sets the brackets, so no string is ever glued together. program_file.py wraps
what comes from here into a file that runs.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from lessons.playground.codegen.helpers import HELPERS
from lessons.playground.language.constants import value_of
from lessons.playground.language.expressions import (
    Node,
    called,
    children,
    kind_of,
    op_types,
    row_of,
    sign,
    surrogates,
    written,
)
from lessons.playground.language.functions import Function
from lessons.playground.language.rewrite import Put

_OURS = re.compile(
    rf"({'|'.join(('torch', 'gradient_override_map', *HELPERS))}|rule_\d+)_*", re.ASCII
)


def python_name(name: str) -> str:
    """Write a name of the learner's: one like a name of the file's own gets a _ behind it.

    No two become one. The parameters of a ``lambda`` begin with a _, as no learner's name does.

    >>> python_name("torch"), python_name("torch_"), python_name("x")
    ('torch_', 'torch__', 'x')
    """
    return f"{name}_" if _OURS.fullmatch(name) else name


@dataclass
class Emitter:
    """Writes the expressions of a program.

    Args:
        wrapped: op type → the rule's name: ops to write as ``overridden(op, rule)(…)``.
    """

    wrapped: Mapping[str, str] = field(default_factory=dict)

    def text(self, node: Node, floats: bool = False) -> str:
        """Write one expression; ``floats`` writes whole numbers as 2.0."""
        return ast.unparse(ast.fix_missing_locations(self.expression(node, floats)))

    def expression(self, node: Node, floats: bool = False) -> ast.expr:
        """Translate one expression; ``floats`` writes whole numbers as 2.0."""
        if isinstance(node, ast.Constant):
            return node if node.value is None else _constant(written(node), floats)
        if isinstance(node, ast.Name):
            return ast.Name(python_name(node.id))
        if isinstance(node, ast.List):
            return _tensor(node)
        if named := surrogates(node):
            return self._surrogate(node, named)
        if isinstance(node, ast.Call) and called(node) == "py_func":
            return self._py_func(node)
        wrapped = [self.wrapped[op] for op in op_types(node) if op in self.wrapped]
        if wrapped:
            return self._overridden(node, wrapped[0])
        return self._plain(node, [self.expression(c, _floats(node)) for c in children(node)])

    def _plain(self, node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, operands[0])
        if isinstance(node, ast.Compare):
            return ast.Compare(operands[0], node.ops, [operands[1]])
        if isinstance(node, ast.BinOp):
            return ast.BinOp(operands[0], node.op, operands[1])
        row = row_of(node)
        assert row is not None
        return _call(row, children(node), operands)

    def _overridden(self, node: Node, rule: str) -> ast.expr:
        """``overridden(lambda _a: _a * 6, rule_1)(x)``: only tensors are operands."""
        tensors = [child for child in children(node) if kind_of(child) != "number"]
        names = [f"_{letter}" for letter in ascii_lowercase[: len(tensors)]]
        waiting = iter(names)
        inner = [
            self.expression(child) if kind_of(child) == "number" else ast.Name(next(waiting))
            for child in children(node)
        ]
        op = _lambda(names, self._plain(node, inner))
        return ast.Call(_wrap(op, rule), [self.expression(child) for child in tensors], [])

    def _surrogate(self, node: Node, named: Sequence[Function]) -> ast.expr:
        (given,) = children(node)
        operand = self.expression(given)
        if kind_of(given) == "number":
            operand = _tensor(self.expression(given, floats=True))
        functions = [self.function(one) for one in named]
        return ast.Call(ast.Call(ast.Name(called(node)), functions, []), [operand], [])

    def function(self, function: Function) -> ast.expr:
        """The function itself, as a value: ``torch.round``, or a lambda."""
        template = ast.parse(function.code, mode="eval").body
        first = function.parameters[0].name
        made: ast.expr
        if isinstance(template, ast.Call) and [ast.unparse(a) for a in template.args] == [first]:
            made = template.func
        else:
            made = _lambda(["_a"], fill(function.code, {first: ast.Name("_a")}))
        rule = self.wrapped.get(function.op or "")
        return _wrap(made, rule) if rule else made

    def _py_func(self, node: ast.Call) -> ast.expr:
        names = [python_name(one.id) for one in children(node) if isinstance(one, ast.Name)]
        outputs = [Emitter().expression(output) for output in node.args]
        body = ast.Tuple(outputs) if kind_of(node) == "several" else outputs[0]
        arguments: list[ast.expr] = [ast.Name(name) for name in names]
        func = _lambda(names, body)
        run = ast.Call(ast.Name("py_func"), [func, *arguments], [])
        rule = self.wrapped.get("py_func")
        return ast.Call(_wrap(_lambda(names, run), rule), arguments, []) if rule else run


def _call(function: Function, arguments: Sequence[Node], operands: Sequence[ast.expr]) -> ast.expr:
    given: dict[str, ast.expr] = {}
    branches = [p.kind for p in function.parameters].count("any")
    numbers = [kind_of(argument) == "number" for argument in arguments]
    for parameter, argument, operand in zip(function.parameters, arguments, operands, strict=False):
        made = operand
        if parameter.kind == "whole":
            made = ast.Constant(int(value_of(argument) or 0))
        elif isinstance(argument, ast.Constant):
            made = _constant(written(argument), floats=True)
        both = parameter.kind == "any" and sum(numbers) == branches
        if kind_of(argument) == "number" and (parameter.kind == "tensor" or both):
            made = _tensor(made)
        given[parameter.name] = made
    return fill(function.code, given)


def _tensor(number: ast.expr) -> ast.expr:
    return fill("torch.tensor(value)", {"value": number})


def fill(template: str, given: Mapping[str, ast.expr]) -> ast.expr:
    """A template with expressions for its names; an argument that is not given falls away.

    >>> ast.unparse(fill("torch.sum(x, axis)", {"x": ast.Name("y")}))
    'torch.sum(y)'
    """
    tree = ast.parse(template, mode="eval").body
    if isinstance(tree, ast.Call):
        known = set(given)
        tree.args = [a for a in tree.args if not isinstance(a, ast.Name) or a.id in known]
    made: ast.expr = Put(given).visit(tree)
    return made


def _floats(node: Node) -> bool:
    return bool(sign(node)) and kind_of(node) == "number"


def _constant(value: float, floats: bool) -> ast.expr:
    whole = value == int(value) and abs(value) < 2**31
    return ast.Constant(int(value) if whole and not floats else value)


def _lambda(names: Sequence[str], body: ast.expr) -> ast.expr:
    given = [ast.arg(name) for name in names]
    arguments = ast.arguments(
        posonlyargs=[], args=given, kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    return ast.Lambda(arguments, body)


def _wrap(op: ast.expr, rule: str) -> ast.expr:
    return ast.Call(ast.Name("overridden"), [op, ast.Name(rule)], [])
