"""Names what a learner must know about a run: each NaN and infinity and the op it comes from,
gradients that do not exist, rules that never ran.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from lessons.contract.devices import resolve
from lessons.contract.result import Note, warned
from lessons.contract.roles import ROLES
from lessons.gradient_tricks.text import listed, number, suggestion
from lessons.playground.document.check import Checked
from lessons.playground.language.expressions import called, children, sign, words
from lessons.playground.language.limits import CURVE_POINTS
from lessons.playground.running.budget import Plan
from lessons.playground.running.execute import Live, gradients
from lessons.playground.running.interpret import Step
from lessons.playground.running.words import WORDS

_MOST = 3


def notes(
    checked: Checked,
    passes: Mapping[str, tuple[Live, torch.Tensor]],
    values: Mapping[str, torch.Tensor],
    found: Mapping[str, Mapping[str, torch.Tensor | None]],
    room: Plan | None,
) -> Iterator[Note]:
    """Every note of one run.

    Args:
        passes: the forward pass of each role, with its steps and graph, and what was derived.
    """
    made = passes["trick_gradient"][0]
    over = checked.over.name
    yield from warned(resolve(checked.document.device)[1])
    yield from _forward(checked, made)
    yield from _rules(checked, made)
    for role, (passed, output) in passes.items():
        yield from _backward(checked, role, passed, output, found[role][over])
    for role in ("trick_gradient", "true_gradient"):
        if found[role][over] is None:
            yield Note("info", WORDS("no_gradient", input=over, role=ROLES[role].label))
    yield from _noise(checked)
    x, result = checked.inputs[over], values[checked.output]
    if result.shape != x.shape and result.numel() != 1:
        yield Note("info", WORDS("other_shape", output=checked.output, input=over))
    if room is not None and room.points < CURVE_POINTS:
        yield Note("info", WORDS("few_points", points=room.points, usual=CURVE_POINTS))
    if room is not None and room.draws > 1:
        yield Note("info", WORDS("band", draws=room.draws))


def _forward(checked: Checked, made: Live) -> Iterator[Note]:
    """The first ops whose result is not finite though their operands are."""
    count = 0
    for step in made.steps:
        if not step.result.is_floating_point():
            continue
        bad = ~step.result.isfinite()
        first = bad.any() and all(operand.isfinite().all() for operand in step.operands)
        if first and count < _MOST:
            count += 1
            about = _place(checked, step) | {"kind": _kind(step.result), "cause": _cause(step)}
            places = (bad.flatten().nonzero().flatten() + 1).tolist()
            if bad.numel() == 1:
                yield Note("warning", WORDS("not_finite", **about))
            else:
                entries = listed([str(place) for place in places])
                yield Note("warning", WORDS("entries_not_finite", **about, entries=entries))


def _backward(
    checked: Checked, role: str, made: Live, output: torch.Tensor, gradient: torch.Tensor | None
) -> Iterator[Note]:
    if gradient is None or bool(gradient.isfinite().all()):
        return
    over = checked.over.name
    places = listed([number(v) for v in checked.inputs[over][~gradient.isfinite()].tolist()])
    about = {"input": over, "places": places, "role": ROLES[role].label, "kind": _kind(gradient)}
    said = WORDS("gradient_not_finite", **about)
    yield Note("warning", f"{said} {_origin(checked, made, output)}".rstrip())


def _origin(checked: Checked, made: Live, output: torch.Tensor) -> str:
    """The op, seen from the output, that first turns a finite gradient into another."""
    steps = [step for step in made.steps if step.result.requires_grad]
    arrived = gradients(output, [step.result for step in steps], keep=True)
    for step, upstream in reversed(list(zip(steps, arrived, strict=True))):
        if upstream is None or not bool(upstream.isfinite().all()):
            continue
        operands = [operand for operand in step.operands if operand.requires_grad]
        for slope in gradients(output, operands, keep=True):
            if slope is not None and not bool(slope.isfinite().all()):
                if _name(step) == "sqrt" and bool((step.operands[0] == 0).any()):
                    return WORDS("starts_at_root", **_place(checked, step))
                return WORDS("starts_at", **_place(checked, step), kind=_kind(slope))
    return ""


def _name(step: Step) -> str:
    return called(step.node) or sign(step.node)


def _cause(step: Step) -> str:
    result, name = step.result, _name(step)
    operand = step.operands[0] if step.operands else result
    if name == "sqrt" and bool((operand < 0).any()):
        return WORDS("negative_root")
    if name == "log":
        return WORDS("log_of_zero")
    if name == "/" and _divides_by_0(step):
        return WORDS("divides_by_zero")
    if name == "**" and bool(result.isnan().any()):
        return WORDS("fractional_power")
    if name == "**" and bool((operand == 0).any()):
        return WORDS("negative_power_of_zero")
    return WORDS("too_large")


def _divides_by_0(step: Step) -> bool:
    """Written as a number the divisor is no operand of the op."""
    divisor = children(step.node)[-1]
    if isinstance(divisor, ast.Constant):
        return divisor.value == 0
    return bool((step.operands[-1] == 0).any())


def _rules(checked: Checked, made: Live) -> Iterator[Note]:
    there = checked.program.op_types
    for row in checked.rows:
        key = row.override.op_type
        came, bound = (sum(counts[op] for op in row.op_types) for counts in (made.calls, made.ran))
        if came:
            if came < bound:
                yield Note("info", WORDS("rule_runs_for", key=key, came=came, bound=bound))
            continue
        op, only = row.op_types[0], ", ".join(row.override.only)
        if not set(row.op_types) & set(there):
            text = WORDS("rule_without_op", key=key, near=suggestion(op, there))
        elif any(made.ran[op] for op in row.op_types):
            text = WORDS("rule_not_reached", key=key)
        elif only:
            text = WORDS("rule_without_gradient_on", key=key, op=op, names=only)
        else:
            text = WORDS("rule_without_gradient", key=key, op=op)
        yield Note("warning", text)


def _noise(checked: Checked) -> Iterator[Note]:
    drawn = [input_ for input_ in checked.document.inputs if input_.noise is not None]
    for place, input_ in enumerate(drawn):
        same = [o.name for o in drawn[:place] if o.noise.seed == input_.noise.seed]  # type: ignore[union-attr]
        if same:
            yield Note("info", WORDS("same_seed", one=input_.name, other=same[0]))


def _place(checked: Checked, step: Step) -> dict[str, Any]:
    """What a text says of a step's place: its line, and its code."""
    return {"line": step.node.lineno, "code": words(checked.program.text, step.node, 40)}


def _kind(value: torch.Tensor) -> str:
    return "NaN" if bool(value.isnan().any()) else "∞"
