"""Why a gradient is 0 in every entry."""

import math
from collections.abc import Iterator

import torch

from ..recorder import Edge, Node, Value
from ..recorder.recording.plain_tensor import unflat
from ..text import listed
from .cuts import Told
from .graph import Graph, zero
from .stops import called
from .watch import Run
from .words import at, op_called, spelled

ROUNDINGS = 8
"""A sum that is smaller than so many roundings of its terms has cancelled."""

FLAT = frozenset(("round", "floor", "ceil", "trunc", "sign", "heaviside"))
"""Ops whose slope is 0 wherever it exists."""


WRITES = frozenset(("setitem", "zero", "zero_", "fill", "fill_", "masked_fill", "masked_fill_"))
"""Ops that put other numbers in the place of those that were there."""


def zeros(run: Run, graph: Graph) -> Iterator[Told]:
    """A fault for each op that stops a gradient with zeros, and each place where paths cancel."""
    left = [name for name, one in run.gradients.items() if one.zero]
    if not left:
        return
    below = graph.after(left, live=True)
    order = run.recording.order
    for name in [*order, *(name for name in left if name not in set(order))]:
        node = run.recording.nodes.get(name)
        if node is None or name not in below:
            continue
        came = next((one for one in node.upstream if one is not None), None)
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in below]
        if zero(came):
            hit = [one for one in left if one in graph.before([name])]
            told = _cancelled(run, graph, node, hit) if hit else None
        elif came is not None and ways and all(zero(one.offered) for one in ways):
            hit = [one for one in left if one in graph.before([e.producer.name for e in ways])]
            told = _stopped(run, node, ways, hit) if hit else None
        else:
            told = None
        if told is not None:
            yield told
            left = [one for one in left if one not in hit]
    if left:
        yield ("zero_gradient", f"The gradient of {listed(left)} is 0 in every entry.", "", left[0])


def rounding(run: Run, graph: Graph) -> Iterator[Told]:
    """A fault where paths cancel up to rounding, on every way to a leaf: what it gets is noise."""
    end = run.recording.output
    leaves = [name for name, one in run.gradients.items() if one.norm]
    for node in run.recording:
        met = [edge for edge in graph.consumers.get(node.name, ()) if edge.gradient is not None]
        left = node.upstream[met[0].output] if len(met) > 1 else None
        if left is None or not _is_rounding(left, [edge.gradient for edge in met]):
            continue
        hit = [name for name in leaves if end not in graph.after([name], True, without=node.name)]
        if hit:
            told = _cancelled(run, graph, node, hit, left)
            assert told is not None
            yield told
            leaves = [name for name in leaves if name not in hit]


def _is_rounding(left: Value, parts: list[Value | None]) -> bool:
    """Whether a sum is, at each entry, no larger than the rounding of what was added."""
    numbers = [one.numbers for one in parts if one is not None]
    dtype = getattr(torch, left.dtype)
    whole = len(left.numbers) == left.size and all(len(one) == left.size for one in numbers)
    if not (whole and dtype.is_floating_point and any(left.numbers)):
        return False
    eps = torch.finfo(dtype).eps
    return all(
        abs(total) <= ROUNDINGS * eps * max(map(abs, added))
        for total, *added in zip(left.numbers, *numbers, strict=True)
    )


def _cancelled(
    run: Run, graph: Graph, node: Node, hit: list[str], left: Value | None = None
) -> Told | None:
    """Gradients that meet at `node`, each not 0, with a sum that is 0 everywhere, or rounding."""
    met = [
        edge for edge in graph.consumers.get(node.name, ())
        if edge.gradient is not None and any(edge.gradient.numbers)
    ]  # fmt: skip
    if len(met) < 2:
        return None
    first = met[0].gradient
    assert first is not None
    place = next(place for place, one in enumerate(first.numbers) if one)
    index = unflat(place, first.shape)
    parts = [
        f"{spelled(edge.gradient.component(index))} from {op_called(run, edge.consumer)}"
        for edge in met[:4] if edge.gradient is not None
    ]  # fmt: skip
    more = [f"{len(met) - 4} more"] if len(met) > 4 else []
    what, noise = "is 0 in every entry", ""
    if left is not None:
        what = "is rounding alone"
        noise = (
            " An optimizer such as Adam divides by the size of a gradient, and makes steps of it "
            "all the same."
        )
    return (
        "zero_gradient",
        f"The gradient of {listed(hit)} {what}: {len(met)} paths meet at "
        f"{called(node)} and cancel{at(place, first)}: {listed([*parts, *more])}.{noise}",
        f"The result stays as it is when {called(node)} changes a little: what one path adds, "
        "another takes away. A sum over one entry does so in x / x.sum(). Look whether it has the "
        "right axis, or .detach() one of the paths.",
        node.name,
    )


