"""One plain sentence, sometimes two, for each step of a backward pass."""

from collections.abc import Sequence
from typing import Any

from ...text import factor
from ...text.words import Texts
from ..recording.nodes import Node, Stale
from ..recording.plain_tensor import short, spelled, unflat
from ..recording.recording import Recording
from ..recording.saved import changed_at, refused_words, saver
from .step import Part, Step, Sum

WORDS = Texts(__file__)


def sentence_of(recording: Recording, step: Step, index: Sequence[int] = ()) -> str:
    """What happened in `step` at the component `index`, and what the trick did here."""
    node = recording.nodes[step.node]
    if step.kind == "start":
        return WORDS("start", name=node.label, gradient=spelled(step.upstream))
    if step.kind == "stopped":
        return refused_words(node) if step.node == recording.refused else _stopped(node)
    if step.kind == "leaf":
        told = {"name": node.label, "gradient": spelled(step.upstream)}
        ends, passes = WORDS("leaf", **told), len(recording.passes)
        if passes > 1:  # a training step may have cleared the gradient between them
            ends = WORDS("leaf_of_passes", passes=passes, **told)
        return " ".join([ends, *map(_sum, step.arrived)])
    sentences = [_op(recording, node, step)]
    sentences += [stale_sentence(node, one, index) for one in node.stale]
    for part in step.parts:
        if part.state == "cut":
            to, gradient = recording.nodes[part.to].label, spelled(part.offered)
            sentences.append(WORDS("cut", name=to, gradient=gradient))
    sentences += [
        WORDS("complete", name=recording.nodes[sum_.node].label, sum=_sum(sum_))
        for sum_ in step.arrived
        if sum_.node not in recording.gradients
    ]
    reached = {part.to for part in step.parts}
    for sum_ in step.waiting:
        if sum_.node in reached:
            label, paths = recording.nodes[sum_.node].label, WORDS.counted("paths", sum_.waiting)
            sentences.append(WORDS("waits", name=label, paths=paths))
    return " ".join(sentences)


def stale_sentence(node: Node, stale: Stale, index: Sequence[int] = ()) -> str:
    """Say which number the op saved and which one the backward pass finds.

    In a larger tensor: the one at `index` if it changed, else the first that changed.
    """
    told = {"name": stale.name, "op": saver(node, stale)}
    said = WORDS("changed", **told)
    if stale.writer is not None:
        said = WORDS("changed_by", writer=stale.writer.type, **told)
    if stale.refused:
        said += f" {WORDS('refused')}"
    place = changed_at(stale, index)
    if place is None or stale.now is None:
        return said
    before, now = short(stale.before.numbers[place]), short(stale.now.numbers[place])
    several = len(stale.before.numbers) > 1
    where = str(list(unflat(place, stale.before.shape))) if several else ""
    told = {"entry": f"{stale.name}{where}", "before": before, "now": now}
    return f"{said} {WORDS('is_now', **told) if stale.refused else WORDS('reads_now', **told)}"


def _stopped(node: Node) -> str:
    operand = next(edge.producer.label for edge in node.operands if edge.producer.requires_grad)
    if node.off:
        return WORDS("without_gradients", name=node.label, operand=operand)
    if node.type == "py_func":
        return WORDS("py_func", name=node.label, operand=operand)
    return WORDS("stops", op=node.type, operand=operand)


def _op(recording: Recording, node: Node, step: Step) -> str:
    parts = [part for part in step.parts if part.state != "cut"]
    came = spelled(step.upstream)
    if not parts:
        return WORDS("sends_nothing", name=node.label, came=came)
    sent = ", ".join(_sent(recording, part) for part in parts)
    told = {"op": node.type, "came": came, "sent": sent}
    match node.kind:
        case "overridden":
            return WORDS("overridden", rule=node.rule, **told)
        case "reversed":
            return WORDS("reversed", **told)
        case "scaled":
            return WORDS("scaled", **told)
        case "clipped" if parts[0].gradient == step.upstream:
            return WORDS("within_limit", **told)
        case "clipped":
            return WORDS("clipped", **told)
        case "surrogate" if node.type == "straight_through":
            return WORDS("straight_through", **told)
        case "surrogate":
            return WORDS("surrogate", **told)
    if all(part.local is not None for part in parts):
        products = ", ".join(_product(recording, part) for part in parts)
        said = WORDS("local", name=node.label, products=products)
        if came != "NaN" and "NaN" in (spelled(part.gradient) for part in parts):
            said += f" {WORDS('nan')}"
        return said
    return WORDS("product", name=node.label, op=node.type, sent=sent)


def _sent(recording: Recording, part: Part) -> str:
    return WORDS("sends", gradient=spelled(part.gradient), name=recording.nodes[part.to].label)


def _product(recording: Recording, part: Part) -> str:
    if part.terms:
        factors = [f"{_factor(up)} · {_factor(local)}" for up, local in part.terms[:3]]
        more = len(part.terms) - len(factors) + part.terms_left_out
        factors += [WORDS("more_terms", n=more)] if more else []
        return f"{' + '.join(factors)} = {_sent(recording, part)}"
    return f"{_factor(part.upstream)} · {_factor(part.local)} = {_sent(recording, part)}"


def _factor(value: Any) -> str:
    return factor(spelled(value))


def _sum(sum_: Sum) -> str:
    terms = " + ".join(_factor(gradient) for _, gradient in sum_.parts)
    return f"{terms} = {spelled(sum_.total)}."
