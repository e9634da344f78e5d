"""Reads calls: of the functions in the table, of the tricks that take functions, of py_func."""

import ast
from typing import Protocol

import torch
from torch.nn import functional

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
from lessons.playground.language.playground_error import PlaygroundError, nearest
from lessons.playground.language.spellings import (
    INSTEAD,
    KEYWORDS,
    OPERATORS,
    in_place,
    method,
    spelt,
)
from lessons.text import cited

_WHOLE = {
    "axis": (-2, 2, "axis is 0 for the first, 1 for the second, -1 for the last."),
    "k": (1, MAX_ELEMENTS, "k is a whole number that is written out, 1 or more and at most "
          f"{MAX_ELEMENTS:,}, as in topk(x, 2)."),
    "index": (-MAX_ELEMENTS, MAX_ELEMENTS, "index is a whole number that is written out: 0 for "
              "the first entry, -1 for the last."),
}  # fmt: skip
"""The parameters that are whole numbers: the least, the most, and what is said of any other."""


_ALONG_LAST = ("softmax", "log_softmax", "logsumexp")
_AXIS = ("dim", "axis")
_ONLY_LAST = (
    "It works along the last axis, and -1 may say so. Of one list that is the only one; in a "
    "matrix, transpose(x) puts the first there."
)


