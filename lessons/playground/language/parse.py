"""Reads a program or a rule: text that scan.py has passed, through Python's `ast`, into nodes.

Nothing is evaluated here but arithmetic between written numbers. An `ast` node that is not in
``_READ`` has no way into a program.
"""

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

import torch
from torch.nn import functional

from lessons.gradient_tricks.text import cited, nearest, suggestion, visible
from lessons.playground.language.expressions import (
    Assignment,
    Kind,
    Node,
    Program,
    called,
    children,
    kind_of,
    of_kind,
    sign,
    value_of,
    with_place,
    written,
)
from lessons.playground.language.functions import (
    CALLABLE,
    FORMS,
    FUNCTIONS,
    Function,
    Parameter,
    Signature,
    own_name,
)
from lessons.playground.language.limits import (
    MAX_CHAIN,
    MAX_ELEMENTS,
    MAX_EXPONENT,
    MAX_NUMBER,
    MAX_OPS,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import no_name, not_in_language
from lessons.playground.language.scan import scan
from lessons.playground.language.spellings import (
    REMARKS,
    TABLE,
    instead,
    operator_of,
    path,
    spelt,
)
from lessons.playground.language.words import WORDS

_WHOLE = {
    "axis": (-2, 2, WORDS("whole_axis")),
    "k": (1, MAX_ELEMENTS, WORDS("whole_k", most=MAX_ELEMENTS)),
    "index": (-MAX_ELEMENTS, MAX_ELEMENTS, WORDS("whole_index")),
}
"""The whole-number parameters: the least value, the largest, and the answer to any other."""


def parse_program(text: str, inputs: Sequence[str]) -> Program:
    """Read a program.

    Args:
        text: assignments, one a line; line ends are plain newlines.
        inputs: the names that are given beforehand.

    Raises:
        PlaygroundError: the first thing that is wrong, at its line and column.
    """
    return _program(text, tuple(inputs))


@lru_cache(maxsize=64)
def _program(text: str, inputs: tuple[str, ...]) -> Program:
    """Read a program once while its numbers move: reading it takes as long as running it."""
    scan(text)
    tree = _ast(text, WORDS("no_line"))
    reader = Reader(dict.fromkeys(inputs, "tensor"))
    lines = tuple(reader.assignment(line, inputs) for line in tree.body)
    if not lines:
        raise PlaygroundError(WORDS("empty_program"), 1, 1)
    return Program(text, lines)


def parse_rule(text: str, names: Sequence[str], subject: str) -> tuple[Node, ...]:
    """Read a rule: one expression for each tensor operand, with commas between, each a gradient.

    Args:
        text: the rule; None stands for no gradient.
        names: what it may read: grad, grad1, in1, out1 and so on.

    Raises:
        PlaygroundError: with the part "rule".
    """
    text = text.strip()
    try:
        scan(text, rule=True)
        empty = ast.Expr(ast.Tuple([]))
        line, *others = _ast(text, WORDS("no_rule")).body or [empty]
        if others or not isinstance(line, ast.Expr):
            raise PlaygroundError(WORDS("rule_assigns"), 1, 1)
        items = line.value.elts if isinstance(line.value, ast.Tuple) else [line.value]
        if not items:
            raise PlaygroundError(WORDS("empty_rule"), 1, 1)
        reader = Reader(dict.fromkeys(names, "tensor"), rule=True)
        return tuple(reader.gradient(item) for item in items)
    except PlaygroundError as error:
        raise error.within("rule", subject) from error.__cause__


def _ast(text: str, refusal: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise PlaygroundError(refusal, error.lineno or 1, error.offset or 1) from None
    except (RecursionError, MemoryError, ValueError, OverflowError):
        raise PlaygroundError(WORDS("too_deep"), 1, 1) from None


class Reader:
    """Turns `ast` into nodes; knows which names there are and what kind each is."""

    def __init__(self, names: dict[str, Kind], rule: bool = False) -> None:
        self.names = names
        self.rule = rule
        self.ops = 0
        self.depth = 0
        self.in_py_func = False

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
        value = self.read_several(line.value, len(targets)) if several else self.read(line.value)
        names = tuple(self._new_name(element, inputs) for element in targets)
        if len(set(names)) < len(names):
            raise self.error(target, WORDS("name_twice"))
        for name in names:
            self.names[name] = "tensor" if kind_of(value) == "several" else kind_of(value)
        return Assignment(names, value)

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

    def read_several(self, node: ast.expr, names: int) -> Node:
        """An expression that gives as many tensors as there are names on the left."""
        value = self._read_node(node)
        if not isinstance(value, ast.Call):
            raise self.error(node, WORDS("several_names", names=names))
        if kind_of(value) != "several":
            raise self.error(node, WORDS("one_output", name=called(value), names=names))
        if called(value) == "py_func" and len(value.args) != names:
            raise self.error(node, WORDS("py_func_outputs", outputs=len(value.args), names=names))
        return value

    def read(self, node: ast.expr) -> Node:
        """An expression that gives one value."""
        value = self._read_node(node)
        if kind_of(value) == "several":
            row = FUNCTIONS.get(called(value))
            shown = row.signature if row else FORMS["py_func"][0]
            raise self.error(node, WORDS("several_outputs", name=called(value), signature=shown))
        return value

    def _read_node(self, node: ast.expr) -> Node:
        self.depth += 1
        if self.depth > MAX_CHAIN:
            raise self.error(node, WORDS("long_chain", most=MAX_CHAIN))
        try:
            method = _READ.get(type(node))
            if method is None:
                raise self.error(node, not_in_language(node))
            found: Node = getattr(self, method)(node)
        finally:
            self.depth -= 1
        return found

    def _constant(self, node: ast.Constant) -> Node:
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise self.error(node, not_in_language(node))
        value = float(node.value)
        if abs(value) > MAX_NUMBER:
            raise self.error(node, WORDS("large_number", most=MAX_NUMBER))
        made = of_kind(ast.Constant(value), "number", node)
        vars(made)["whole"] = isinstance(node.value, int)
        return made

    def _name(self, node: ast.Name) -> Node:
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

    def _attribute(self, node: ast.Attribute) -> Node:
        of, known = node.value, own_name(node.attr)
        if node.attr == "values" and isinstance(of, ast.Call) and self._spelt(of.func) == "topk":
            return ast.copy_location(self.read(of), node)
        hint = WORDS("in_brackets", name=known) if known in CALLABLE else WORDS("call_a_method")
        said = WORDS("attribute", name=visible(known, 32), hint=instead(known) or hint)
        raise self.error(node, said)

    def _list(self, node: ast.List) -> Node:
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
        value = written(self._constant(digits))
        return ast.Constant(-value if signed and isinstance(signed.op, ast.USub) else value)

    def _unary(self, node: ast.UnaryOp) -> Node:
        if not isinstance(node.op, (ast.USub, ast.UAdd)):
            raise self.error(node, not_in_language(node.op))
        operand = self.operand(node.operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        return self._operator(ast.UnaryOp(node.op, operand), node)

    def _binary(self, node: ast.BinOp) -> Node:
        if not sign(node):
            raise self.error(node, not_in_language(node.op))
        left, right = self.operand(node.left), self.operand(node.right)
        if sign(node) == "**":
            size = value_of(right)
            if size is not None and abs(size) > MAX_EXPONENT:
                raise self.error(node.right, WORDS("large_exponent", size=size, most=MAX_EXPONENT))
        if sign(node) == "@" and "number" in (kind_of(left), kind_of(right)):
            raise self.error(node, WORDS("matmul_of_number"))
        return self._operator(ast.BinOp(left, node.op, right), node)

    def _compare(self, node: ast.Compare) -> Node:
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
        return self.as_number(value, node, WORDS("comparison_as_operand"))

    def as_number(self, value: Node, at: ast.expr, refused: str) -> Node:
        """Return a number or a tensor; refuse a comparison."""
        if kind_of(value) == "mask":
            raise self.error(at, refused)
        return value

    def as_mask(self, value: Node, at: ast.expr, refused: str) -> Node:
        """Return a comparison; refuse anything else."""
        if kind_of(value) != "mask":
            raise self.error(at, refused)
        return value

    def _operator(self, made: Node, node: ast.expr) -> Node:
        self.count(node)
        numbers = all(kind_of(operand) == "number" for operand in children(made))
        compares = isinstance(made, ast.Compare)
        of_kind(made, "mask" if compares else "number" if numbers else "tensor", node)
        if numbers:
            value_of(made)  # refuses what cannot be computed
        return made

    def _call(self, node: ast.Call) -> Node:
        self.count(node)
        called = node.func
        if isinstance(called, ast.Call) and (name := self._spelt(called.func)):
            if name in ("straight_through", "forward_backward"):
                return self._surrogate(node, called, name)
            if name not in CALLABLE:
                raise self.error(called, unknown_function(name))
            raise self.error(called, WORDS("result_called", name=cited(name)))
        if path(called) == ["torch", "tensor"] and len(node.args) == 1 and not node.keywords:
            return self._tensor(node)
        name, on = self.callee(called)
        if name == "py_func":
            return self._py_func(node)
        if name in FORMS:
            raise self.error(node, WORDS("operand_missing", name=name, form=FORMS[name][0]))
        row = TABLE.get(name)
        if row is None:
            raise self.error(called, unknown_function(name))
        return self.function(node, row, [*on, *node.args])

    def callee(self, called: ast.expr) -> tuple[str, list[ast.expr]]:
        """The name of the function that is called, and what it is called on if it is a method."""
        if name := self._spelt(called):
            return name, []
        if not isinstance(called, ast.Attribute):
            raise self.error(called, WORDS("no_function_before_brackets"))
        if (root := path(called)[0]) and root not in self.names:
            raise self.error(called, self.unknown(root))
        return own_name(called.attr), [called.value]

    def _spelt(self, called: ast.expr) -> str:
        """The function that is named, here or in a framework’s way; empty where none is."""
        own = isinstance(called, ast.Attribute) and path(called)[0] in self.names
        return "" if own else spelt(called)

    def function(self, node: ast.Call, row: Signature, operands: Sequence[ast.expr]) -> Node:
        """A call of a function that the table has."""
        function = row if isinstance(row, Function) else None
        if self.in_py_func and function and function.trick:
            raise self.error(node, WORDS("trick_in_py_func"))
        bound = self.bind(node, row, operands)
        changed = [n for n in row.settings if n in bound and not _is(bound[n], row.settings[n])]
        if function and not changed:
            arguments = self._operands(node, function, bound)
            made = ast.Call(ast.Name(function.name), arguments, [])
            called = node.func
            vars(made)["method"] = isinstance(called, ast.Attribute) and not self._spelt(called)
            return of_kind(made, "several" if function.several else "tensor", node)
        if not self.writes_out(row, changed):
            raise self._no_such_call(node, row, bound, changed)
        self.ops -= 1  # those that it is written with count
        return self.read(self._written_out(node, row, bound, changed))

    def writes_out(self, row: Signature, changed: Sequence[str]) -> bool:
        """Whether a program may have a call that other functions are written for.

        Args:
            changed: the settings that have another value than their defaults.
        """
        return operator_of(row) and not changed

    def _no_such_call(
        self, node: ast.Call, row: Signature, bound: Mapping[str, ast.expr], changed: Sequence[str]
    ) -> PlaygroundError:
        if not isinstance(row, Function) and not changed:
            return self.error(node.func, unknown_function(row.name))
        said = WORDS("no_parameter", signature=row.signature, name=cited(changed[0]))
        if changed[0].startswith("dim"):
            said = WORDS("takes_last_axis", signature=row.signature)
        return self.error(bound[changed[0]], said)

    def bind(
        self, node: ast.Call, row: Signature, operands: Sequence[ast.expr]
    ) -> dict[str, ast.expr]:
        """Which argument is which parameter, as torch binds them or as the language does."""
        own = [parameter.name for parameter in row.parameters]
        order = own if len(operands) <= len(own) else row.order
        given: dict[str, ast.expr] = {}
        for place, argument in enumerate(operands):
            if isinstance(argument, ast.Starred):
                raise self.error(argument, WORDS("star"))
            if place >= len(order):
                counts = {"most": len(own), "came": len(operands)}
                raise self.error(argument, WORDS("takes", signature=row.signature, **counts))
            given[order[place]] = argument
        for keyword in node.keywords:
            word = row.parameter(keyword.arg or "**")
            if not word:
                came = cited(keyword.arg or "**")
                raise self.error(keyword, WORDS("no_parameter", signature=row.signature, name=came))
            if word in given:
                raise self.error(keyword, WORDS("parameter_twice", name=word))
            given[word] = keyword.value
        missing = [p.name for p in row.parameters if p.name not in given and not p.optional]
        if missing:
            needs = {"signature": row.signature, "names": ", ".join(missing)}
            raise self.error(node, WORDS("parameters_missing", **needs))
        return given

    def _written_out(
        self, node: ast.Call, row: Signature, bound: Mapping[str, ast.expr], changed: Sequence[str]
    ) -> ast.expr:
        """A call, written with the functions that the language has."""
        code = {n: ast.unparse(bound[n]) if n in bound else d for n, d in row.settings.items()}
        text, read = row.text, {"dim"}
        if text.startswith("mean(") and code.get("reduction") in ("'none'", "'sum'"):
            text = text[4:] if code["reduction"] == "'none'" else f"sum{text[4:]}"
            read.add("reduction")
        for (name, setting, value), said in REMARKS.items():
            if name == row.name:
                read.add(setting)
                if code[setting] == value:
                    self.remark(node, said)
        read |= {part.id for part in ast.walk(ast.parse(text)) if isinstance(part, ast.Name)}
        if {*changed} - read:
            raise self._no_such_call(node, row, bound, changed)
        return with_place(row.written_out(bound, text), node)

    def remark(self, node: ast.expr, said: str) -> None:
        """Say what is not quite torch's in the text of a function."""
        raise self.error(node, said)

    def _tensor(self, node: ast.Call) -> Node:
        """``torch.tensor`` of a number or of a list of numbers."""
        self.ops -= 1  # it runs no op
        (given,) = node.args
        if isinstance(given, ast.List):
            return ast.copy_location(self._list(given), node)
        if isinstance(getattr(given, "operand", given), ast.Constant):
            return of_kind(self._entry(given), "tensor", node)
        number = self.read(given)
        if kind_of(number) != "number":
            raise self.error(given, WORDS("only_numbers"))
        return ast.copy_location(number, node)

    def _operands(
        self, node: ast.Call, function: Function, given: Mapping[str, ast.expr]
    ) -> list[Node]:
        found: list[Node] = []
        for parameter in function.parameters:
            if parameter.name in given:
                found.append(self._argument(function, parameter, given[parameter.name]))
            elif parameter.default is not None:
                found.append(of_kind(ast.Constant(parameter.default), "number", node))
        return found

    def _argument(self, function: Function, parameter: Parameter, given: ast.expr) -> Node:
        error = self.error
        node = self.read(given)
        name, signature = parameter.name, function.signature
        named = {"name": name, "signature": signature}
        if parameter.kind == "mask":
            return self.as_mask(node, given, WORDS("needs_comparison", **named))
        node = self.as_number(node, given, WORDS("comparison_as_argument", **named))
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
        if self.in_py_func:
            raise error(node, WORDS("trick_in_py_func"))
        operand = self.operand(node.args[0])
        made = ast.Call(ast.Call(ast.Name(name), functions, []), [operand], [])
        return of_kind(made, "tensor", node)

    def _py_func(self, node: ast.Call) -> Node:
        error = self.error
        if self.in_py_func:
            raise error(node, WORDS("py_func_in_py_func"))
        if node.keywords or not node.args:
            raise error(node, WORDS("py_func_takes"))
        arguments = self._inside(node)
        self.in_py_func = True
        try:
            outputs = [self.read(argument) for argument in arguments]
        finally:
            self.in_py_func = False
        for argument, output in zip(arguments, outputs, strict=True):
            if kind_of(output) != "tensor":
                raise error(argument, WORDS("py_func_of_number"))
        made = ast.Call(ast.Name("py_func"), outputs, [])
        of_kind(made, "several" if outputs[1:] else "tensor", node)
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
    return WORDS("no_function", name=cited(name), hint=instead(name) or among)


def _is(value: ast.expr, default: str) -> bool:
    """Whether a value is a setting's default: ``1`` and ``1.0`` are the same."""
    try:
        found = ast.literal_eval(value)
    except ValueError:
        return False
    return bool((2 if found == "fro" else found) == ast.literal_eval(default))


_READ: dict[type[ast.AST], str] = {
    ast.Constant: "_constant",
    ast.Name: "_name",
    ast.Attribute: "_attribute",
    ast.List: "_list",
    ast.UnaryOp: "_unary",
    ast.BinOp: "_binary",
    ast.Compare: "_compare",
    ast.Call: "_call",
}
"""The method that reads each."""
