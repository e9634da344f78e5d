"""One forward pass of a checked document, with its tricks and overrides or without, and gradients.

`run_forward` hands out tensors with their graph, for whoever looks at the backward pass itself;
`outcome.py` builds on the same function.
"""

import ast
import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from lessons.gradient_tricks.tricks import TrickError, gradient_override_map
from lessons.playground.document.check import Checked
from lessons.playground.document.override_rules import Row, as_function
from lessons.playground.language.expressions import Assignment
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import Budget
from lessons.playground.running.interpret import Env, Machine, Step
from lessons.playground.running.words import WORDS


@dataclass
class Forward:
    """A forward pass whose graph is still there.

    Args:
        inputs: the leaves, by name, each requiring a gradient.
        values: every name that the program gives: tensors, or floats for written numbers.
        output: what is differentiated.
        ran: op types of the table's rules → how often a rule was bound to an op.
        calls: op type → how often its rule ran, counted during the backward pass.
        steps: every op that ran, if asked for.
        reads: with ``apart``, by the first name of a line, what it reads: a name and its own
            tensor, each time that it reads one.
    """

    inputs: dict[str, torch.Tensor]
    values: dict[str, Any]
    output: torch.Tensor
    ran: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    steps: list[Step] = field(default_factory=list)
    reads: dict[str, list[tuple[str, torch.Tensor]]] = field(default_factory=dict)


def run_forward(
    checked: Checked, plain: bool = False, budget: Budget | None = None, apart: bool = False
) -> Forward:
    """Run the program forward, at the learner's points.

    Args:
        plain: True takes every trick and override out.
        budget: the time it may take, its backward pass's rules included.
        apart: True gives each operand a tensor of its own, whose gradient is the part that comes
            along it. A name's whole gradient may then be rounded in another way.

    Raises:
        PlaygroundError: shapes that clash, sizes or time over their bounds.
    """
    return forward(checked, leaves(checked), plain, budget or Budget(), True, apart)


def leaves(checked: Checked) -> dict[str, torch.Tensor]:
    """The inputs as tensors on the device that require a gradient."""
    return {
        name: value.detach().to(checked.device, checked.dtype).clone().requires_grad_()
        for name, value in checked.inputs.items()
    }


def forward(
    checked: Checked,
    inputs: Mapping[str, torch.Tensor],
    plain: bool,
    budget: Budget,
    trace: bool = False,
    apart: bool = False,
) -> Forward:
    """As ``run_forward``, on the very tensors given; they may be batched by ``torch.func.vmap``."""
    made = Forward(dict(inputs), {}, next(iter(inputs.values())))
    steps = made.steps if trace else None
    machine = Machine(
        checked.program.text, checked.device, checked.dtype, budget, plain, steps, trace
    )
    env: Env = dict(inputs)
    rows = () if plain else checked.rows
    for bound, lines in blocks(checked.program.assignments, rows):
        with _map(bound, machine, made):
            for line in lines:
                own = _read_apart(made, line, env) if apart else {}
                env |= machine.line(line, env | own)
    made.values = {name: env[name] for name in checked.program.names}
    made.output = made.values[checked.output]
    return made


def _read_apart(made: Forward, line: Assignment, env: Env) -> Env:
    """Make a view of a tensor for each expression of a line that reads one."""
    names = [node for node in line.nodes if isinstance(node, ast.Name)]
    tensors = [(node, env[node.id]) for node in names if isinstance(env[node.id], torch.Tensor)]
    own: Env = {node: tensor.view_as(tensor) for node, tensor in tensors}
    made.reads[line.names[0]] = [(node.id, view) for node, view in own.items()]
    return own


def has_gradient(value: Any) -> bool:
    """Whether a name's value is a tensor of the graph."""
    return isinstance(value, torch.Tensor) and value.requires_grad


def gradients(
    output: torch.Tensor, by: Sequence[torch.Tensor], keep: bool = False
) -> tuple[torch.Tensor | None, ...]:
    """The gradient of the output's sum by each tensor, None where none reaches it.

    Args:
        output: any shape.
        by: leaves, or tensors on the way.
        keep: True keeps the graph for another backward pass.

    Raises:
        PlaygroundError: a rule that fails, or gives gradients of the wrong count or shape.
    """
    total = output.sum()
    if not total.requires_grad:
        return (None,) * len(by)
    with playground_errors():
        return torch.autograd.grad(total, list(by), allow_unused=True, retain_graph=keep)


@contextlib.contextmanager
def playground_errors() -> Iterator[None]:
    """Turn an error of a backward pass into a `PlaygroundError`: most are a rule's.

    Raises:
        PlaygroundError: the rule's own, or what the engine or torch says.
    """
    try:
        yield
    except PlaygroundError:
        raise
    except TrickError as error:
        raise PlaygroundError(str(error), part="rule") from error
    except RuntimeError as error:
        if isinstance(error.__cause__, PlaygroundError):
            raise error.__cause__ from None
        raise PlaygroundError(WORDS("torch_refuses_backward", why=error), part="rule") from error


def _active(line: Assignment, rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows that hold on a line: bound to an op of it, within their lines."""
    types = set(line.op_types)
    return tuple(
        row
        for row in rows
        if types & set(row.op_types)
        and (not row.override.only or set(row.override.only) & set(line.names))
    )


def blocks(
    lines: Sequence[Assignment], rows: Sequence[Row]
) -> list[tuple[dict[str, Row], list[Assignment]]]:
    """The lines in groups that stand under the same rows: each group is one map.

    Returns:
        For each group, the row that holds for each op type in it, and its lines.
    """
    found = []
    for active, group in itertools.groupby(lines, key=lambda line: _active(line, rows)):
        own = list(group)
        there = {op for line in own for op in line.op_types}
        found.append(({op: row for row in active for op in row.op_types if op in there}, own))
    return found


@contextlib.contextmanager
def _map(bound: Mapping[str, Row], machine: Machine, made: Forward) -> Iterator[None]:
    if not bound:
        yield
        return
    rules = {}
    for op, row in bound.items():
        own = replace(machine, text=row.override.rule.strip(), plain=False, steps=None)
        rules[op] = as_function(row, own, made.calls)
    with gradient_override_map(rules) as report:
        yield
    made.ran.update({op: report.overridden[op] for op in rules if report.overridden[op]})
