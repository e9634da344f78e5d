"""One plain sentence, sometimes two, for each step of a backward pass."""

from collections.abc import Sequence
from typing import Any

from ...text import factor
from ..recording.nodes import Node, Stale
from ..recording.plain_tensor import short, spelled, unflat
from ..recording.recording import Recording
from ..recording.saved import changed_at, refused_words, saver
from .step import Part, Step, Sum


def sentence_of(recording: Recording, step: Step, index: Sequence[int] = ()) -> str:
    """What happened in `step` at the component `index`, and what the trick did here."""
    node = recording.nodes[step.node]
    if step.kind == "start":
        return f"Start at {node.label} with the upstream gradient {spelled(step.upstream)}."
    if step.kind == "stopped" and step.node == recording.refused:
        return refused_words(node)
    if step.kind == "stopped":
        return _stopped(node)
    if step.kind == "leaf":
        total = "".join(f" {_sum(sum_)}" for sum_ in step.arrived)
        value, passes = spelled(step.upstream), len(recording.passes)
        if passes > 1:  # a training step may have cleared the gradient between them
            return (
                f"The backward pass ends here: {passes} backward passes bring {node.label}.grad "
                f"{value} in all.{total}"
            )
        return f"The backward pass ends here: {node.label}.grad = {value}.{total}"
    sentences = [_op(recording, node, step)]
    sentences += [stale_sentence(node, one, index) for one in node.stale]
    for part in step.parts:
        if part.state == "cut":
            to = recording.nodes[part.to].label
            sentences.append(
                f"The edge to {to} is cut: {to} gets nothing in place of {spelled(part.offered)}."
            )
    sentences += [
        f"{recording.nodes[sum_.node].label} has all its parts: {_sum(sum_)}"
        for sum_ in step.arrived
        if sum_.node not in recording.gradients
    ]
    reached = {part.to for part in step.parts}
    for sum_ in step.waiting:
        if sum_.node in reached:
            count = f"{sum_.waiting} more paths" if sum_.waiting > 1 else "another path"
            sentences.append(f"{recording.nodes[sum_.node].label} waits for {count}.")
    return " ".join(sentences)


def stale_sentence(node: Node, stale: Stale, index: Sequence[int] = ()) -> str:
    """Which number the op left for its gradient, and which one the backward pass finds there.

    Of a tensor of several numbers it is that of the component `index`, where it was changed, else
    the first that was.
    """
    by = stale.writer
    how = f" by {by.type}" if by is not None else ""
    said = f"{stale.name} was changed{how} after {saver(node, stale)} saved it"
    place = changed_at(stale, index)
    if stale.refused:
        said = f"{said}, and torch refuses to use it"
    if place is None or stale.now is None:
        return f"{said}."
    before, now = short(stale.before.numbers[place]), short(stale.now.numbers[place])
    several = len(stale.before.numbers) > 1
    where = str(list(unflat(place, stale.before.shape))) if several else ""
    end = "it is" if stale.refused else "the backward pass reads"
    return f"{said}: {stale.name}{where} was {before}, {end} {now}{' now' * stale.refused}."


def _stopped(node: Node) -> str:
    operand = next(edge.producer.label for edge in node.operands if edge.producer.requires_grad)
    if node.off:
        why = f"{node.label} ran without gradients (no_grad)"
    elif node.type == "py_func":
        why = f"{node.label} is a py_func, which has no gradient"
    else:
        why = f"{node.type} passes the value on and stops the gradient"
    return f"{why}: {operand} gets nothing from here."


def _op(recording: Recording, node: Node, step: Step) -> str:
    parts = [part for part in step.parts if part.state != "cut"]
    upstream = spelled(step.upstream)
    if not parts:
        return f"{node.label} got {upstream}."
    sent = " and ".join(
        f"{spelled(part.gradient)} to {recording.nodes[part.to].label}" for part in parts
    )
    came = f"{upstream} came in, it sends {sent}."
    if node.kind == "clipped" and parts[0].gradient == step.upstream:
        return f"{node.type} finds {upstream} within its limit and passes it on: {sent}."
    if node.kind == "surrogate" and node.type == "straight_through":
        return f"{node.type} gives f's value and passes the gradient on unchanged: {sent}."
    told = {
        "overridden": f"The rule {node.rule} replaces the gradient of {node.type}: {came}",
        "reversed": f"{node.type} passes the value on and flips the gradient: {sent}.",
        "scaled": f"{node.type} passes the value on and scales the gradient: {came}",
        "clipped": f"{node.type} limits the gradient: {came}",
        "surrogate": f"{node.type} gives f's value and the gradient of the surrogate g: {sent}.",
    }
    if node.kind in told:
        return told[node.kind]
    if all(part.local is not None for part in parts):
        products = ", ".join(_product(recording, part) for part in parts)
        return f"{node.label}: upstream × local derivative, {products}.{_nan(step, parts)}"
    return f"{node.label} ({node.type}) sends its vector-Jacobian product: {sent}."


def _product(recording: Recording, part: Part) -> str:
    to = recording.nodes[part.to].label
    if part.terms:
        factors = [f"{_factor(up)} · {_factor(local)}" for up, local in part.terms[:3]]
        more = len(part.terms) - len(factors) + part.terms_left_out
        factors += [f"{more} more"] if more else []
        return f"{' + '.join(factors)} = {spelled(part.gradient)} to {to}"
    return f"{_factor(part.upstream)} · {_factor(part.local)} = {spelled(part.gradient)} to {to}"


def _factor(value: Any) -> str:
    return factor(spelled(value))


def _nan(step: Step, parts: list[Part]) -> str:
    """Where a NaN is born: said, not hidden."""
    born = any(
        spelled(part.gradient) == "NaN" and spelled(step.upstream) != "NaN" for part in parts
    )
    return " The NaN arises here: 0 · ∞ is not a number." if born else ""


def _sum(sum_: Sum) -> str:
    terms = " + ".join(_factor(gradient) for _, gradient in sum_.parts)
    return f"{terms} = {spelled(sum_.total)}."