def _stopped(run: Run, node: Node, ways: list[Edge], hit: list[str]) -> Told:
    written = _written(ways)
    because = ""
    if written is not None:
        because = f", for it reads the zeros that {op_called(run, written)} wrote"
    return (
        "zero_gradient",
        f"The gradient of {listed(hit)} is 0 in every entry: {op_called(run, node)} sends nothing "
        f"but zeros back to {listed([called(edge.producer) for edge in ways])}{because}.",
        _written_over(written) if written is not None else _too_small(node, ways) or _alive(node),
        (written or node).name,
    )


def _written(ways: list[Edge]) -> Node | None:
    """The op that wrote the zeros which every one of these operands holds."""
    found = None
    for edge in ways:
        node = edge.producer
        while zero(node.outputs[0]) and node.type not in WRITES and len(node.operands) == 1:
            node = node.operands[0].producer
        if node.type not in WRITES or not zero(node.outputs[0]) or found not in (None, node):
            return None
        found = node
    return found


def _written_over(node: Node) -> str:
    return (
        f"{node.type} puts new numbers in the place of the old, and the old get no gradient. Write "
        "to the entries that are meant, or multiply by a mask."
    )


def _too_small(node: Node, ways: list[Edge]) -> str:
    """What to do where the gradient is not 0 and its dtype has no number so small."""
    offered, came = ways[0].offered, node.upstream[0]
    dtype = getattr(torch, offered.dtype) if offered is not None else None
    if came is None or dtype is None or not dtype.is_floating_point or node.type in _FLAT_SOMEWHERE:
        return ""
    limits = torch.finfo(dtype)
    least = limits.tiny * limits.eps
    size = max((abs(one) for one in came.numbers), default=0.0) * _slope(node, ways[0])
    if not 0 < size < least:
        return ""
    help_ = (
        "Scale the loss (torch.amp.GradScaler), or use bfloat16."
        if dtype == torch.float16 else "Scale the loss, or compute in a wider dtype."
    )  # fmt: skip
    return (
        f"The gradient underflows: it is smaller than the smallest number of {limits.dtype}, "
        f"{spelled(least)}, and is rounded to 0. {help_}"
    )


_FLAT_SOMEWHERE = FLAT | WRITES | {
    "relu", "relu6", "clamp", "hardtanh", "where", "getitem", "select", "index_select", "max",
    "min", "maximum", "minimum", "dropout", "leaky_relu", "threshold",
}  # fmt: skip


def _slope(node: Node, way: Edge) -> float:
    """About how large the slope is along this way, where a product or a quotient says so."""
    others = [
        max((abs(one) for one in edge.value.numbers), default=0.0)
        for edge in node.operands if edge is not way
    ]  # fmt: skip
    others += [abs(one) for one in node.numbers if isinstance(one, (int, float))]
    if node.type == "mul":
        return math.prod(others)
    if node.type == "div" and way.operand == 0 and others and others[0]:
        return float(1 / others[0])
    if node.type in ("mean", "avg_pool2d"):
        return float(node.outputs[0].size / max(way.value.size, 1))
    reads = max((abs(one) for one in way.value.numbers), default=0.0)
    if node.type == "pow" and len(others) == 1 and reads:
        return float(others[0] * reads ** (others[0] - 1))
    return 1.0


def _alive(node: Node) -> str:
    if node.type in FLAT:
        return (
            f"The slope of {node.type} is 0 wherever it has one. For a gradient that passes all "
            f"the same: straight-through, x + (torch.{node.type}(x) - x).detach()."
        )
    if node.type in ("relu", "relu6", "clamp", "hardtanh"):
        return "All that it read lies where it is flat. Look at the scale of what comes in."
    if node.type in WRITES:
        return _written_over(node)
    factors = [edge.value for edge in node.operands]
    if node.type == "mul" and (any(zero(one) for one in factors) or 0 in node.numbers):
        return "One factor is 0 everywhere, so the other gets nothing."
    return ""
