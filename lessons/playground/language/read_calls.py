"""Reads calls: of the functions in the table, of the tricks that take functions, of py_func."""

import ast
from typing import Protocol

import torch
from torch.nn import functional

from lessons.contract.parameters import suggestion
from lessons.playground.language.expressions import (
    Kind,
    Node,
    children,
    kind_of,
    of_kind,
    written,
)
from lessons.playground.language.functions import CALLABLE, FORMS, FUNCTIONS, Function, Parameter
from lessons.playground.language.limits import MAX_ELEMENTS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.spellings import (
    INSTEAD,
    KEYWORDS,
    OPERATORS,
    in_place,
    method,
    spelt,
)
from lessons.playground.language.words import WORDS
from lessons.text import cited

_WHOLE = {
    "axis": (-2, 2, WORDS("whole_axis")),
    "k": (1, MAX_ELEMENTS, WORDS("whole_k", most=MAX_ELEMENTS)),
    "index": (-MAX_ELEMENTS, MAX_ELEMENTS, WORDS("whole_index")),
}
"""The whole-number parameters: the least value, the largest, and the answer to any other."""


_ALONG_LAST = ("softmax", "log_softmax", "logsumexp")
_AXIS = ("dim", "axis")


class Reader(Protocol):
    """What this file needs of parse.py's reader."""

    names: dict[str, Kind]

    def read(self, node: ast.expr, several: int = 0) -> Node: ...
    def operand(self, node: ast.expr) -> Node: ...
    def binary(self, sign: str, a: ast.expr, b: ast.expr, node: ast.expr) -> Node: ...
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
        if isinstance(called, ast.Call) and (name := self._spelt(called.func)):
            if name in ("straight_through", "forward_backward"):
                self._one_output(node, name, several)
                return self._surrogate(node, called, name)
            if name not in CALLABLE:
                raise error(called, unknown_function(name))
            raise error(called, WORDS("result_called", name=cited(name)))
        name = self._spelt(called)
        on = []
        if not name and isinstance(called, ast.Attribute):
            name, on = method(called), [called.value]
            if isinstance(root := _root(called), ast.Name):
                self.reader.read(root)  # a name that there is not is said first
        if not name:
            raise error(called, WORDS("no_function_before_brackets"))
        if name == "py_func":
            return self._py_func(node, several)
        if name in FORMS:
            raise error(node, WORDS("operand_missing", name=name, form=FORMS[name][0]))
        operands = [*on, *node.args]
        if name in OPERATORS and len(operands) == 2 and not node.keywords:
            self._one_output(node, name, several)
            return self.reader.binary(OPERATORS[name], operands[0], operands[1], node)
        function = FUNCTIONS.get(name)
        if function is None:
            raise error(called, unknown_function(name))
        if function.several and not several:
            raise error(node, WORDS("several_outputs", name=name, signature=function.signature))
        if not function.several:
            self._one_output(node, name, several)
        if self._in_py_func and function.trick:
            raise error(node, WORDS("trick_in_py_func"))
        arguments = self._arguments(node, function, operands)
        made = ast.Call(ast.Name(name), arguments, [])
        return of_kind(made, "several" if function.several else "tensor", node)

    def _one_output(self, node: ast.Call, name: str, several: int) -> None:
        if several:
            raise self.reader.error(node, WORDS("one_output", name=name, names=several))

    def _spelt(self, called: ast.expr) -> str:
        """The function that is named, here or in a framework’s way; empty where none is."""
        root = _root(called)
        own = root is not called and isinstance(root, ast.Name) and root.id in self.reader.names
        return "" if own else spelt(called)

    def _arguments(
        self, node: ast.Call, function: Function, positional: list[ast.expr]
    ) -> list[Node]:
        error, parameters = self.reader.error, function.parameters
        signature = function.signature
        given: dict[str, ast.expr] = {}
        along_last, keywords = function.name in _ALONG_LAST, node.keywords
        if along_last and len(positional) == 2 and _is_last(positional[1]):
            positional = positional[:1]
        if along_last:
            keywords = [k for k in keywords if k.arg not in _AXIS or not _is_last(k.value)]
        for place, argument in enumerate(positional):
            if isinstance(argument, ast.Starred):
                raise error(argument, WORDS("star"))
            if place >= len(parameters) and along_last:
                raise error(argument, WORDS("takes_last_axis", signature=signature))
            if place >= len(parameters):
                counts = {"most": len(parameters), "came": len(positional)}
                raise error(argument, WORDS("takes", signature=signature, **counts))
            given[parameters[place].name] = argument
        names = [parameter.name for parameter in parameters]
        for keyword in keywords:
            word = keyword.arg or ""
            word = word if word in names else KEYWORDS.get(word, word)
            if word not in names:
                if along_last and keyword.arg in _AXIS:
                    raise error(keyword, WORDS("takes_last_axis", signature=signature))
                came = cited(keyword.arg or "**")
                raise error(keyword, WORDS("no_parameter", signature=signature, name=came))
            if word in given:
                raise error(keyword, WORDS("parameter_twice", name=word))
            given[word] = keyword.value
        missing = [p.name for p in parameters if p.name not in given and not p.optional]
        if missing:
            needs = WORDS("parameters_missing", signature=signature, names=", ".join(missing))
            raise error(node, needs)
        found: list[Node] = []
        for parameter in parameters:
            if parameter.name in given:
                found.append(self._argument(function, parameter, given[parameter.name]))
            elif parameter.default is not None:
                found.append(of_kind(ast.Constant(parameter.default), "number", node))
        return found

    def _argument(self, function: Function, parameter: Parameter, given: ast.expr) -> Node:
        error = self.reader.error
        node = self.reader.read(given)
        name, signature = parameter.name, function.signature
        if parameter.kind == "mask":
            if kind_of(node) != "mask":
                raise error(given, WORDS("needs_comparison", name=name, signature=signature))
            return node
        if kind_of(node) == "mask":
            raise error(given, WORDS("comparison_as_argument", name=name, signature=signature))
        if parameter.kind in ("number", "whole") and kind_of(node) != "number":
            if function.name == "clamp":
                raise error(given, WORDS("clamp_needs_number", name=name, signature=signature))
            raise error(given, WORDS("needs_number", name=name, signature=signature))
        if parameter.kind == "whole":
            least, most, words = _WHOLE[parameter.name]
            digits = node.operand if isinstance(node, ast.UnaryOp) else node
            value = written(digits) if isinstance(digits, ast.Constant) else 0.5  # not whole
            value = -value if isinstance(node, ast.UnaryOp) else value
            if not value.is_integer() or not least <= value <= most:
                raise error(given, words)
        return node

    def _surrogate(self, node: ast.Call, called: ast.Call, name: str) -> Node:
        error = self.reader.error
        form, wanted = FORMS[name][0], 1 if name == "straight_through" else 2
        plain = [(a, self._spelt(a)) for a in called.args]
        if len(plain) != wanted or not all(name for _, name in plain) or called.keywords:
            raise error(called, WORDS("functions_by_name", name=name, form=form))
        functions: list[ast.expr] = []
        for given, named in plain:
            function = FUNCTIONS.get(named)
            if function is None:
                raise error(given, unknown_function(named))
            if not function.elementary:
                raise error(given, WORDS("not_elementary", name=named, form=form))
            functions.append(ast.Name(named))
        if len(node.args) != 1 or node.keywords:
            raise error(node, WORDS("one_operand", form=form))
        if self._in_py_func:
            raise error(node, WORDS("trick_in_py_func"))
        operand = self.reader.operand(node.args[0])
        made = ast.Call(ast.Call(ast.Name(name), functions, []), [operand], [])
        return of_kind(made, "tensor", node)

    def _py_func(self, node: ast.Call, several: int) -> Node:
        error = self.reader.error
        if self._in_py_func:
            raise error(node, WORDS("py_func_in_py_func"))
        if node.keywords or not node.args:
            raise error(node, WORDS("py_func_takes"))
        if len(node.args) != max(several, 1):
            counts = {"outputs": len(node.args), "names": max(several, 1)}
            raise error(node, WORDS("py_func_outputs", **counts))
        self._in_py_func = True
        try:
            outputs = [self.reader.read(argument) for argument in node.args]
        finally:
            self._in_py_func = False
        for argument, output in zip(node.args, outputs, strict=True):
            if kind_of(output) != "tensor":
                raise error(argument, WORDS("py_func_of_number"))
        made = ast.Call(ast.Name("py_func"), outputs, [])
        of_kind(made, "several" if several else "tensor", node)
        if not children(made):
            raise error(node, WORDS("py_func_reads_nothing"))
        return made


def _is_last(node: ast.expr) -> bool:
    """Whether an axis is written -1: the last."""
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and node.operand.value == 1
    )


def _root(node: ast.expr) -> ast.expr:
    """What the dots of a path reach into."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def unknown_function(name: str) -> str:
    """Say that there is no such function, and what to write instead."""
    # What is torch's own is not a slip of the pen: atan is not tanh.
    own = any(hasattr(where, name) for where in (torch, torch.Tensor, functional))
    near = [known for known in CALLABLE if f"_{name}" in known] if own else []
    among = suggestion("" if own and not near else name, near or CALLABLE)
    hint = in_place(name) or INSTEAD.get(name) or among
    return WORDS("no_function", name=cited(name), hint=hint)
