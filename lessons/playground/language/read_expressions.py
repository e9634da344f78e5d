"""Turns `ast` into nodes, expression by expression. parse.py says what is handed to it.

An `ast` node that is not in the table at the end of this file has no way into a program.
"""

import ast
from collections.abc import Callable, Sequence

import torch
from torch.nn import functional

from lessons.playground.language.constants import value_of
from lessons.playground.language.expressions import (
    SIGNS,
    Assignment,
    Kind,
    Node,
    children,
    kind_of,
    of_kind,
    sign,
    words,
    written,
)
from lessons.playground.language.functions import CALLABLE, FORMS, FUNCTIONS, Function, Parameter
from lessons.playground.language.limits import (
    MAX_CHAIN,
    MAX_ELEMENTS,
    MAX_EXPONENT,
    MAX_NUMBER,
    MAX_OPS,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import no_name, not_in_language
from lessons.playground.language.spellings import (
    INSTEAD,
    KEYWORDS,
    OPERATORS,
    in_place,
    own_name,
    path,
    spelt,
)
from lessons.playground.language.words import WORDS
from lessons.text import cited, nearest, suggestion, visible

_WHOLE = {
    "axis": (-2, 2, WORDS("whole_axis")),
    "k": (1, MAX_ELEMENTS, WORDS("whole_k", most=MAX_ELEMENTS)),
    "index": (-MAX_ELEMENTS, MAX_ELEMENTS, WORDS("whole_index")),
}
"""The whole-number parameters: the least value, the largest, and the answer to any other."""

_ALONG_LAST = ("softmax", "log_softmax", "logsumexp")
_TORCH_AXES = {"select": ["-1"], "transpose": ["-1", "-2"]}
"""Axes that torch's function takes after its tensor, where ours has none."""
_AXIS = ("dim", "axis")


class Reader:
    """Turns `ast` into nodes; knows which names there are and what kind each is."""

    def __init__(self, text: str, names: dict[str, Kind], rule: bool = False) -> None:
        self.names = names
        self.rule = rule
        self.ops = 0
        self.depth = 0
        self.text = text
        self._in_py_func = False

    def assignment(self, line: ast.stmt, inputs: Sequence[str]) -> Assignment:
        if isinstance(line, ast.Expr):
            if isinstance(line.value, ast.Compare) and isinstance(line.value.left, ast.Name):
                raise self.error(line, WORDS("compares_alone"))
            self.read(line.value)
            raise self.error(line, WORDS("given_to_no_name", code=visible(ast.unparse(line), 32)))
        if not isinstance(line, ast.Assign):
            raise self.error(line, not_in_language(line))
        if len(line.targets) > 1:
            raise self.error(line.targets[1], WORDS("two_equals"))
        target = line.targets[0]
        several = isinstance(target, ast.Tuple)
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        if several and len(targets) < 2:
            raise self.error(target, WORDS("comma_after_name"))
        value = self.read(line.value, several=len(targets) if several else 0)
        names = tuple(self._new_name(element, inputs) for element in targets)
        if len(set(names)) < len(names):
            raise self.error(target, WORDS("name_twice"))
        for name in names:
            self.names[name] = "tensor" if kind_of(value) == "several" else kind_of(value)
        return Assignment(names, value, words(self.text, line))

    def _new_name(self, target: ast.expr, inputs: Sequence[str]) -> str:
        if isinstance(target, ast.Subscript):
            raise self.error(target, WORDS("part_assigned"))
        if not isinstance(target, ast.Name):
            raise self.error(target, WORDS("no_name_on_the_left"))
        name = target.id
        if name in inputs:
            raise self.error(target, WORDS("name_of_an_input", name=name))
        if name in self.names:
            other = f"{name.rstrip('0123456789')[:28]}{len(self.names) + 1}"
            raise self.error(target, WORDS("name_above", name=name, other=other))
        if said := no_name(name):
            raise self.error(target, said)
        return name

    def gradient(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Constant) and node.value is None:
            return of_kind(ast.Constant(None), "tensor", node)
        value = self.read(node)
        if kind_of(value) == "mask":
            raise self.error(node, WORDS("comparison_as_gradient"))
        return value

    def read(self, node: ast.expr, several: int = 0) -> Node:
        """One expression; ``several`` is how many names wait for it, 0 for one name."""
        self.depth += 1
        if self.depth > MAX_CHAIN:
            raise self.error(node, WORDS("long_chain", most=MAX_CHAIN))
        try:
            method = _READ.get(type(node))
            if method is None:
                raise self.error(node, not_in_language(node))
            if several and not isinstance(node, ast.Call):
                raise self.error(node, WORDS("several_names", names=several))
            found = method(self, node, several)
        finally:
            self.depth -= 1
        return found

    def _constant(self, node: ast.Constant, several: int) -> Node:
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise self.error(node, not_in_language(node))
        value = float(node.value)
        if abs(value) > MAX_NUMBER:
            raise self.error(node, WORDS("large_number", most=MAX_NUMBER))
        return of_kind(ast.Constant(value), "number", node)

    def _name(self, node: ast.Name, several: int) -> Node:
        if node.id in self.names:
            return of_kind(ast.Name(node.id), self.names[node.id], node)
        if node.id in CALLABLE:
            raise self.error(node, WORDS("function_alone", name=node.id))
        raise self.error(node, self.unknown(node.id))

    def unknown(self, name: str) -> str:
        """Say that there is no such name, and which name is near."""
        if self.rule:
            return WORDS("no_name_in_rule", name=cited(name))
        near = suggestion(name, self.names)
        if nearest(name, self.names):
            return WORDS("no_name", name=cited(name), near=near)
        return WORDS("no_name_nor_input", name=cited(name), near=near)

    def _attribute(self, node: ast.Attribute, several: int) -> Node:
        of = node.value
        if node.attr == "values" and isinstance(of, ast.Call) and self._spelt(of.func) == "topk":
            return ast.copy_location(self.read(of), node)
        known = own_name(node.attr)
        hint = WORDS("in_brackets", name=known) if known in CALLABLE else WORDS("call_a_method")
        name, hint = visible(known, 32), INSTEAD.get(known, hint)
        raise self.error(node, WORDS("attribute", name=name, hint=hint))

    def _list(self, node: ast.List, several: int) -> Node:
        rows = [item.elts if isinstance(item, ast.List) else [item] for item in node.elts]
        count = sum(map(len, rows))
        if not 0 < count <= MAX_ELEMENTS:
            raise self.error(node, WORDS("list_size", count=count, most=MAX_ELEMENTS))
        if not any(isinstance(item, ast.List) for item in node.elts):
            return of_kind(ast.List([self._entry(item) for item in node.elts]), "tensor", node)
        made: list[ast.expr] = []
        for item, row in zip(node.elts, rows, strict=True):
            if not isinstance(item, ast.List):
                raise self.error(item, WORDS("mixed_list"))
            made.append(ast.List([self._entry(entry) for entry in row]))
            if len(row) != len(rows[0]):
                raise self.error(item, WORDS("ragged", here=len(row), first=len(rows[0])))
        return of_kind(ast.List(made), "tensor", node)

    def _entry(self, node: ast.expr) -> ast.Constant:
        """A number in a list, with at most one sign in front of it."""
        signed = node if isinstance(node, ast.UnaryOp) else None
        if signed and not isinstance(signed.op, ast.USub | ast.UAdd):
            raise self.error(node, WORDS("only_numbers"))
        digits = signed.operand if signed else node
        if not isinstance(digits, ast.Constant):
            raise self.error(digits, WORDS("only_numbers"))
        value = written(self._constant(digits, 0))
        return ast.Constant(-value if signed and isinstance(signed.op, ast.USub) else value)

    def _unary(self, node: ast.UnaryOp, several: int) -> Node:
        if not isinstance(node.op, (ast.USub, ast.UAdd)):
            raise self.error(node, not_in_language(node.op))
        operand = self.operand(node.operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        return self._operator(ast.UnaryOp(node.op, operand), node)

    def _binary(self, node: ast.BinOp, several: int) -> Node:
        if not sign(node):
            raise self.error(node, not_in_language(node.op))
        return self.binary(sign(node), node.left, node.right, node)

    def binary(self, sign: str, a: ast.expr, b: ast.expr, node: ast.expr) -> Node:
        """An operator between two operands, however the program spells it."""
        left, right = self.operand(a), self.operand(b)
        if sign == "**":
            size = value_of(right)
            if size is not None and abs(size) > MAX_EXPONENT:
                raise self.error(b, WORDS("large_exponent", size=size, most=MAX_EXPONENT))
        if sign == "@" and "number" in (kind_of(left), kind_of(right)):
            raise self.error(node, WORDS("matmul_of_number"))
        op = SIGNS[sign].node()
        assert isinstance(op, ast.operator)
        return self._operator(ast.BinOp(left, op, right), node)

    def _compare(self, node: ast.Compare, several: int) -> Node:
        if len(node.ops) > 1:
            raise self.error(node.comparators[1], WORDS("two_comparisons"))
        if not sign(node):
            raise self.error(node, not_in_language(node.ops[0]))
        operands = self.operand(node.left), self.operand(node.comparators[0])
        if all(kind_of(operand) == "number" for operand in operands):
            raise self.error(node, WORDS("compares_numbers"))
        return self._operator(ast.Compare(operands[0], node.ops, [operands[1]]), node)

    def operand(self, node: ast.expr) -> Node:
        """An operand of an operator: a number or a tensor."""
        value = self.read(node)
        if kind_of(value) == "mask":
            raise self.error(node, WORDS("comparison_as_operand"))
        return value

    def _operator(self, made: Node, node: ast.expr) -> Node:
        self.count(node)
        numbers = all(kind_of(operand) == "number" for operand in children(made))
        compares = isinstance(made, ast.Compare)
        of_kind(made, "mask" if compares else "number" if numbers else "tensor", node)
        if numbers:
            value_of(made)  # refuses what cannot be computed
        return made

    def _call(self, node: ast.Call, several: int) -> Node:
        """One call; ``several`` is how many names wait for its outputs, 0 for one name."""
        self.count(node)
        error, called = self.error, node.func
        if isinstance(called, ast.Call) and (name := self._spelt(called.func)):
            if name in ("straight_through", "forward_backward"):
                self._one_output(node, name, several)
                return self._surrogate(node, called, name)
            if name not in CALLABLE:
                raise error(called, unknown_function(name))
            raise error(called, WORDS("result_called", name=cited(name)))
        name = self._spelt(called)
        if path(called) == ["torch", "tensor"] and len(node.args) == 1 and not node.keywords:
            return self._tensor(node)
        on = []
        if not name and isinstance(called, ast.Attribute):
            name, on = own_name(called.attr), [called.value]
            if root := path(called)[0]:  # in x.f(), an unknown x is the first error
                self.read(ast.copy_location(ast.Name(root), called))
        if not name:
            raise error(called, WORDS("no_function_before_brackets"))
        if name == "py_func":
            return self._py_func(node, several)
        if name in FORMS:
            raise error(node, WORDS("operand_missing", name=name, form=FORMS[name][0]))
        operands = [*on, *node.args]
        if name in OPERATORS and len(operands) == 2 and not node.keywords:
            self._one_output(node, name, several)
            return self.binary(OPERATORS[name], operands[0], operands[1], node)
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

    def _tensor(self, node: ast.Call) -> Node:
        """``torch.tensor`` of a number or of a list of numbers."""
        self.ops -= 1  # it runs no op
        (given,) = node.args
        if isinstance(given, ast.List):
            return ast.copy_location(self._list(given, 0), node)
        if isinstance(getattr(given, "operand", given), ast.Constant):
            return of_kind(self._entry(given), "tensor", node)
        number = self.read(given)
        if kind_of(number) != "number":
            raise self.error(given, WORDS("only_numbers"))
        return ast.copy_location(number, node)

    def _one_output(self, node: ast.Call, name: str, several: int) -> None:
        if several:
            raise self.error(node, WORDS("one_output", name=name, names=several))

    def _spelt(self, called: ast.expr) -> str:
        """The function that is named, here or in a framework’s way; empty where none is."""
        own = isinstance(called, ast.Attribute) and path(called)[0] in self.names
        return "" if own else spelt(called)

    def _arguments(
        self, node: ast.Call, function: Function, positional: list[ast.expr]
    ) -> list[Node]:
        error, parameters = self.error, function.parameters
        signature, keywords = function.signature, node.keywords
        given: dict[str, ast.expr] = {}
        if function.name in _ALONG_LAST:
            axes = [*positional[1:], *(k.value for k in keywords if k.arg in _AXIS)]
            if axes and [*map(ast.unparse, axes)] != ["-1"]:
                raise error(axes[0], WORDS("takes_last_axis", signature=signature))
            positional = positional[:1]
            keywords = [k for k in keywords if k.arg not in _AXIS]
        axes_of_torch = _TORCH_AXES.get(function.name, [])
        if axes_of_torch and len(positional) == len(parameters) + len(axes_of_torch):
            axes = positional[1 : 1 + len(axes_of_torch)]
            if [*map(ast.unparse, axes)] != axes_of_torch:
                raise error(axes[0], WORDS("takes_last_axis", signature=signature))
            positional = [positional[0], *positional[1 + len(axes) :]]
        for place, argument in enumerate(positional):
            if isinstance(argument, ast.Starred):
                raise error(argument, WORDS("star"))
            if place >= len(parameters):
                counts = {"most": len(parameters), "came": len(positional)}
                raise error(argument, WORDS("takes", signature=signature, **counts))
            given[parameters[place].name] = argument
        names = [parameter.name for parameter in parameters]
        for keyword in keywords:
            word = keyword.arg or ""
            word = word if word in names else KEYWORDS.get(word, word)
            if word not in names:
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
        error = self.error
        node = self.read(given)
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
            least, most, refusal = _WHOLE[parameter.name]
            value = value_of(node)
            if value is None or not value.is_integer() or not least <= value <= most:
                raise error(given, refusal)
        return node

    def _surrogate(self, node: ast.Call, called: ast.Call, name: str) -> Node:
        error = self.error
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
        operand = self.operand(node.args[0])
        made = ast.Call(ast.Call(ast.Name(name), functions, []), [operand], [])
        return of_kind(made, "tensor", node)

    def _py_func(self, node: ast.Call, several: int) -> Node:
        error = self.error
        if self._in_py_func:
            raise error(node, WORDS("py_func_in_py_func"))
        if node.keywords or not node.args:
            raise error(node, WORDS("py_func_takes"))
        arguments = self._inside(node)
        if len(arguments) != max(several, 1):
            counts = {"outputs": len(arguments), "names": max(several, 1)}
            raise error(node, WORDS("py_func_outputs", **counts))
        self._in_py_func = True
        try:
            outputs = [self.read(argument) for argument in arguments]
        finally:
            self._in_py_func = False
        for argument, output in zip(arguments, outputs, strict=True):
            if kind_of(output) != "tensor":
                raise error(argument, WORDS("py_func_of_number"))
        made = ast.Call(ast.Name("py_func"), outputs, [])
        of_kind(made, "several" if several else "tensor", node)
        if not children(made):
            raise error(node, WORDS("py_func_reads_nothing"))
        return made

    def _inside(self, node: ast.Call) -> list[ast.expr]:
        """What ``py_func(lambda a, b: (a + b, a * b), a, b)`` computes; without the lambda, its
        arguments."""
        function, *given = node.args
        if not isinstance(function, ast.Lambda):
            return node.args
        names = [one.arg for one in function.args.args]
        if names != [ast.unparse(one) for one in given]:
            raise self.error(node, WORDS("py_func_lambda"))
        body = function.body
        return body.elts if isinstance(body, ast.Tuple) else [body]

    def count(self, node: ast.expr) -> None:
        self.ops += 1
        if self.ops > MAX_OPS:
            raise self.error(node, WORDS("too_many_ops", most=MAX_OPS))

    def error(self, node: ast.stmt | ast.expr | ast.keyword, message: str) -> PlaygroundError:
        return PlaygroundError.at(node, message)


def unknown_function(name: str) -> str:
    """Say that there is no such function, and what to write instead."""
    # What is torch's own is not a slip of the pen: atan is not tanh.
    own = any(hasattr(where, name) for where in (torch, torch.Tensor, functional))
    near = [known for known in CALLABLE if f"_{name}" in known] if own else []
    among = suggestion("" if own and not near else name, near or CALLABLE)
    hint = in_place(name) or INSTEAD.get(name) or among
    return WORDS("no_function", name=cited(name), hint=hint)


_READ: dict[type[ast.AST], Callable[..., Node]] = {
    ast.Constant: Reader._constant,
    ast.Name: Reader._name,
    ast.Attribute: Reader._attribute,
    ast.List: Reader._list,
    ast.UnaryOp: Reader._unary,
    ast.BinOp: Reader._binary,
    ast.Compare: Reader._compare,
    ast.Call: Reader._call,
}
