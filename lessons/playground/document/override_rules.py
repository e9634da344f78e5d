"""The rules of override maps: as a document has them, in Python, and as the engine takes them."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lessons.gradient_tricks.text import cited, visible
from lessons.gradient_tricks.tricks import op_types
from lessons.gradient_tricks.tricks.lookup import nearest
from lessons.playground.document.contents import Override
from lessons.playground.document.words import WORDS
from lessons.playground.language.emit import expression, fill, in_torch_of, python
from lessons.playground.language.expressions import (
    Node,
    Program,
    children,
    kind_of,
    reaches_torch,
    walk,
)
from lessons.playground.language.expressions import op_types as op_types_of
from lessons.playground.language.functions import Put
from lessons.playground.language.limits import MAX_OVERRIDES
from lessons.playground.language.parse import parse_rule
from lessons.playground.language.playground_error import PlaygroundError, shape_text
from lessons.playground.running.interpret import Machine

_MOST_OPERANDS = 6

RULES: dict[str, tuple[str, str]] = {
    "clip": ("clamp(grad, -0.1, 0.1)", WORDS("does_clip", limit=0.1)),
    "halve": ("grad * 0.5", WORDS("does_halve")),
    "flip": ("-grad", WORDS("does_flip")),
    "guided relu": ("where(grad > 0, where(out1 > 0, grad, 0), 0)", WORDS("does_guided_relu")),
    "zero": ("grad * 0", WORDS("does_zero")),
    "sign only": ("sign(grad)", WORDS("does_sign_only")),
}
"""The rules that playground and bench offer, and that a document in the earlier format may name:
name → expression and help."""

_ENTRY = re.compile(
    r"(?:^|,)\s*([\"'])(\w+)\1\s*:\s*lambda\s+op((?:\s*,\s*grad\d?)+)\s*:", re.ASCII
)
_PART = re.compile(r"\bop\.(in|out)puts\[\s*(\d)\s*\]", re.ASCII)

RULE_NAMES = (
    "grad",
    *(f"{word}{i}" for word in ("grad", "in", "out") for i in range(1, _MOST_OPERANDS + 1)),
)
"""What a rule may read. Which of them there are depends on the op."""


@dataclass(frozen=True)
class Row:
    """An override, read.

    Args:
        op_types: the engine's op types that the key stands for.
        gradients: the expressions of its rule.
        override: as the document has it.
    """

    op_types: tuple[str, ...]
    gradients: tuple[Node, ...]
    override: Override


def read_override(override: Override) -> Row:
    """Read one row.

    Raises:
        PlaygroundError: an unknown op type (with the nearest) or rule.
    """
    key = override.op_type
    types = types_of(key)
    if not types:
        near = nearest(key)
        message = WORDS("no_op_type_near", key=cited(key), near=near)
        raise _wrong(message if near else WORDS("no_op_type", key=cited(key)), visible(key, 32))
    return Row(types, read_rule(override), override)


def read_rule(override: Override) -> tuple[Node, ...]:
    """Read the gradients of an override's rule.

    Raises:
        PlaygroundError: it is no expression, or reads a name that no rule has.
    """
    return parse_rule(override.rule, RULE_NAMES, override.op_type)


Ops = dict[tuple[bool, ...], tuple[str, ...]]
"""The ops of one type in groups: for each operand, whether it is a tensor of the program → the
names of the lines that have such an op."""


def ops_by_type(program: Program) -> dict[str, Ops]:
    """The ops of a program that pass a gradient on, by type, the last type at the end."""
    found: dict[str, Ops] = {}
    for line in program.assignments:
        for node in line.nodes:
            operands = tuple(
                kind_of(one) == "tensor" for one in children(node) if reaches_torch(node, one)
            )
            for op in op_types_of(node) if any(operands) else ():
                ops = found[op] = found.pop(op, {})
                ops[operands] = tuple(dict.fromkeys((*ops.get(operands, ()), *line.names)))
    found.pop("stop_gradient", None)
    return found


def rules_of(op_type: str, rule: str, ops: Ops) -> list[Override]:
    """Give the ops of a type a rule.

    Args:
        rule: one expression, for each operand that is a tensor of the program; or one expression
            for each operand, which holds for the ops that have as many. What can't be read, or
            fits no op, is left as it is: the program's check refuses it.
    """
    try:
        count = len(read_rule(Override(op_type, rule)))
    except PlaygroundError:
        count = 0
    found = []
    for operands, names in ops.items():
        gradients = [rule]
        if count == 1:
            gradients = [rule if is_tensor else "None" for is_tensor in operands]
        if count in (1, len(operands)):
            found.append(Override(op_type, ", ".join(gradients), names if len(ops) > 1 else ()))
    return found or [Override(op_type, rule)]


def rules_of_map(entries: str) -> list[tuple[str, str]]:
    """Read what stands in the braces of a ``gradient_override_map``.

    Returns:
        Op types, each with its rule as an ``Override`` has it.

    Raises:
        PlaygroundError: something else stands there.

    >>> rules_of_map('"mul": lambda op, grad: (grad * op.inputs[1], None)')
    [('mul', 'grad * in2, None')]
    """
    heads = [*_ENTRY.finditer(entries)]
    if not heads or heads[0].start():
        raise PlaygroundError(WORDS("map_line"))
    if len(heads) > MAX_OVERRIDES:
        raise PlaygroundError(WORDS("many_overrides", count=len(heads), most=MAX_OVERRIDES))
    found = []
    for head, end in zip(heads, [*(one.start() for one in heads[1:]), len(entries)], strict=True):
        op_type = head[2]
        rule = _PART.sub(
            lambda part: f"{part[1]}{int(part[2]) + 1}",
            entries[head.end() : end].strip().removesuffix(","),
        )
        gradients = read_rule(Override(op_type, rule))
        found.append((op_type, ", ".join(map(in_torch_of, gradients))))
    return found


def rule_in_python(rule: Sequence[Node], outputs: int = 1) -> str:
    """Write a rule as a map takes it: ``lambda op, grad: …``.

    Args:
        outputs: how many outputs its op has, each with an upstream gradient.
    """
    names = [f"grad{place}" for place in range(1, outputs + 1)] if outputs > 1 else ["grad"]
    given: dict[str, ast.expr] = {"grad": ast.Name(names[0])}
    for place in range(1, _MOST_OPERANDS + 1):
        given[f"grad{place}"] = ast.Name(names[min(place, outputs) - 1])
        for short, attribute in (("in", "inputs"), ("out", "outputs")):
            tensors = ast.Attribute(ast.Name("op"), attribute)
            given[f"{short}{place}"] = ast.Subscript(tensors, ast.Constant(place - 1))
    gradients = []
    for place, node in enumerate(rule):
        made = expression(node)
        if kind_of(node) == "number":
            made = fill(
                "torch.full_like(x, value)", {"x": ast.Name(f"in{place + 1}"), "value": made}
            )
        gradients.append(Put(given).visit(made))
    body = gradients[0] if len(gradients) == 1 else ast.Tuple(gradients)
    return f"lambda {', '.join(['op', *names])}: {python(body)}"


def types_of(key: str) -> tuple[str, ...]:
    """The engine's op types that a key of a map stands for, in its own words or TensorFlow's."""
    table = op_types()
    if key in table:
        return (key,)
    return tuple(name for name, tensorflow in table.items() if tensorflow == key)


def as_function(row: Row, machine: Machine, calls: Counter[str]) -> Callable[..., Any]:
    """The rule as the engine calls it: ``rule(op, *upstream)``.

    Args:
        machine: with the rule's own text; its budget ends a rule that takes too long.
        calls: counts, by op type, how often the rule ran.
    """
    key, nodes = row.override.op_type, row.gradients
    read = [part.id for node in nodes for part in walk(node) if isinstance(part, ast.Name)]

    def rule(op: Any, *upstream: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        calls[op.type] += 1
        env: dict[str, Any] = {"grad": upstream[0]}
        for word, tensors in (("grad", upstream), ("in", op.inputs), ("out", op.outputs)):
            env |= {f"{word}{place}": value for place, value in enumerate(tensors, start=1)}
        if lacking := [name for name in read if name not in env]:
            names = ", ".join(env)
            raise _wrong(WORDS("not_of_this_op", op=op.type, name=lacking[0], names=names), key)
        if len(nodes) != len(op.inputs):
            counts = {"count": len(nodes), "operands": len(op.inputs)}
            raise _wrong(WORDS("gradients_of_rule", op=op.type, **counts), key)
        try:
            return tuple(
                _gradient(machine.value(node, env), op, place) for place, node in enumerate(nodes)
            )
        except PlaygroundError as error:
            raise error.within("rule", key) from None

    rule.__name__ = " ".join(row.override.rule.split())
    return rule


def _gradient(gradient: Any, op: Any, place: int) -> torch.Tensor | None:
    """What a rule gives for one operand; a number alone stands for that number everywhere.

    Raises:
        PlaygroundError: a wrong shape, in the playground's words; the engine would refuse it, too.
    """
    operand = op.inputs[place]
    made: torch.Tensor | None = gradient
    if isinstance(gradient, float):
        made = torch.full_like(operand, gradient)
    if made is not None and not operand.is_floating_point():
        raise PlaygroundError(WORDS("gradient_of_comparison", place=place + 1, op=op.type))
    if made is not None and made.shape != operand.shape:
        shapes = {"mine": shape_text(made.shape), "wanted": shape_text(operand.shape)}
        raise PlaygroundError(WORDS("shape_of_gradient", place=place + 1, **shapes))
    return made


def _wrong(message: str, subject: str) -> PlaygroundError:
    return PlaygroundError(message, part="rule", subject=subject)