class Reader(Protocol):
    """What this file needs of parse.py's reader."""

    names: dict[str, Kind]

    def read(self, node: ast.expr, several: int = 0) -> Node: ...
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
            raise error(called, f"The result of {cited(name)} is not a function. Remove one of the "
                        "two pairs of brackets.")  # fmt: skip
        name = self._spelt(called)
        on = []
        if not name and isinstance(called, ast.Attribute):
            name, on = method(called), [called.value]
            if isinstance(root := _root(called), ast.Name):
                self.reader.read(root)  # a name that there is not is said first
        if not name:
            raise error(called, "Only a function’s name can stand before brackets. Write * to "
                        "multiply.")  # fmt: skip
        if name == "py_func":
            return self._py_func(node, several)
        if name in FORMS:
            raise error(node, f"{name} takes functions by name, then its operand. Write "
                        f"{FORMS[name][0]}, as in {FORMS[name][1].rsplit(': ', 1)[1]}")  # fmt: skip
        operands = [*on, *node.args]
        if name in OPERATORS and len(operands) == 2 and not node.keywords:
            self._one_output(node, name, several)
            return self.reader.binary(OPERATORS[name], operands[0], operands[1], node)
        function = FUNCTIONS.get(name)
        if function is None:
            raise error(called, unknown_function(name))
        if function.several and not several:
            raise error(node, f"{name} gives several outputs. Write several names, as in "
                        f"a, b = {function.signature}.")  # fmt: skip
        if not function.several:
            self._one_output(node, name, several)
        if self._in_py_func and function.trick:
            raise error(node, "A trick within py_func does nothing: the op has no gradient.")
        arguments = self._arguments(node, function, operands)
        made = ast.Call(ast.Name(name), arguments, [])
        return of_kind(made, "several" if function.several else "tensor", node)

    def _one_output(self, node: ast.Call, name: str, several: int) -> None:
        if several:
            raise self.reader.error(
                node, f"{name} gives one output, but there are {several} names on the left."
            )

    def _spelt(self, called: ast.expr) -> str:
        """The function that is named, here or in a framework’s way; empty where none is."""
        root = _root(called)
        own = root is not called and isinstance(root, ast.Name) and root.id in self.reader.names
        return "" if own else spelt(called)

    def _arguments(
        self, node: ast.Call, function: Function, positional: list[ast.expr]
    ) -> list[Node]:
        error, parameters = self.reader.error, function.parameters
        given: dict[str, ast.expr] = {}
        along_last, keywords = function.name in _ALONG_LAST, node.keywords
        if along_last and len(positional) == 2 and _is_last(positional[1]):
            positional = positional[:1]
        if along_last:
            keywords = [k for k in keywords if k.arg not in _AXIS or not _is_last(k.value)]
        for place, argument in enumerate(positional):
            if isinstance(argument, ast.Starred):
                raise error(argument, "A star before a name is not part of the language.")
            if place >= len(parameters):
                more = f" {_ONLY_LAST}" if along_last else ""
                raise error(argument, f"{function.signature} takes {_count(parameters)}, and "
                            f"{len(positional)} came.{more}")  # fmt: skip
            given[parameters[place].name] = argument
        names = [parameter.name for parameter in parameters]
        for keyword in keywords:
            word = keyword.arg or ""
            word = word if word in names else KEYWORDS.get(word, word)
            if word not in names:
                came = cited(keyword.arg) if keyword.arg else "** before a name"
                more = f" {_ONLY_LAST}" if along_last and keyword.arg in _AXIS else ""
                raise error(keyword, f"{function.signature} has no {came}.{more}")
            if word in given:
                raise error(keyword, f"{word} was given twice.")
            given[word] = keyword.value
        missing = [p.name for p in parameters if p.name not in given and not p.optional]
        if missing:
            raise error(node, f"{function.signature} lacks {' and '.join(missing)}.")
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
        which = f"{parameter.name} of {function.signature}"
        if parameter.kind == "mask":
            if kind_of(node) != "mask":
                raise error(given, f"{which} is a comparison, as in x > 0.")
            return node
        if kind_of(node) == "mask":
            raise error(given, f"{which} cannot be a comparison. Write where(condition, 1, 0).")
        if parameter.kind in ("number", "whole") and kind_of(node) != "number":
            hint = " Write minimum and maximum for limits that are tensors." if (
                function.name == "clamp") else ""  # fmt: skip
            raise error(given, f"{which} must be a number that is written out.{hint}")
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
            raise error(called, f"{name} takes {wanted} function{'s' * (wanted > 1)} by name. "
                        f"Write {form}.")  # fmt: skip
        functions: list[ast.expr] = []
        for given, named in plain:
            function = FUNCTIONS.get(named)
            if function is None:
                raise error(given, unknown_function(named))
            if not function.elementary:
                raise error(given, f"{named} cannot stand in {form}: it needs a function of one "
                            "tensor, such as sign or tanh.")  # fmt: skip
            functions.append(ast.Name(named))
        if len(node.args) != 1 or node.keywords:
            raise error(node, f"One operand goes into the last brackets: {form}.")
        if self._in_py_func:
            raise error(node, "A trick within py_func does nothing: the op has no gradient.")
        operand = self.reader.read(node.args[0])
        if kind_of(operand) == "mask":
            raise error(node.args[0], "The operand cannot be a comparison. Write where(…, 1, 0).")
        made = ast.Call(ast.Call(ast.Name(name), functions, []), [operand], [])
        return of_kind(made, "tensor", node)

    def _py_func(self, node: ast.Call, several: int) -> Node:
        error = self.reader.error
        if self._in_py_func:
            raise error(node, "py_func cannot stand within py_func.")
        if node.keywords or not node.args:
            raise error(node, "py_func takes expressions, as in py_func(a + b, a * b).")
        if len(node.args) != max(several, 1):
            raise error(node, f"py_func has {len(node.args)} outputs here, but the left "
                        f"side has {max(several, 1)} names.")  # fmt: skip
        self._in_py_func = True
        try:
            outputs = [self.reader.read(argument) for argument in node.args]
        finally:
            self._in_py_func = False
        for argument, output in zip(node.args, outputs, strict=True):
            if kind_of(output) != "tensor":
                raise error(argument, "Each output of py_func is computed from a tensor.")
        made = ast.Call(ast.Name("py_func"), outputs, [])
        of_kind(made, "several" if several else "tensor", node)
        if not children(made):
            raise error(node, "py_func reads no name: write it over the names there are.")
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
    """What is said of a function that there is not."""
    # What is torch's own is not a slip of the pen: atan is not tanh.
    own = any(hasattr(where, name) for where in (torch, torch.Tensor, functional))
    near = [known for known in CALLABLE if f"_{name}" in known] if own else nearest(name, CALLABLE)
    hint = (
        in_place(name)
        or INSTEAD.get(name)
        or (f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(CALLABLE)}.")
    )
    return f"There is no function {cited(name)}. {hint}"


def _count(parameters: tuple[Parameter, ...]) -> str:
    least = sum(not parameter.optional for parameter in parameters)
    most = len(parameters)
    return f"{least if least == most else f'{least} or {most}'} argument{'s' * (most > 1)}"
