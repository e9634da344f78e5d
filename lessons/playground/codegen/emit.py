"""Writes expressions in torch, TensorFlow 2 and JAX: nodes in, Python's own `ast` out.

`ast.unparse` then sets the brackets, so no string is ever glued together. program_file.py wraps
what comes from here into a file that runs; frameworks.py holds what each framework needs.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lessons.playground.codegen.frameworks import Framework
from lessons.playground.language.expressions import (
    Call,
    Name,
    Node,
    Nothing,
    Number,
    NumberList,
    Operator,
    PyFunc,
    Surrogate,
)
from lessons.playground.language.functions import FUNCTIONS, Function

_SIGNS: dict[str, ast.operator] = {
    "+": ast.Add(), "-": ast.Sub(), "*": ast.Mult(), "/": ast.Div(), "**": ast.Pow(),
    "@": ast.MatMult(),
}  # fmt: skip
_COMPARISONS: dict[str, ast.cmpop] = {
    "<": ast.Lt(), "<=": ast.LtE(), ">": ast.Gt(), ">=": ast.GtE(), "==": ast.Eq(),
    "!=": ast.NotEq(),
}  # fmt: skip


@dataclass
class Emitter:
    """Writes nodes.

    Args:
        framework: how things are spelt there.
        wrapped: op type → the rule's name: ops to write as ``overridden(op, rule)(…)``.
        names: how each of the learner's names is written.
    """

    framework: Framework
    wrapped: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def expression(self, node: Node, floats: bool = False) -> ast.expr:
        """One expression; ``floats`` writes whole numbers as 2.0."""
        if isinstance(node, Number):
            return _constant(node.value, floats)
        if isinstance(node, Name):
            return ast.Name(self.names.get(node.id, node.id))
        if isinstance(node, Nothing):
            return ast.Constant(None)
        if isinstance(node, NumberList):
            return self._tensor(_list(node.values))
        if isinstance(node, PyFunc):
            return self._py_func(node)
        if isinstance(node, Surrogate):
            return self._surrogate(node)
        wrapped = [self.wrapped[op] for op in node.op_types if op in self.wrapped]
        if wrapped:
            return self._overridden(node, wrapped[0])
        return self._plain(node, [self.expression(c, _floats(node)) for c in node.children])

    def _plain(self, node: Node, operands: Sequence[ast.expr]) -> ast.expr:
        if isinstance(node, Operator):
            if len(operands) == 1:
                return ast.UnaryOp(ast.USub(), operands[0])
            if node.sign in _COMPARISONS:
                return ast.Compare(operands[0], [_COMPARISONS[node.sign]], [operands[1]])
            if node.sign == "@" and self.framework.name == "tensorflow":
                # Its own @ takes no vectors.
                return fill(FUNCTIONS["matmul"].tensorflow, {"a": operands[0], "b": operands[1]})
            return ast.BinOp(operands[0], _SIGNS[node.sign], operands[1])
        assert isinstance(node, Call)
        return self._call(node, operands)

    def _call(self, node: Call, operands: Sequence[ast.expr]) -> ast.expr:
        function = node.function
        given: dict[str, ast.expr] = {}
        branches = [p.kind for p in function.parameters].count("any")
        numbers = [a.kind == "number" for a in node.arguments]
        for parameter, argument, operand in zip(
            function.parameters, node.arguments, operands, strict=False
        ):
            made = operand
            if parameter.kind == "whole":
                made = _whole(argument)
            elif isinstance(argument, Number):
                made = _constant(argument.value, floats=True)
            both = parameter.kind == "any" and sum(numbers) == branches
            if argument.kind == "number" and (parameter.kind == "tensor" or both):
                made = self._tensor(made)
            given[parameter.name] = made
        return fill(self.framework.spelling(function), given)

    def _overridden(self, node: Node, rule: str) -> ast.expr:
        """``overridden(lambda p1: p1 * 6, rule_1)(x)``: only tensors are operands."""
        tensors = [c for c in node.children if c.kind != "number"]
        names = _parameters(len(tensors))
        waiting = iter(names)
        inner = [
            self.expression(child) if child.kind == "number" else ast.Name(next(waiting))
            for child in node.children
        ]
        op = _lambda(names, self._plain(node, inner))
        return ast.Call(_wrap(op, rule), [self.expression(c) for c in tensors], [])

    def _surrogate(self, node: Surrogate) -> ast.expr:
        operand = self.expression(node.operand)
        if node.operand.kind == "number":
            operand = self._tensor(self.expression(node.operand, floats=True))
        functions = [self.function(one) for one in node.functions]
        return ast.Call(ast.Call(ast.Name(node.trick), functions, []), [operand], [])

    def function(self, function: Function) -> ast.expr:
        """The function itself, as a value: ``torch.round``, or a lambda."""
        template = ast.parse(self.framework.spelling(function), mode="eval").body
        first = function.parameters[0].name
        made: ast.expr
        if isinstance(template, ast.Call) and [ast.unparse(a) for a in template.args] == [first]:
            made = template.func
        else:
            (name,) = _parameters(1)
            made = _lambda([name], fill(self.framework.spelling(function), {first: ast.Name(name)}))
        rule = self.wrapped.get(function.op or "")
        return _wrap(made, rule) if rule else made

    def _py_func(self, node: PyFunc) -> ast.expr:
        names = [self.names.get(name.id, name.id) for name in node.inputs]
        inner = Emitter(self.framework, {}, self.names)
        outputs = [inner.expression(output) for output in node.outputs]
        body = ast.Tuple(outputs) if node.kind == "several" else outputs[0]
        arguments: list[ast.expr] = [ast.Name(name) for name in names]
        func = _lambda(names, body)
        rule = self.wrapped.get("py_func")
        if rule:
            run = ast.Call(ast.Name("py_func"), [func, *arguments], [])
            return ast.Call(_wrap(_lambda(names, run), rule), arguments, [])
        return ast.Call(ast.Name("py_func"), [func, *arguments], [])

    def _tensor(self, number: ast.expr) -> ast.expr:
        return fill(self.framework.tensor, {"value": number})


class _Fill(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def fill(template: str, given: Mapping[str, ast.expr]) -> ast.expr:
    """A template with expressions for its names; an argument that is not given falls away.

    >>> ast.unparse(fill("torch.sum(x, axis)", {"x": ast.Name("y")}))
    'torch.sum(y)'
    """
    tree = ast.parse(template, mode="eval").body
    if isinstance(tree, ast.Call):
        known = set(given)
        tree.args = [a for a in tree.args if not isinstance(a, ast.Name) or a.id in known]
    made: ast.expr = _Fill(given).visit(tree)
    return made


def _floats(node: Node) -> bool:
    return isinstance(node, Operator) and node.kind == "number"


def _constant(value: float, floats: bool) -> ast.expr:
    whole = value == int(value) and abs(value) < 2**31
    return ast.Constant(int(value) if whole and not floats else value)


def _whole(argument: Node) -> ast.expr:
    (digits,) = argument.children or (argument,)
    made = ast.Constant(int(digits.value)) if isinstance(digits, Number) else ast.Constant(0)
    return made if argument is digits else ast.UnaryOp(ast.USub(), made)


def _list(values: object) -> ast.expr:
    if isinstance(values, tuple):
        return ast.List([_list(value) for value in values])
    assert isinstance(values, float)
    positive = ast.Constant(abs(values))
    return ast.UnaryOp(ast.USub(), positive) if str(values).startswith("-") else positive


def _parameters(count: int) -> list[str]:
    return [f"p{place}" for place in range(1, count + 1)]


def _lambda(names: Sequence[str], body: ast.expr) -> ast.expr:
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in names], kwonlyargs=[], kw_defaults=[],
        defaults=[],
    )  # fmt: skip
    return ast.Lambda(arguments, body)


def _wrap(op: ast.expr, rule: str) -> ast.expr:
    return ast.Call(ast.Name("overridden"), [op, ast.Name(rule)], [])
