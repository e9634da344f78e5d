"""Where infinities and NaNs arise, forward and on the way back; repairs.py says what helps."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import torch

from ..recorder import Edge, Node, Recording
from ..recorder.derivatives import ELEMENTWISE, terms
from ..recorder.recording.plain_tensor import LIMIT, unflat
from ..text import listed
from .graph import bad_place, reached
from .hooks import hook_on
from .repairs import after_backward, after_forward
from .run import Run
from .words import Fault, at, called, op_called, sentence_start, spelled

_Birth = tuple[Node, str, int | None]
"""The node, what it made ("NaN", "∞" or "−∞"), and where, if that number is kept."""


class _Arises(NamedTuple):
    """A NaN or an infinity that a node sends back along an edge, at a place."""

    node: Node
    edge: Edge
    place: int
    what: str
    follows: bool  # another one came to the node


def nonfinite(run: Run) -> list[Fault]:
    """The faults of both passes, the cause first, and what follows from it in the same fault.

    With a result that is finite the harm is in the gradient: the backward pass comes first, and of
    the forward pass what leads to the place where the gradient breaks. One that is masked again
    does no harm.
    """
    if run.spoiled:
        return list(_forward(run, [run.recording.output or ""])) or list(_backward(run))
    if not any(one.nonfinite for one in run.gradients.values()):
        return []
    found = list(_backward(run))
    nodes = run.recording.nodes
    places = [one.node for one in found if one.node in nodes]
    read = [edge.producer.name for one in places for edge in nodes[one].operands]
    for cause in _forward(run, [*places, *read]):
        after = run.graph.after([cause.node] if cause.node else [])
        follows = [one for one in found if one.node in after]
        if not follows:
            found.append(cause)
            continue
        # The op has no number there, and therefore no slope; or a later op multiplies by it.
        first = follows[0]
        says = f"{cause.says} The result is finite, the gradient is not. {first.says}"
        both = replace(first, says=says, do=cause.do or first.do, node=cause.node)
        found = [both if one is first else one for one in found if one not in follows[1:]]
    return found


def _forward(run: Run, ends: list[str]) -> Iterator[Fault]:
    """The first infinity and the first NaN that an op made of finite numbers, if they did harm."""
    births = list(_born(run.recording))
    known = _carried(run.recording, [name for name in ends if name in run.recording.nodes])
    if known or not run.spoiled:  # one that torch.where took away again explains nothing
        births = [one for one in births if one[0].name in known]
    # A mask before a softmax is no accident, unless nothing else explains the harm.
    births = [one for one in births if one[1] == "NaN" or not _intended(one[0])] or births
    infinity = next((one for one in births if one[1] != "NaN"), None)
    nan = next((one for one in births if one[1] == "NaN"), None)
    order, follows = [one for one in births if one in (infinity, nan)], ""
    if infinity and nan and nan[0].name in run.graph.after([infinity[0].name]) - {infinity[0].name}:
        order, follows = [infinity], f" The first NaN is made of it, by {op_called(run, nan[0])}."
    elif nan in order[:1]:
        order = order[:1]
    for node, what, place in order:
        there = at(place, node.outputs[0])
        if node.leaf:
            says = f"{sentence_start(called(node))} holds {what}{there} before any op ran.{follows}"
            do = "Look where it comes from: the data, or an earlier step."
            yield Fault("nonfinite_input", says, do, node.name)
            continue
        why, do = after_forward(node, what, place)
        says = (
            f"The first {what} of the forward pass comes from {op_called(run, node)}{there}"
            f"{_from_operands(node, place)}.{why}{follows}"
        )
        yield Fault("nonfinite_forward", says, do, node.name)


def _born(recording: Recording) -> Iterator[_Birth]:
    """Nodes with a NaN made of none, or an infinity made of finite numbers, in their order."""
    holds: dict[str, set[str]] = {}
    for node in recording:
        found = _bad_in(recording, node)
        holds[node.name] = set(found)
        read = set().union(*(holds.get(edge.producer.name, set()) for edge in node.operands))
        if "NaN" in found and "NaN" not in read:
            yield node, "NaN", found["NaN"]
        elif not read:
            yield from ((node, what, place) for what, place in found.items())


def _carried(recording: Recording, ends: Iterable[str]) -> set[str]:
    """The nodes with a NaN or an infinity from which one comes to these ends."""
    nodes = recording.nodes

    def bad(names: Iterable[str]) -> list[str]:
        return [name for name in names if _bad_in(recording, nodes[name])]

    return reached(bad(ends), lambda name: bad(e.producer.name for e in nodes[name].operands))


def _intended(node: Node) -> bool:
    """An infinity that the program itself wrote: a mask before a softmax."""
    written = any(isinstance(one, float) and math.isinf(one) for one in node.numbers)
    return written or node.kind == "constant"


def _bad_in(recording: Recording, node: Node) -> dict[str, int | None]:
    """What of it is in the outputs; the whole tensors are asked, for not all numbers are kept."""
    value, found = node.outputs[0], dict[str, int | None]()
    for place, one in enumerate(value.numbers):
        if not (math.isfinite(one.real) and math.isfinite(one.imag)):
            found.setdefault("NaN" if isinstance(one, complex) else spelled(one), place)
    for tensor in recording.tensors.get(node.name, ()) if not found else ():
        if tensor.is_floating_point() and tensor.layout is torch.strided and not tensor.is_meta:
            whole = tensor.detach()
            if value.size > len(value.numbers) and not bool(torch.isfinite(whole).all()):
                return {"NaN" if bool(torch.isnan(whole).any()) else "∞": None}
    return found


def _from_operands(node: Node, place: int | None) -> str:
    """What an elementwise op read there; of another op it is more than one number an operand."""
    several = any(edge.value.size > 1 for edge in node.operands)
    if place is None or (node.type not in ELEMENTWISE and several):
        return ""
    index = unflat(place, node.outputs[0].shape)
    read = [
        f"{called(edge.producer)} = {spelled(edge.value.component(index))}"
        if edge.value.size
        else f"{called(edge.producer)}, which is empty"
        for edge in node.operands[:3]
    ]
    return f", of {listed(read)}" if read else ""


def _backward(run: Run) -> Iterator[Fault]:
    """The first infinity and the first NaN on the way back; one that follows is no other fault."""
    found: list[_Arises] = []
    for one in _arising(run):
        if one.what not in {other.what for other in found}:
            found.append(one)
        if one.what == "NaN":
            break
    follows = ""
    if len(found) == 2 and found[1].follows:
        follows = f" Further on it becomes NaN, in {op_called(run, found.pop().node)}."
    yield from (_told(run, one, follows) for one in found)
    nodes = run.recording.nodes
    bad = [name for name, one in run.gradients.items() if one.nonfinite] if not found else []
    for name in bad:
        hook = hook_on(run, nodes[name]) if name in nodes else ""
        if hook:
            says = f"{hook[0].upper()}{hook[1:]} makes the gradient of {name} NaN or infinite."
            yield Fault("nonfinite_backward", says, "Look at what the hook divides by.", name)
    came = [one for name in bad if name in nodes for one in nodes[name].upstream]
    if bad and all(bad_place(one) is None for one in came):
        says = (
            f"The gradient of {listed(bad)} has a NaN or an infinity that the graph doesn't keep."
        )
        yield Fault("nonfinite_gradient", says, "Trace a smaller input.", bad[0])


def _arising(run: Run) -> Iterator[_Arises]:
    """Each edge along which a NaN or an infinity goes back that did not come as such."""
    for name in run.recording.order:
        node = run.recording.nodes[name]
        came = {
            _size(one.numbers[place]) for one in node.upstream
            if one is not None and (place := bad_place(one)) is not None
        }  # fmt: skip
        for edge in node.operands:
            place = bad_place(edge.offered)
            if place is None or edge.offered is None:
                continue
            what = _size(edge.offered.numbers[place])
            if what not in came:
                yield _Arises(node, edge, place, what, bool(came))


def _size(one: object) -> str:
    """ "∞" or "NaN", whatever the sign."""
    return spelled(one).removeprefix("−")


def _told(run: Run, one: _Arises, follows: str) -> Fault:
    node, edge, place = one.node, one.edge, one.place
    assert edge.offered is not None
    reads = edge.value.component(unflat(place, edge.offered.shape))
    at_output = _read_at(node, edge, place)
    upstream = node.upstream[0] if at_output is not None else None
    number = None if upstream is None else upstream.component(at_output or ())
    came = ""
    if upstream is not None:
        several = edge.value.size < upstream.size
        came = f"{spelled(number)} came{f' at {list(at_output or ())}' * several}, "
    return Fault(
        "nonfinite_backward",
        f"The first {one.what} of the backward pass arises in {op_called(run, node)}: {came}"
        f"{spelled(edge.offered.numbers[place])} went back to {called(edge.producer)}"
        f"{at(place, edge.offered)}, which is {spelled(reads)}.{follows}",
        after_backward(node, edge, place, at_output, number),
        node.name,
    )


def _read_at(node: Node, edge: Edge, place: int) -> tuple[int, ...] | None:
    """The place in the output where the NaN or infinity arose; None where that is not known.

    A broadcast operand is read at many, and its gradient sums what they send: the first one of
    them that sends no finite number.
    """
    assert edge.offered is not None
    index, came = unflat(place, edge.offered.shape), node.upstream[0]
    if came is None or came.size == 1 or came.shape == edge.offered.shape:
        return index
    products = (
        (position, came.component(position) * local)
        for position, local in terms(edge, index, LIMIT)
    )
    return next((position for position, sent in products if not math.isfinite(sent)), None)
