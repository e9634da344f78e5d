"""Runs a document: values, gradients by role, curves, notes. Pure: the same text, the same numbers.

The notes name what a learner must know about a run: each NaN and infinity and the op it comes from,
gradients that do not exist, rules that never ran.

The roles are those of ``lessons.contract.roles``. The trick gradient is what autograd gives for
the program as it stands, overrides included; the true gradient is the derivative of the same
forward expression, every trick taken out and the noise frozen; the intended gradient is the true
one of a name the learner chose. All are gradients of the sum of the output's entries.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from lessons.contract.devices import resolve
from lessons.contract.result import Array, Note, Result, Series, warned
from lessons.contract.roles import ROLES
from lessons.gradient_tricks.text import listed, number, suggestion
from lessons.playground.document.check import Checked, check
from lessons.playground.document.contents import Document
from lessons.playground.language.expressions import called, children, sign, words
from lessons.playground.language.limits import CURVE_POINTS
from lessons.playground.running.budget import Budget, Plan, plan
from lessons.playground.running.execute import Forward, gradients, has_gradient, run_forward
from lessons.playground.running.interpret import Step
from lessons.playground.running.sweep import sweep
from lessons.playground.running.words import WORDS

_PLAIN = "true_gradient", "intended_gradient"
"""The roles of the curves without tricks."""

_MOST_NOTED = 3
"""Ops whose results are not finite."""

Gradient = torch.Tensor | None
"""float64; None where no gradient reaches the input at all."""


@dataclass(frozen=True)
class Outcome(Result):
    """Everything the playground shows for one document; a ``Result`` with more to it.

    Args:
        series: over the plotted input's own entries, by role: the forward value where it has the
            same shape, and the gradients.
        curves: over the plotted range, with a band over draws where there is noise.
        values: every input and every name of the program: tensors (float64), floats for numbers.
        output: the name that was differentiated.
        over: the input that was plotted over.
        gradients: role → input → gradient.
        overridden: op type → how many ops had a rule bound.
        sent: name → autograd's gradient, for every name in the graph, if asked for.
        draws: by role, value and gradients at the plotted entry in each draw, if asked for.
        room: the plan of the curves, if there are any.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    output: str = ""
    over: str = ""
    gradients: Mapping[str, Mapping[str, Gradient]] = field(default_factory=dict)
    overridden: Mapping[str, int] = field(default_factory=dict)
    sent: Mapping[str, Gradient] = field(default_factory=dict)
    draws: Mapping[str, Array] = field(default_factory=dict)
    room: Plan | None = None


def run(document: Document, curves: bool = True) -> Outcome:
    """Check a document and compute all of it.

    Args:
        curves: False leaves the curves out, for while the learner types.

    Raises:
        PlaygroundError: whatever is wrong, for people, with line and column.
    """
    return run_checked(check(document), curves)


