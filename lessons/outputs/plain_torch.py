"""A lesson as one short file of plain torch: its in_torch.py with the settings of a screen.

in_torch.py opens with its settings, one assignment each, named as the lab's parameters are; then
come its functions, the lesson's program under its own name and with its own parameters among them;
what prints stands under ``if __name__ == "__main__":`` and leaves its numbers in ``result``.
"""

import ast
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from lessons import tricks
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Values
from lessons.tracer import Edge, Node, named, record
from lessons.tracer.cutting import Cut, write_cuts
from lessons.tracer.recording.variables import assignments, place_of
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


def plain_torch(lesson: Lesson, values: Values, cuts: Collection[Cut] = ()) -> str:
    """The file's text with these settings, and ``detach`` where edges of the graph are cut.

    A cut for which there is no place in the file is named in a comment, and left out.
    """
    text = (lesson.folder / FILE).read_text("utf-8")
    text = with_settings(text, {**values, **lesson.lab.drawn(values)})
    missing: list[Cut] = []
    if cuts and lesson.lab.start:
        text, missing = with_detach(text, lesson.program.__name__, lesson.lab.start(values), cuts)
    head = [f"# {lesson.slug}, from Gradient Tricks Lab, with the settings of your screen."]
    if missing:
        head.append(
            f"# Not cut here: {write_cuts(missing)}. A hook, a class with a backward of its"
        )
        head.append("# own or a line that runs several times does this op, and no detach cuts it.")
    return _below_docstring(text, head)


def with_settings(text: str, settings: Mapping[str, Any]) -> str:
    """The text with other values in its settings, the assignments before the first function.

    >>> with_settings("x = [1.0]\\nscale = 2\\ndef f(): ...", {"x": (3.0, math.inf), "y": 1})
    'x = [3.0, float("inf")]\\nscale = 2\\ndef f(): ...'
    """
    edits = []
    for statement in ast.parse(text).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.If)):
            break
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name in settings:
                start, end = _span(text, statement.value)
                edits += [(start, end, _literal(name, settings[name]))]
    return _edited(text, edits)


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
    names: dict[str, Any] = {"__name__": program}
    exec(compile(text, here, "exec"), names)
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
    given = [name for name, value in start.settings.items() if callable(value) and name in names]
    start = replace(start, settings={**start.settings, **{name: names[name] for name in given}})
    with record({**start.leaves, **start.besides}) as recording:
        start.finish(start.call(names[program]))
    tree = ast.parse(text)
    places = {place_of(part): part for part in ast.walk(tree) if isinstance(part, ast.expr)}
    variables = assignments(tree)
    for made in recording:
        made.variable = next(iter(variables.get(made.place[1], ())), None) if made.place else None
    edits, missing = [], []
    for op, operand in sorted(cuts):
        node = recording.nodes.get(op)
        same = [one.name for one in recording if node and one.place and one.place == node.place]
        found = counter = None
        if node and node.place and node.place[0] == here:
            expression = places.get(node.place[1])
            found = expression and _operand(expression, node, operand)
            counter = expression and _counter(tree, expression)
        if isinstance(found, ast.Name) and counter:
            turns = [turn for turn, one in enumerate(same) if (one, operand) in cuts]
            name = found.id
            edits.append(
                (*_span(text, found), f"({name}.detach() if {counter} in {turns} else {name})")
            )
        elif found is None or any((one, operand) not in cuts for one in same):
            missing.append((op, operand))
        else:
            start_at, end_at = _span(text, found)
            simple = isinstance(found, (ast.Name, ast.Call, ast.Subscript, ast.Attribute))
            edits += [(start_at, start_at, "" if simple else "(")]
            edits += [(end_at, end_at, ".detach()" if simple else ").detach()")]
    return _edited(
        text, set(edits)
    ), missing  # cuts of one expression in several turns are one edit


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


def _operand(call: ast.expr, node: Node, operand: int) -> ast.expr | None:
    """The expression that a call reads this operand from."""
    match call:
        case ast.BinOp():
            given: list[ast.expr] = [call.left, call.right]
            if len(node.operands) == 1:  # of a number and a tensor, torch names the tensor first
                given = [one for one in given if not isinstance(one, ast.Constant)]
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
    return repr(value)


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


def _edited(text: str, edits: Collection[tuple[int, int, str]]) -> str:
    raw = text.encode()
    for first, last, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        raw = raw[:first] + new.encode() + raw[last:]
    return raw.decode()
