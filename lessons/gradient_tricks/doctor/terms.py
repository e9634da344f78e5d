"""The terms of a loss: an activation that the loss applies itself, a term that is added twice or
never, a sum that keeps each step's graph, gradients that add up undivided, a loss times itself.
"""

from collections.abc import Iterator
from itertools import pairwise

from ..recorder import Node, assigned, in_line
from ..text import listed
from .run import Run
from .shapes import DISTANCES, RESHAPE
from .source import callee
from .words import WORDS, Fault, at_step, called, op_called

_OWN = {
    "cross_entropy": ("softmax", "log_softmax"),
    "binary_cross_entropy_with_logits": ("sigmoid", "softmax"),
    "log_softmax": ("softmax",),
    "nll_loss": ("softmax", "sigmoid"),
    "kl_div": ("softmax", "sigmoid"),
}
"""Ops that apply an activation of their own to what they read, or that take its logarithm."""
_ADDS = RESHAPE | {"add", "sum", "mean", "stack", "mul", "div"}
"""Ops by which a term reaches a loss whole; a product only if its factor is a plain number."""


def terms(run: Run) -> Iterator[Fault]:
    """Yield a note for each term that the loss may not hold as it was meant to.

    A loss that is its own upstream gradient is a fault.
    """
    for one in run.recording.passes:
        if one.by_itself:
            name = called(run.recording.nodes[one.node])
            says = WORDS("by_itself", where=in_line(one.place), name=name)
            yield Fault("by_itself", says, WORDS("without_it"), where=one.place)
    passes = run.recording.passes
    for node in run.recording if passes and not run.broke_off else ():
        if node.type in _OWN and node.name in run.wanted:
            yield from _activated(run, node)
        elif node.requires_grad and node.name not in run.wanted:
            yield from _dropped(run, node)
        elif node.type == "mul" and node.name in run.wanted:
            yield from _weighs(run, node)
        elif node.type in DISTANCES | {"sub"} and node.name in run.wanted:
            yield from _bootstraps(run, node)
    for name in run.ends:
        yield from _twice(run, run.recording.nodes[name])
    yield from _undivided(run)


def _activated(run: Run, node: Node) -> Iterator[Fault]:
    made = node.operands[0].producer
    while made.type in RESHAPE:
        made = made.operands[0].producer
    if made.type in _OWN[node.type]:
        wants = f"applies one itself: give it the numbers before {made.type}"
        if node.type in ("nll_loss", "kl_div"):
            wants = "takes logarithms of probabilities: give it those, of log_softmax for instance"
        says = f"{node.type}{in_line(node.place)} reads what {op_called(run, made)} gives, and "
        says += f"{wants}."
        yield Fault("note", says, node=node.name)


def _dropped(run: Run, node: Node) -> Iterator[Fault]:
    """A number, such as a sum with a term that goes backward, which no backward pass reads."""
    taken = {one.node for one in run.recording.left} | run.graph.consumers.keys()
    is_weight = run.recording.tensors[node.name][0].is_leaf  # perhaps one that was cast
    if is_weight or node.outputs[0].size != 1 or node.name in taken | run.recording.used:
        return
    added = [edge.producer for edge in node.operands if edge.producer.requires_grad]
    others = [one for one in added if one.name not in run.wanted]
    alike = [one for one in run.recording if (one.place, one.caller) == (node.place, node.caller)]
    is_read = any(one.name in run.wanted for one in alike)  # the last one may be soon
    if is_read or not (run.is_whole or alike[1:]):
        return
    name = "".join(assigned(node.caller)[:1]) or called(node)
    if node.type != "add" or len(others) == len(added) or not others:
        if not run.watch.is_script:
            return
        says = WORDS("nothing_reads", name=name, where=in_line(node.place))
    elif any(one.place == node.place for one in others):
        says = f"{name}{in_line(node.place)} keeps the graph of each step: add loss.item() to it."
    else:
        lost = listed([called(one) for one in others])
        says = WORDS("never_arrives", name=name, where=in_line(node.place), lost=lost)
    yield Fault("note", says, node=node.name)


def _weighs(run: Run, node: Node) -> Iterator[Fault]:
    """A difference that weighs a log-probability, and that trains weights of its own, a critic's.

    An advantage is a constant in the gradient of a policy.
    """
    live = [edge.producer for edge in node.operands if edge.flows]
    for place, one in enumerate(live):
        while one.type in RESHAPE | {"gather", "neg"} and callee(one.place) != "log_prob":
            one = live[place] = one.operands[0].producer
    for one, other in (live, live[::-1]) if len(live) == 2 else ():
        extra = {*run.leaves_before(one.name)}.difference(run.leaves_before(other.name))
        is_log = other.type == "log_softmax" or callee(other.place) == "log_prob"
        if one.type in ("sub", "rsub") and extra and is_log:
            at, names = in_line(one.place), listed(sorted(extra), 4)
            says = WORDS("weighs", name=called(one), where=at, names=names)
            yield Fault("note", says, node=node.name)


