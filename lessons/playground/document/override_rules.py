"""The override table's rules: presets by name, expressions, and both as the engine takes them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lessons.playground.document.contents import Override
from lessons.playground.language.expressions import Rule
from lessons.playground.language.parse import parse_rule
from lessons.playground.language.playground_error import PlaygroundError, nearest, shape_text
from lessons.playground.running.interpret import Machine
from lessons.text import cited, visible
from lessons.tricks import op_types

_MOST = 6

RULES: dict[str, tuple[str, str]] = {
    "clip": ("clamp(grad, -0.1, 0.1)", "The upstream gradient, each entry clipped to −0.1 … 0.1."),
    "halve": ("grad * 0.5", "Half of the upstream gradient."),
    "flip": ("-grad", "The upstream gradient with the other sign."),
    "guided relu": (
        "where(grad > 0, where(out1 > 0, grad, 0), 0)",
        "The upstream gradient where it and the output are positive, else 0.",
    ),
    "zero": ("grad * 0", "Zeros."),
    "sign only": ("sign(grad)", "The sign of each entry of the upstream gradient."),
}
"""The presets: name → expression and help."""

RULE_NAMES = (
    "grad",
    *(f"{word}{i}" for word in ("grad", "in", "out") for i in range(1, _MOST + 1)),
)
"""What a rule may read. Which of them there are depends on the op."""


@dataclass(frozen=True)
class Row:
    """One row of the override table, read.

    Args:
        op_types: the engine's op types that the key stands for.
        rule: its expressions.
        override: as the document has it.
    """

    op_types: tuple[str, ...]
    rule: Rule
    override: Override


def read_override(override: Override, names: Sequence[str]) -> Row:
    """Read one row.

    Args:
        override: as the document has it.
        names: those the program gives.

    Raises:
        PlaygroundError: an unknown op type (with the nearest), rule or name.
    """
    key = override.op_type
    types = _types_of(key)
    if not types:
        raise PlaygroundError(
            f"There is no op type {cited(key)}.{_did_you_mean(key)} The graph shows each op's "
            "type. TensorFlow would ignore it silently.", part="rule", subject=visible(key, 32),
        )  # fmt: skip
    for name in override.only:
        if name not in names:
            near = nearest(name, names)
            hint = f" Did you mean {near[0]}?" if near else f" There are: {', '.join(names)}."
            raise PlaygroundError(
                f"No line of the program gives {cited(name)}.{hint}", part="rule", subject=key
            )
    text = RULES[override.rule.strip()][0] if override.rule.strip() in RULES else override.rule
    return Row(types, parse_rule(text, RULE_NAMES, key), override)


def _types_of(key: str) -> tuple[str, ...]:
    table = op_types()
    if key in table:
        return (key,)
    return tuple(name for name, tensorflow in table.items() if tensorflow == key)


def _did_you_mean(key: str) -> str:
    table = op_types()
    pairs = {name: f"{name} / {other}" if other else name for name, other in table.items()}
    near = nearest(key, [*pairs, *(other for other in table.values() if other)])
    shown = dict.fromkeys(
        pairs.get(word) or next(pairs[name] for name, other in table.items() if other == word)
        for word in near
    )
    return f" Did you mean {' or '.join(shown)}?" if shown else ""


def as_function(row: Row, machine: Machine, calls: Counter[str]) -> Callable[..., Any]:
    """The rule as the engine calls it: ``rule(op, *upstream)``.

    Args:
        row: what to compute.
        machine: with the rule's own text; its budget ends a rule that takes too long.
        calls: counts, by op type, how often the rule ran.
    """

    def rule(op: Any, *upstream: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        calls[op.type] += 1
        env: dict[str, Any] = {"grad": upstream[0]}
        for word, tensors in (("grad", upstream), ("in", op.inputs), ("out", op.outputs)):
            env |= {f"{word}{place}": value for place, value in enumerate(tensors, start=1)}
        used = _Present(env, op.type)
        try:
            gradients = tuple(machine.value(node, used) for node in row.rule.gradients)
        except PlaygroundError as error:
            subject = row.override.op_type
            raise PlaygroundError(
                error.message, error.line, error.column, "rule", subject
            ) from None
        # A number alone stands for that number everywhere.
        gradients = tuple(
            torch.full_like(op.inputs[place], value)
            if isinstance(value, float) and place < len(op.inputs)
            else value
            for place, value in enumerate(gradients)
        )
        _check_gradients(gradients, op, row.override.op_type)
        return gradients

    rule.__name__ = " ".join(row.override.rule.split())
    return rule


def _check_gradients(gradients: Sequence[Any], op: Any, subject: str) -> None:
    """Count and shapes, in the playground's own words; the engine would refuse them too."""
    count, wanted = len(gradients), len(op.inputs)
    if count != wanted:
        raise PlaygroundError(
            f"The rule gives {count} gradient{'s' * (count != 1)}, and {op.type} has {wanted} "
            f"tensor operand{'s' * (wanted != 1)} here. Write one for each, separated by commas; "
            "None means no gradient.", part="rule", subject=subject,
        )  # fmt: skip
    for place, (gradient, operand) in enumerate(zip(gradients, op.inputs, strict=True), start=1):
        if gradient is None:
            continue
        if not operand.is_floating_point():
            raise PlaygroundError(
                f"in{place} of {op.type} is a comparison and can have no gradient. Write None in "
                f"place {place}.", part="rule", subject=subject,
            )  # fmt: skip
        if gradient.shape != operand.shape:
            raise PlaygroundError(
                f"Gradient {place} has the shape {shape_text(gradient.shape)}, and in{place} has "
                f"{shape_text(operand.shape)}. Sum over what was broadcast, as in sum(grad).",
                part="rule", subject=subject,
            )  # fmt: skip


class _Present(dict[str, Any]):
    """What this op has of grad1, in1, out1 …; what it lacks is an error that says so."""

    def __init__(self, env: dict[str, Any], op_type: str) -> None:
        super().__init__(env)
        self._op_type = op_type

    def __missing__(self, name: str) -> Any:
        raise PlaygroundError(f"{self._op_type} has no {name} here. It has: {', '.join(self)}.")
