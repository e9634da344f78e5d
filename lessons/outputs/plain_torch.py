"""A lesson as one short file of plain torch: its in_torch.py with the settings of a screen.

in_torch.py opens with its settings, one assignment each, named as the lab's parameters are; then
come its functions, the lesson's program under its own name and with its own parameters among them;
what prints stands under ``if __name__ == "__main__":`` and leaves its numbers in ``result``, by the
names of the lab's series. It imports torch, json and math alone, and has at most 40 lines; 80 in
the chapter of override maps, 120 with a training.

Edges of the graph that are cut become ``detach`` in the file. So each op of the graph stands in the
program, written as in lesson.py, and what is printed is a gradient of 0 where all paths are cut:
``torch.autograd.grad((y + 0 * x).sum(), x)``.
"""

import ast
import json
import math
import re
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from lessons import tricks
from lessons.contract.cuts import write_cuts
from lessons.contract.lab import Start
from lessons.contract.lesson import CutError, Lesson
from lessons.contract.parameters import Values
from lessons.recorder import Edge, Node, named, record
from lessons.recorder.cutting import Cut
from lessons.recorder.recording.variables import assignments, place_of
from lessons.tricks.as_one import one_op
from lessons.tricks.rule import Slot

FILE = "in_torch.py"
OWN = {
    "gradient_override_map": partial(tricks.gradient_override_map, warn=False),
    "identity": tricks.identity,
    "py_func": tricks.py_func,
    "named": named,
}
"""What stands for these, by name, while a file's graph is recorded."""
_ROUNDING = {torch.float64: 1e-9, torch.float32: 1e-4, torch.bfloat16: 0.1}
"""How far apart two ways to write the same gradient may be, as a share of its largest number."""


def plain_torch(lesson: Lesson, values: Values, cuts: Collection[Cut] = ()) -> str:
    """The file's text with these settings, and ``detach`` where edges of the graph are cut.

    A cut for which there is no place in the file is named in a comment, and left out; so are all
    where the file would compute another gradient with them than the lesson does.
    """
    text = (lesson.folder / FILE).read_text("utf-8")
    text = with_settings(text, {**values, **lesson.lab.drawn(values)})
    missing: list[Cut] = []
    if cuts and lesson.lab.start:
        name, start = lesson.program.__name__, lesson.lab.start
        open_text, missing = with_detach(text, name, start(values), cuts)
        left = [one for one in cuts if one not in missing]
        mine = _gradients(start(values), lesson.cut_open(left))
        if _same(mine, _gradients(*_runnable(open_text, name, start(values), cuts))):
            text = open_text
        else:
            missing = sorted(cuts)
    head = [f"# {lesson.slug}, from Gradient Tricks Lab, with the settings of your screen."]
    if missing:
        head.append(
            f"# Not cut here: {write_cuts(missing)}. A hook, a class with a backward of its"
        )
        head.append("# own or a line that runs several times does this op, and no detach cuts it.")
    head += _why_no_number(lesson, values, cuts)
    return _below_docstring(text, head)


def _why_no_number(lesson: Lesson, values: Values, cuts: Collection[Cut]) -> list[str]:
    """Comments with what the lab says of a NaN that the file prints with these settings.

    What a training prints is known after its steps alone.
    """
    if lesson.lab.training is not None:
        return []
    try:
        result = lesson.compute(lesson.lab.preview(values), cuts=cuts)
    except CutError:
        return []
    if not any(np.isnan(series.y).any() for series in result.series):
        return []
    said = " ".join(note.text for note in result.notes if note.level == "warning")
    return textwrap.wrap(
        f"Where NaN is printed: {said}", 90, initial_indent="# ", subsequent_indent="# "
    )


def with_settings(text: str, settings: Mapping[str, Any]) -> str:
    """The text with other values in its settings, the assignments before the first function.

    >>> with_settings("x = [1.0]\\nscale = 2\\ndef f(): ...", {"x": (3.0, math.inf), "y": 1})
    'x = [3.0, float("inf")]\\nscale = 2\\ndef f(): ...'
    """
    raw, edits = text.encode(), []
    for statement in ast.parse(text).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.If)):
            break
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name in settings:
                start, end = _span(text, statement.value)
                edits += [(start, end, _literal(name, settings[name]))]
    for first, last, new in reversed(edits):
        raw = raw[:first] + new.encode() + raw[last:]
    return raw.decode()