def _bootstraps(run: Run, node: Node) -> Iterator[Fault]:
    """A discounted target, data + 0.99 · net(next), that trains the weights of the other side, too.

    Its mark is a plain factor a little below 1, a discount. Where two outputs of one network are
    compared, or a residual of a differential equation, there is none.
    """
    live = [edge.producer for edge in node.operands if edge.flows]
    for target, other in (live, live[::-1]) if len(live) == 2 else ():
        while target.type in RESHAPE:
            target = target.operands[0].producer
        parts, discounts = [edge.producer for edge in target.operands], list[float]()
        ahead = [one for one in parts if one.requires_grad]
        if target.type != "add" or len(parts) != 2 or len(ahead) != 1:
            continue
        (term,) = ahead
        while term.type in RESHAPE | {"mul"} and len(ahead) == 1:
            read = [edge.producer for edge in term.operands]
            ahead = [one for one in read if one.requires_grad]
            plain = [one for factor in (term, *read) for one in factor.numbers]
            discounts += [one for one in plain if isinstance(one, float) and 0.8 < one < 1]
            term = next(iter(ahead), term)
        same = {*run.leaves_before(term.name)}.intersection(run.leaves_before(other.name))
        if discounts and same:
            at, names = in_line(target.place), listed(sorted(same), 4)
            says = WORDS(
                "bootstraps", name=called(target), where=at, other=called(other), names=names
            )
            yield Fault("note", says, node=node.name)


def _twice(run: Run, root: Node) -> Iterator[Fault]:
    """A computed term with two ways of additions into the loss."""
    reached = {root.name}
    readers: dict[tuple[str, int], list[Node]] = {}
    for node in reversed([*run.recording]):
        live = [edge for edge in node.operands if edge.flows]
        is_factor = node.type in ("mul", "div") and len(node.operands) > 1
        if node.name in reached and node.type in _ADDS and not is_factor:
            for edge in live:
                reached.add(edge.producer.name)
                readers.setdefault((edge.producer.name, edge.output), []).append(node)
    for (name, _), nodes in readers.items():
        term = run.recording.nodes[name]
        if len({*nodes}) > 1 and not term.leaf:
            ways = listed([op_called(run, one) for one in dict.fromkeys(nodes)])
            says = f"{called(term)}{in_line(term.place)} goes into the loss twice, by {ways}."
            yield Fault("note", says, node=name)


def _undivided(run: Run) -> Iterator[Fault]:
    """Gradients of one loss that add up before a step, while the loss is a mean."""
    passes = {one.place: run.recording.nodes[one.node] for one in run.recording.passes}
    met = set[str]()
    for step in run.optimizers.steps if not run.broke_off else ():
        events = [one for number in step.grads for one in step.events[number]]
        came = {one[2:4] for one in events if one.what == "came"}
        changed = any(one.what == "changed" for one in events) or any(
            before.what == "came" and after.what == "cleared"
            for number in step.grads for before, after in pairwise(step.events[number])
        )  # fmt: skip
        alone = max((sum(e.what == "came" for e in step.events[n]) for n in step.grads), default=0)
        root = passes.get(next(iter(came))[1]) if len(came) == 1 else None
        if root is None or min(alone, step.passes) < 2 or changed or step.has_closure:
            continue
        if not _is_scaled(run, root, step.passes) and step.name not in met:
            met.add(step.name)
            where, by = in_line(next(iter(came))[1]), f"{step.passes}"
            at, name = at_step(run, step), called(root)
            yield Fault("note", WORDS("undivided", step=at, count=by, name=name, where=where))


def _is_scaled(run: Run, root: Node, count: int) -> bool:
    """Whether a loss is divided by the number of batches, or a sum."""

    def scales(node: Node) -> bool:
        plain = [float(one) for one in node.numbers if isinstance(one, (int, float))]
        if node.type == "mul":
            return any(0.9 < one * count < 1.1 for one in plain)
        return node.type == "div" and any(one > 1 for one in plain)

    before = [run.recording.nodes[one] for one in run.graph.before([root.name], flowing=True)]
    scalars = [one for one in before if one.outputs[0].size == 1]
    return any(
        scales(one) or one.type == "sum" or one.kwargs.get("reduction") == "sum" for one in scalars
    )
