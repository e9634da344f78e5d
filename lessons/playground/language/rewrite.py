"""Rewrites an expression of pasted code: what the language spells otherwise, in its own words."""

import ast
import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.spellings import (
    MODULES,
    NUMBERS,
    WITHOUT_EFFECT,
    WRITTEN_OUT,
    path,
)

ROOTS = {"self", "cls", "ctx", "args", "opt", "cfg", "config", "hparams", "params"}
"""What settings hang on: ``self.beta`` is ``beta``."""
_AXIS = ("dim", "axis", "p", "eps")
_REDUCED = {"sum", "mean", "softmax", "log_softmax", "logsumexp", *WRITTEN_OUT}
_LIMITS = {"min": "maximum", "low": "maximum", "max": "minimum", "high": "minimum"}


def _squashed(name: str) -> str:
    return name.lower().replace("_", "").removesuffix("loss").replace("binarycrossentropy", "bce")


_CLASSES = {_squashed(name): name for name in (*CALLABLE, *WRITTEN_OUT)}


class Rewriter(ast.NodeTransformer):
    """Rewrites expressions.

    Args:
        clean: a name as the language can have it.
    """

    def __init__(self, clean: Callable[[str], str]) -> None:
        self.clean = clean
        self.names: dict[str, str] = {}  # what each is called in the program by now
        self.functions: dict[str, str] = {}  # what a name stands for, as in self.act = nn.ReLU()
        self.settings: set[str] = set()  # what hangs on self
        self.left: dict[str, None] = {}
        self.stopped = False  # within no_grad

    def read(self, node: ast.expr) -> ast.expr:
        """The expression in the language's words, as far as there are any."""
        made: ast.expr = self.visit(copy.deepcopy(node))
        return call("stop_gradient", made) if self.stopped else made

    def settle(self, name: str, value: ast.expr) -> bool:
        """Whether this makes the name a function of the language, as in ``mse = nn.MSELoss()``."""
        made = self._class(value)
        if made:
            self.functions[name] = made
        return bool(made)

    def _class(self, node: ast.expr) -> str:
        """The function that a module of torch.nn is: ``nn.MSELoss()`` is ``mse_loss``."""
        name = path(node.func)[-1] if isinstance(node, ast.Call) else ""
        return _CLASSES.get(_squashed(name), "") if name[:1].isupper() else ""

    def visit(self, node: ast.AST) -> Any:
        shown = ast.unparse(node) if isinstance(node, ast.Call | ast.Subscript) else ""
        made = super().visit(node)
        if shown:
            made.written = shown  # for what is said of it
        return made

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.names or node.id not in (*CALLABLE, *MODULES):
            return ast.copy_location(ast.Name(self.names.get(node.id) or self.clean(node.id)), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root, *names = path(node)
        if root in ROOTS and root not in self.names:
            found = self.visit_Name(ast.Name("_".join(names), lineno=node.lineno, col_offset=0))
            self.settings |= (
                {found.id} if len(names) == 1 and isinstance(found, ast.Name) else set()
            )
            return found
        if names[-1] == "pi" and root in MODULES:
            return ast.Constant(math.pi)
        node.value = self.visit(node.value)
        instead = {"data": "stop_gradient", "T": "transpose"}.get(node.attr)
        return call(instead, node.value) if instead else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return call("where", *map(self.visit, (node.test, node.body, node.orelse)))

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if all(ast.unparse(part) in (":", "None", "...") for part in parts):
            return self.visit(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        func, on = self._called(node.func)
        name, given = path(func)[-1], [self.visit(argument) for argument in node.args]
        keywords = {k.arg or "**": self.visit(k.value) for k in node.keywords}
        reduction = ast.unparse(keywords.pop("reduction", ast.Constant("mean")))
        keywords = {k: v for k, v in keywords.items() if not _is_setting(v)}
        operands = [*on, *given]
        if name in WITHOUT_EFFECT and operands:
            self.left[name] = None
            mask = isinstance(operands[0], ast.Compare)
            return call("where", operands[0], *map(ast.Constant, (1, 0))) if mask else operands[0]
        if name in NUMBERS:
            return ast.Constant(NUMBERS[name])
        if name in ("max", "min") and len(operands) == 2 and _has_name(operands[1], _AXIS):
            return call(f"{name}imum", *operands)
        if name in ("clamp", "clip") and (limits := _limits(operands[1:], keywords)):
            made = operands[0]
            for function, limit in limits:
                made = call(function, made, limit)
            return made
        if name in _REDUCED and name not in WRITTEN_OUT:
            # Numbers and lists have one axis, which is the first and the last.
            given = given[: 1 - len(on)] if given and not _is_axis(given[-1]) else given
            keywords = {k: v for k, v in keywords.items() if k not in _AXIS or _is_axis(v)}
        if name in WRITTEN_OUT and (written := _written_out(name, operands, keywords, reduction)):
            return written
        pairs = [ast.keyword(None if k == "**" else k, v) for k, v in keywords.items()]
        return ast.copy_location(ast.Call(func, given, pairs), node)

    def _called(self, func: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
        """What is called, and what it is called on if it is a method."""
        root, *names = path(func)
        if made := self._class(func):
            return ast.Name(made), []
        if not isinstance(func, ast.Attribute):
            return (ast.Name(self.functions.get(root, root)) if root else self.visit(func)), []
        if root in MODULES and root not in self.names:
            return func, []
        if root in ROOTS and len(names) == 1:
            return ast.Name(self.functions.get(self.clean(func.attr), func.attr)), []
        func.value = self.visit(func.value)
        return func, [func.value]


class Put(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def _written_out(
    name: str, operands: list[ast.expr], keywords: dict[str, ast.expr], reduction: str
) -> ast.expr | None:
    """A function that is written with others; None where it is called in an unknown way."""
    text = WRITTEN_OUT[name]
    if text.startswith("mean(") and reduction != "'mean'":
        text = text[4:] if reduction == "'none'" else f"sum{text[4:]}"
    template = ast.parse(text, mode="eval").body
    letters = names_in(template)
    operands = [*operands, *(keywords[k] for k in ("input", "target") if k in keywords)]
    put = dict(zip(sorted(letters & {*"abtx"}, key="xtab".index), operands, strict=False))
    unknown = {*keywords} - {*_AXIS, "input", "target"}
    if unknown or len(put) < len(letters & {*"abtx"}):
        return None
    made: ast.expr = Put(put).visit(template)
    return made


def _limits(given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> list[tuple[str, ast.expr]]:
    """The limits of a clamp as minimum and maximum, unless they are numbers that are written."""
    limits = [*zip(("maximum", "minimum"), given, strict=False)]
    limits += [(_LIMITS[name], value) for name, value in keywords.items() if name in _LIMITS]
    return limits if any(_has_name(value) for _, value in limits) else []


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """Write a call of a function of the language."""
    return ast.Call(ast.Name(name), [*arguments], [])


def names_in(node: ast.expr) -> set[str]:
    """The names that an expression reads."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _has_name(node: ast.expr, but: Sequence[str] = ()) -> bool:
    return bool(names_in(node) - {*but})


def _is_axis(node: ast.expr) -> bool:
    return ast.unparse(node) in ("0", "-1")


def _is_setting(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool | str | type(None))