def with_detach(
    text: str, program: str, start: Start, cuts: Collection[Cut]
) -> tuple[str, list[Cut]]:
    """The text with ``.detach()`` at these edges of its program's graph, and the cuts left over.

    Args:
        text: of a file in plain torch.
        program: the name of its function.
        start: how the function is run.
        cuts: edges, as consumer and operand.
    """
    here = f"<{program}>"
    start, run = _runnable(text, program, start, cuts)
    numbers = {name for name, value in start.settings.items() if isinstance(value, (int, float))}
    with record({**start.leaves, **start.besides}) as recording:
        start.finish(start.call(run))
    tree = ast.parse(text)
    places = {place_of(part): part for part in ast.walk(tree) if isinstance(part, ast.expr)}
    variables = assignments(tree)
    for made in recording:
        made.variable = next(iter(variables.get(made.place[1], ())), None) if made.place else None
    around: dict[tuple[int, int], tuple[str, str]] = {}  # text before an expression, and after it
    missing = []
    for op, operand in sorted(cuts):
        node = recording.nodes.get(op)
        same = [one.name for one in recording if node and one.place and one.place == node.place]
        found = counter = None
        if node and node.place and node.place[0] == here:
            expression = places.get(node.place[1])
            found = expression and _operand(expression, node, operand, numbers)
            counter = expression and _counter(tree, expression)
        if isinstance(found, ast.Name) and counter:
            turns = [turn for turn, one in enumerate(same) if (one, operand) in cuts]
            after = f".detach() if {counter} in {turns} else {found.id})"
            around[_span(text, found)] = ("(", after)
        elif found is None or any((one, operand) not in cuts for one in same):
            missing.append((op, operand))
        else:
            simple = isinstance(found, (ast.Name, ast.Call, ast.Subscript, ast.Attribute))
            around[_span(text, found)] = ("", ".detach()") if simple else ("(", ").detach()")
    return _wrapped(text, around), missing


def _runnable(
    text: str, program: str, start: Start, cuts: Collection[Cut]
) -> tuple[Start, Callable[..., Any]]:
    """A file's function, each trick in it one op, and how to run it with what the file has."""
    names: dict[str, Any] = {"__name__": program}
    exec(compile(text, f"<{program}>", "exec"), names)
    # What the file spells out of the engine's tricks is one op in the graph, as it is on the page;
    # so is a function of its own by the name of an op that is cut. A map of its own, with the ops
    # that it is for, is the engine's, whose ops the graph knows.
    for name in {*tricks.__all__, *(re.sub(r"_\d+$", "", op) for op, _ in cuts)}:
        if name in names and not isinstance(names[name], type):
            names[name] = one_op(name)(names[name])
    for name, own in OWN.items():
        if name in names:
            names[name] = own
    # Functions that the program is given stand in the file too, as its settings.
    given = {n: names[n] for n, one in start.settings.items() if callable(one) and n in names}
    return replace(start, settings={**start.settings, **given}), names[program]


def _gradients(start: Start, program: Callable[..., Any]) -> list[torch.Tensor | None] | None:
    """Of each leaf that requires one; None where torch is asked for what is cut off."""
    leaves = [leaf for leaf in start.leaves.values() if leaf.requires_grad]
    try:
        end = start.finish(start.call(program))
        if not end.requires_grad:
            return [None] * len(leaves)
        return list(torch.autograd.grad(end, leaves, torch.ones_like(end), allow_unused=True))
    except (RuntimeError, tricks.TrickError):
        return None


def _same(
    mine: Sequence[torch.Tensor | None] | None, theirs: Sequence[torch.Tensor | None] | None
) -> bool:
    """Whether these gradients agree up to rounding; none at all is zeros, and both may fail."""
    if mine is None or theirs is None:
        return mine is theirs
    for one, other in zip(mine, theirs, strict=True):
        if one is None or other is None:
            known = other if one is None else one
            if known is not None and bool(known.any()):
                return False
        else:
            size = float(one.nan_to_num(0.0, 0.0, 0.0).abs().max())
            near = _ROUNDING[one.dtype]
            if not torch.allclose(one, other, near, near * size, equal_nan=True):
                return False
    return True