def run_checked(
    checked: Checked,
    curves: bool = True,
    like: Outcome | None = None,
    full: bool = False,
    most: Plan | None = None,
) -> Outcome:
    """As ``run``, for a document that has been checked.

    Args:
        like: the outcome of a program that is the same without its tricks: its gradients and
            curves without tricks are reused, and its notes about them are not repeated.
        most: the most points and draws that the curves have.
        full: True adds ``sent``, and ``draws``, which takes ``MAX_DRAWS`` more runs.
    """
    budget, document = Budget(), checked.document
    tricky = run_forward(checked, budget=budget)
    with_tricks = budget.spent()
    passes = {"trick_gradient": (tricky, tricky.output)}
    if like is None:
        plain = run_forward(checked, plain=True, budget=budget)
        passes["true_gradient"] = plain, plain.output
        if document.intended:
            passes["intended_gradient"] = plain, plain.values[document.intended]
    without = budget.spent() if like is None else with_tricks
    found: dict[str, Mapping[str, Gradient]] = {}
    sent: dict[str, Gradient] = {}
    for role, (made, output) in passes.items():
        budget.check()
        asked = dict(made.inputs)
        with_names = full and made is tricky
        if with_names:
            asked |= {name: value for name, value in made.values.items() if has_gradient(value)}
        sent_back = gradients(output, [*asked.values()], keep=True)
        got = {name: _plain(one) for name, one in zip(asked, sent_back, strict=True)}
        if with_names:
            sent = got
        found[role] = {name: got[name] for name in made.inputs}
    if like is not None:
        found |= {role: one for role, one in like.gradients.items() if role in _PLAIN}
    rules = budget.spent()
    values = {**checked.inputs, **{n: _plain(v) for n, v in tricky.values.items()}}
    room = None
    if curves:
        given = [value.numel() for value in checked.inputs.values()]
        room = plan(
            largest=max([step.result.numel() for step in tricky.steps] + given),
            inputs=sum(given),
            passes=(with_tricks, without, rules),
            roles=len(found) - 1,
            drawn=any(i.noise and i.name in checked.program.reads for i in document.inputs),
            size=checked.dtype.itemsize,
        )
        if most:
            points, draws = min(room.points, most.points), min(room.draws, most.draws)
            room = replace(room, points=points, draws=draws)
    alike = like and room and like.room == room
    plain_curves = [one for one in like.curves if one.role in _PLAIN] if like and alike else ()
    drawn: dict[str, Array] | None = {} if full else None
    return Outcome(
        series=_series(checked, values[checked.output], found),
        curves=sweep(checked, room, budget, plain_curves, drawn) if room else (),
        notes=tuple(_notes(checked, passes, values, found, room)),
        work=WORDS("draws", n=room.draws) if room and room.draws > 1 else "",
        values=values,
        output=checked.output,
        over=checked.over.name,
        gradients=found,
        overridden=dict(+Counter(tricky.ran)),
        sent=sent,
        draws=drawn or {},
        room=room,
        device=str(checked.device),
    )


def _plain(value: Any) -> Any:
    """A value or gradient as float64 on the CPU, cut from its graph; a comparison as 1 and 0."""
    return value.detach().to("cpu", torch.float64) if isinstance(value, torch.Tensor) else value


def _series(
    checked: Checked, output: torch.Tensor, found: Mapping[str, Mapping[str, Gradient]]
) -> tuple[Series, ...]:
    x = checked.inputs[checked.over.name]
    places: Array = x.flatten().numpy()
    series = []
    if output.shape == x.shape or output.numel() == 1:
        # One number, of whatever shape, is drawn at each entry of x.
        whole = output.reshape(()).expand(x.shape) if output.numel() == 1 else output
        y: Array = whole.flatten().numpy()
        series.append(Series("forward", "forward", places, y))
    for role, by_input in found.items():
        gradient = by_input[checked.over.name]
        y = (torch.zeros_like(x) if gradient is None else gradient).flatten().numpy()
        series.append(Series(role, role, places, y))
    return tuple(series)


def _notes(
    checked: Checked,
    passes: Mapping[str, tuple[Forward, torch.Tensor]],
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


def _forward(checked: Checked, made: Forward) -> Iterator[Note]:
    """The first ops whose result is not finite though their operands are."""
    count = 0
    for step in made.steps:
        if not step.result.is_floating_point():
            continue
        bad = ~step.result.isfinite()
        first = bad.any() and all(operand.isfinite().all() for operand in step.operands)
        if first and count < _MOST_NOTED:
            count += 1
            about = _place(checked, step) | {"kind": _kind(step.result), "cause": _cause(step)}
            places = (bad.flatten().nonzero().flatten() + 1).tolist()
            if bad.numel() == 1:
                yield Note("warning", WORDS("not_finite", **about))
            else:
                entries = listed([str(place) for place in places])
                yield Note("warning", WORDS("entries_not_finite", **about, entries=entries))


def _backward(
    checked: Checked, role: str, made: Forward, output: torch.Tensor, gradient: torch.Tensor | None
) -> Iterator[Note]:
    if gradient is None or bool(gradient.isfinite().all()):
        return
    over = checked.over.name
    places = listed([number(v) for v in checked.inputs[over][~gradient.isfinite()].tolist()])
    about = {"input": over, "places": places, "role": ROLES[role].label, "kind": _kind(gradient)}
    said = WORDS("gradient_not_finite", **about)
    yield Note("warning", f"{said} {_origin(checked, made, output)}".rstrip())


def _origin(checked: Checked, made: Forward, output: torch.Tensor) -> str:
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


def _rules(checked: Checked, made: Forward) -> Iterator[Note]:
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
