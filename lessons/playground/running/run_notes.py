"""Names what a learner must know about a run: each NaN and infinity and the op it comes from,
gradients that do not exist, rules that never ran.
"""

import ast
from collections.abc import Iterator, Mapping

import torch

from lessons.contract.result import Note
from lessons.playground.document.check import Checked
from lessons.playground.language.expressions import Node, called, children, sign, words
from lessons.playground.language.limits import CURVE_POINTS
from lessons.playground.language.playground_error import nearest
from lessons.playground.running.execute import Live, gradients
from lessons.playground.running.interpret import Step
from lessons.playground.running.sweep import Curves
from lessons.text import listed, number

_MOST = 3

_ROLE = {
    "trick_gradient": "gradient autograd gives",
    "true_gradient": "true gradient",
    "intended_gradient": "intended gradient",
}


def notes(
    checked: Checked,
    passes: Mapping[str, tuple[Live, torch.Tensor]],
    values: Mapping[str, torch.Tensor],
    found: Mapping[str, Mapping[str, torch.Tensor | None]],
    curves: Curves | None,
) -> Iterator[Note]:
    """Every note of one run.

    Args:
        checked: what ran.
        passes: the forward pass of each role, with its steps and graph, and what was derived.
        values: what each name came to.
        found: gradients by role and input.
        curves: what was swept, if anything was.
    """
    made = passes["trick_gradient"][0]
    over = checked.over.name
    yield from _forward(checked, made)
    yield from _rules(checked, made)
    for role, (passed, output) in passes.items():
        yield from _backward(checked, role, passed, output, found[role][over])
    for role in ("trick_gradient", "true_gradient"):
        if found[role][over] is None:
            yield Note(
                "info",
                f"No gradient reaches {over}: the {_ROLE[role]} is None, and 0 in the plot. "
                "(.backward() and tf.gradients give None; JAX and torch.func.grad give "
                "zeros.)",
            )
    yield from _noise(checked)
    x, result = checked.inputs[over], values[checked.output]
    if result.shape != x.shape and result.numel() != 1:
        yield Note(
            "info",
            f"{checked.output} has another shape than {over}. The plot shows its sum; the "
            "gradients are the sum's, too.",
        )
    if curves is not None and curves.points < CURVE_POINTS:
        yield Note(
            "info",
            f"This program is large, so its curves have {curves.points} points instead of "
            f"{CURVE_POINTS}.",
        )
    if curves is not None and curves.draws > 1:
        yield Note(
            "info",
            f"Each curve is the mean of {curves.draws} draws of the noise; the band holds 90 % "
            "of them.",
        )


def _forward(checked: Checked, made: Live) -> Iterator[Note]:
    """The first ops whose result is not finite though their operands are."""
    count = 0
    for step in made.steps:
        if not step.result.is_floating_point():
            continue
        bad = ~step.result.isfinite()
        if (
            bad.any()
            and all(operand.isfinite().all() for operand in step.operands)
            and count < _MOST
        ):
            count += 1
            kind = "NaN" if bool(step.result.isnan().any()) else "infinite"
            yield Note(
                "warning",
                f"{_place(checked, step.node, 'Line')} is {kind}{_entries(bad)}: {_cause(step)}",
            )


def _backward(
    checked: Checked, role: str, made: Live, output: torch.Tensor, gradient: torch.Tensor | None
) -> Iterator[Note]:
    if gradient is None or bool(gradient.isfinite().all()):
        return
    x = checked.inputs[checked.over.name]
    bad = ~gradient.isfinite()
    places = listed([number(value) for value in x[bad].flatten().tolist()])
    kind = "NaN" if bool(gradient.isnan().any()) else "infinite"
    yield Note(
        "warning",
        f"At {checked.over.name} = {places} the {_ROLE[role]} is {kind}."
        f"{_origin(checked, made, output)}",
    )


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
                return (
                    f" It starts at {_place(checked, step.node).rstrip(',')}{_slope(step, slope)}"
                )
    return ""


def _slope(step: Step, gradient: torch.Tensor) -> str:
    kind = "NaN" if bool(gradient.isnan().any()) else "∞"
    if _name(step) == "sqrt" and bool((step.operands[0] == 0).any()):
        return (
            ", where the root is taken of 0: its slope is ∞. Further back the chain rule "
            "multiplies that by other slopes, and ∞ · 0 is NaN."
        )
    return f", whose operand gets the gradient {kind}."


def _name(step: Step) -> str:
    return called(step.node) or sign(step.node)


def _cause(step: Step) -> str:
    result, name = step.result, _name(step)
    operand = step.operands[0] if step.operands else result
    if name == "sqrt" and bool((operand < 0).any()):
        return "the root of a negative number."
    if name == "log":
        return "the logarithm of 0 is −∞, that of a negative number NaN."
    if name == "/" and _divides_by_0(step):
        return "it divides by 0 (and 0 / 0 is NaN)."
    if name == "**" and bool(result.isnan().any()):
        return "a negative number to a fraction is no real number."
    if name == "**" and bool((operand == 0).any()):
        return "0 to a negative exponent divides by 0."
    return "the result is too large for this number format."


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
                rest = "the other" if bound - came == 1 else "the others"
                yield Note("info", f"The rule for {key} runs for {came} of {bound} ops: no "
                           f"gradient comes back to {rest}.")  # fmt: skip
            continue
        if not set(row.op_types) & set(there):
            near = nearest(row.op_types[0], there)
            hint = f" Did you mean {near[0]}?" if near else ""
            yield Note("warning", f"The rule for {key} never runs: the program has no such op. It "
                       f"has: {listed(list(there), most=12) or 'none'}.{hint}")  # fmt: skip
        elif not any(made.ran[op] for op in row.op_types):
            lines = listed(list(row.override.only)) or "any line"
            yield Note("warning", f"The rule for {key} never runs: no {row.op_types[0]} "
                       f"on {lines} can pass a gradient.")  # fmt: skip
        else:
            yield Note("warning", f"The rule for {key} never runs: no gradient comes back to it. "
                       "A trick after it stops it, or the output does not use it.")  # fmt: skip


def _noise(checked: Checked) -> Iterator[Note]:
    drawn = [input_ for input_ in checked.document.inputs if input_.noise is not None]
    for place, input_ in enumerate(drawn):
        same = [o.name for o in drawn[:place] if o.noise.seed == input_.noise.seed]  # type: ignore[union-attr]
        if same:
            yield Note("info", f"{input_.name} and {same[0]} have the same seed, so their "
                       "draws are the same, too. Give one of them another seed.")  # fmt: skip


def _place(checked: Checked, node: Node, line: str = "line") -> str:
    return f"{line} {node.lineno}, {words(checked.program.text, node, 40)},"


def _entries(bad: torch.Tensor) -> str:
    if bad.numel() == 1:
        return ""
    places = (bad.flatten().nonzero().flatten() + 1).tolist()
    return f" in entry {listed([str(place) for place in places])}"
