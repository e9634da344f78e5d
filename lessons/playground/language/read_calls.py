"""Reads calls: of the functions in the table, of the tricks that take functions, of py_func."""

import ast
from typing import Protocol

from lessons.playground.language.errors import PlaygroundError, brief, nearest
from lessons.playground.language.expressions import (
    Call,
    Name,
    Node,
    Number,
    Operator,
    PyFunc,
    Span,
    Surrogate,
    walk,
)
from lessons.playground.language.functions import CALLABLE, FORMS, FUNCTIONS, Function, Parameter


class Reader(Protocol):
    """What this file needs of parse.py's reader."""

    def read(self, node: ast.expr, several: int = 0) -> Node: ...
    def span(self, node: ast.expr) -> Span: ...
    def error(self, node: ast.expr | ast.keyword, message: str) -> PlaygroundError: ...


class CallReader:
    """Turns `ast.Call` into nodes.

    Args:
        reader: reads the arguments and knows the names.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._in_py_func = False

    def read(self, node: ast.Call, several: int) -> Node:
        """One call; ``several`` is how many names wait for its outputs, 0 for one name."""
        error = self.reader.error
        called = node.func
        if isinstance(called, ast.Call) and isinstance(called.func, ast.Name):
            name = called.func.id
            if name in ("straight_through", "forward_backward"):
                self._one_output(node, name, several)
                return self._surrogate(node, called, name)
            raise error(called, f"What {brief(name)} gives cannot be called. Remove one of the "
                        "two pairs of brackets.")  # fmt: skip
        if not isinstance(called, ast.Name):
            raise error(called, "Only a function’s name can stand before brackets.")
        name = called.id
        if name == "py_func":
            return self._py_func(node, several)
        if name in FORMS:
            raise error(node, f"{name} takes functions by name, then its operand. Write "
                        f"{FORMS[name][0]}, as in {FORMS[name][1].rsplit(': ', 1)[1]}")  # fmt: skip
        function = FUNCTIONS.get(name)
        if function is None:
            raise error(called, _unknown_function(name))
        if function.several and not several:
            raise error(node, f"{name} gives several outputs. Write several names, as in "
                        f"a, b = {function.signature}.")  # fmt: skip
        if not function.several:
            self._one_output(node, name, several)
        if self._in_py_func and function.trick:
            raise error(node, "A trick within py_func does nothing: the op has no gradient.")
        arguments = self._arguments(node, function)
        kind = "several" if function.several else "tensor"
        return Call(self.reader.span(node), kind, function, arguments)  # type: ignore[arg-type]

    def _one_output(self, node: ast.Call, name: str, several: int) -> None:
        if several:
            raise self.reader.error(
                node, f"{name} gives one output, and {several} names stand on the left."
            )

    def _arguments(self, node: ast.Call, function: Function) -> tuple[Node, ...]:
        error, parameters = self.reader.error, function.parameters
        given: dict[str, ast.expr] = {}
        for place, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                raise error(argument, "A star in front of a name is not part of the language.")
            if place >= len(parameters):
                raise error(argument, f"{function.signature} takes {_count(parameters)}, and "
                            f"{len(node.args)} came.")  # fmt: skip
            given[parameters[place].name] = argument
        names = [parameter.name for parameter in parameters]
        for keyword in node.keywords:
            if keyword.arg not in names:
                came = brief(keyword.arg) if keyword.arg else "** in front of a name"
                raise error(keyword, f"{function.signature} has no {came}.")
            if keyword.arg in given:
                raise error(keyword, f"{keyword.arg} was given twice.")
            given[keyword.arg] = keyword.value
        missing = [p.name for p in parameters if p.name not in given and not p.optional]
        if missing:
            raise error(node, f"{function.signature} lacks {' and '.join(missing)}.")
        found: list[Node] = []
        for parameter in parameters:
            if parameter.name in given:
                found.append(self._argument(function, parameter, given[parameter.name]))
            elif parameter.default is not None:
                found.append(Number(self.reader.span(node), "number", parameter.default))
        return tuple(found)

    def _argument(self, function: Function, parameter: Parameter, given: ast.expr) -> Node:
        error = self.reader.error
        node = self.reader.read(given)
        which = f"{parameter.name} of {function.signature}"
        if parameter.kind == "mask":
            if node.kind != "mask":
                raise error(given, f"{which} is a comparison, as in x > 0.")
            return node
        if node.kind == "mask":
            raise error(given, f"{which} cannot be a comparison. Write where(condition, 1, 0).")
        if parameter.kind == "number" and node.kind != "number":
            hint = " Write minimum and maximum for limits that are tensors." if (
                function.name == "clamp") else ""  # fmt: skip
            raise error(given, f"{which} must be a number that is written out.{hint}")
        if parameter.name == "axis":
            sign = isinstance(node, Operator) and node.sign == "-"
            digits = node.operands[0] if isinstance(node, Operator) and sign else node
            if not isinstance(digits, Number) or digits.value not in (0, 1, 2):
                raise error(given, "axis is 0 for the first, 1 for the second, -1 for the last.")
        return node

    def _surrogate(self, node: ast.Call, called: ast.Call, name: str) -> Surrogate:
        error = self.reader.error
        form, wanted = FORMS[name][0], 1 if name == "straight_through" else 2
        plain = [a for a in called.args if isinstance(a, ast.Name)]
        if len(plain) != wanted or len(called.args) != wanted or called.keywords:
            raise error(called, f"{name} takes {wanted} function{'s' * (wanted > 1)} by name. "
                        f"Write {form}.")  # fmt: skip
        functions = []
        for one in plain:
            function = FUNCTIONS.get(one.id)
            if function is None:
                raise error(one, _unknown_function(one.id))
            if not function.elementary:
                raise error(one, f"{one.id} cannot stand in {form}: it needs a function of one "
                            "tensor, such as sign or tanh.")  # fmt: skip
            functions.append(function)
        if len(node.args) != 1 or node.keywords:
            raise error(node, f"One operand goes into the last brackets: {form}.")
        if self._in_py_func:
            raise error(node, "A trick within py_func does nothing: the op has no gradient.")
        operand = self.reader.read(node.args[0])
        if operand.kind == "mask":
            raise error(node.args[0], "The operand cannot be a comparison. Write where(…, 1, 0).")
        return Surrogate(self.reader.span(node), "tensor", name, tuple(functions), operand)

    def _py_func(self, node: ast.Call, several: int) -> PyFunc:
        error = self.reader.error
        if self._in_py_func:
            raise error(node, "py_func cannot stand within py_func.")
        if node.keywords or not node.args:
            raise error(node, "py_func takes expressions, as in py_func(a + b, a * b).")
        if len(node.args) != max(several, 1):
            raise error(node, f"py_func has {len(node.args)} outputs here, and "
                        f"{max(several, 1)} names stand on the left.")  # fmt: skip
        self._in_py_func = True
        try:
            outputs = tuple(self.reader.read(argument) for argument in node.args)
        finally:
            self._in_py_func = False
        for argument, output in zip(node.args, outputs, strict=True):
            if output.kind != "tensor":
                raise error(argument, "Each output of py_func is computed from a tensor.")
        names: dict[str, Name] = {}
        for output in outputs:
            for one in walk(output):
                if isinstance(one, Name) and one.kind == "tensor":
                    names.setdefault(one.id, one)
        if not names:
            raise error(node, "py_func reads no name: write it over the names there are.")
        kind = "several" if several else "tensor"
        return PyFunc(self.reader.span(node), kind, tuple(names.values()), outputs)  # type: ignore[arg-type]


def _unknown_function(name: str) -> str:
    near = nearest(name, CALLABLE)
    rest = [known for known in CALLABLE if known not in near]
    head = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"There is no function {brief(name)}.{head} There are: {', '.join(near + rest)}."


def _count(parameters: tuple[Parameter, ...]) -> str:
    least = sum(not parameter.optional for parameter in parameters)
    most = len(parameters)
    return f"{least if least == most else f'{least} or {most}'} argument{'s' * (most > 1)}"