def _counter(tree: ast.AST, expression: ast.expr) -> str | None:
    """The variable that counts the turns of the one loop in which this stands, from 0.

    None outside a loop, in several, with no name for it, or where a condition may leave out a turn.
    """
    around = (ast.For, ast.While, ast.If, ast.IfExp, ast.comprehension)
    outer = [
        part
        for part in ast.walk(tree)
        if isinstance(part, around) and any(one is expression for one in ast.walk(part))
    ]
    match outer:
        case [ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name("range"), args=[_]))]:
            return None if name == "_" else name
    return None


def _operand(call: ast.expr, node: Node, operand: int, numbers: Collection[str]) -> ast.expr | None:
    """The expression that a call reads this operand from.

    Args:
        call: the expression that the op came from.
        node: the op.
        operand: which of its tensors, 0 for the first.
        numbers: names that stand for a number, no tensor.
    """
    match call:
        case ast.BinOp():
            given: list[ast.expr] = [call.left, call.right]
            if len(node.operands) == 1:  # of a number and a tensor, torch names the tensor first
                given = [
                    one
                    for one in given
                    if not isinstance(one, ast.Constant)
                    and not (isinstance(one, ast.Name) and one.id in numbers)
                ]
                if len(given) == 1:
                    return given[0]
                return next((one for one in given if _made_by(one, node.operands[0])), None)
        case ast.UnaryOp():
            given = [call.operand]
        case ast.Compare():
            given = [call.left, *call.comparators]
        case ast.Call():
            bound = isinstance(call.func, ast.Attribute) and len(node.args) > len(call.args)
            given = [call.func.value, *call.args] if bound else list(call.args)  # type: ignore[attr-defined]
            named = {one.arg: one.value for one in call.keywords if one.arg}
            for name, value in node.kwargs.items():
                if value == Slot(operand):
                    return named.get(name)
        case ast.Subscript() | ast.Attribute():
            given = [call.value]
        case _:
            return None
    for expression, value in zip(given, node.args, strict=False):
        if value == Slot(operand):
            return expression
        if isinstance(expression, (ast.List, ast.Tuple)) and isinstance(value, (list, tuple)):
            for one, inner in zip(expression.elts, value, strict=False):
                if inner == Slot(operand):
                    return one
    return None


def _made_by(expression: ast.expr, edge: Edge) -> bool:
    """Whether this expression is what the operand was read from."""
    producer = edge.producer
    if isinstance(expression, ast.Name):
        return expression.id in (producer.variable, producer.name)
    return producer.place is not None and producer.place[1] == place_of(expression)


def _literal(name: str, value: Any) -> str:
    if name == "dtype":
        return f"torch.{value}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_literal('', one) for one in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    # A function's text is a kind of str, and says itself how it is written.
    return json.dumps(value) if type(value) is str else repr(value)


def _below_docstring(text: str, lines: list[str]) -> str:
    first = ast.parse(text).body[0]
    after = (first.end_lineno or 0) if isinstance(first, ast.Expr) else 0
    all_lines = text.splitlines()
    return "\n".join([*all_lines[:after], "", *lines, *all_lines[after:]]) + "\n"


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    """Where it stands, in bytes."""
    starts = [0]
    for raw in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(raw))
    line, end_line, column, end_column = place_of(node)
    return starts[line - 1] + column, starts[end_line - 1] + end_column


def _wrapped(text: str, around: Mapping[tuple[int, int], tuple[str, str]]) -> str:
    """The text with more before and after these stretches of it, of which one may hold another."""
    raw = text.encode()
    put = [(start, 1, -end, before) for (start, end), (before, _) in around.items()]
    put += [(end, 0, -start, after) for (start, end), (_, after) in around.items()]
    for at, _, _, more in sorted(put, reverse=True):  # at one place, closes what opened last first
        raw = raw[:at] + more.encode() + raw[at:]
    return raw.decode()
