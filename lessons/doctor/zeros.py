"""Why a gradient is 0 in every entry."""

import math
from collections.abc import Iterator

import torch

from ..recorder import Edge, Node, Value
from ..recorder.recording.plain_tensor import unflat
from ..recorder.recording.variables import line_of
from ..recorder.torch_private import hooks_of
from ..text import listed
from .cuts import Told
from .graph import Graph, bad_place, zero
from .stops import called
from .watch import Run
from .words import at, op_called, spelled

ROUNDINGS = 8
"""A sum that is smaller than so many roundings of its terms has cancelled."""

FLAT = frozenset(("round", "floor", "ceil", "trunc", "sign", "heaviside"))
"""Ops whose slope is 0 wherever it exists."""


SATURATE = frozenset(("sigmoid", "tanh", "softmax", "logsigmoid", "log_softmax", "hardsigmoid"))
FUSED = {
    "binary_cross_entropy": "functional.binary_cross_entropy_with_logits",
    "nll_loss": "functional.cross_entropy",
    "log": "log_softmax or functional.logsigmoid",
}
"""Losses that have a form of their own for what a sigmoid or softmax reads."""
AT_ZERO = frozenset((
    "norm", "linalg_vector_norm", "linalg_norm", "abs", "pow", "square", "std", "cdist",
))  # fmt: skip
"""Ops with the slope 0 at 0, by torch's choice or by their own."""
WRITES = frozenset(("setitem", "zero", "zero_", "fill", "fill_", "masked_fill", "masked_fill_"))
"""Ops that put other numbers in the place of those that were there."""


def zeros(run: Run, graph: Graph, meant: bool = False) -> Iterator[Told]:
    """A fault for each op that stops a gradient with zeros, and each place where paths cancel.

    Args:
        meant: yield those that are usual instead: a factor that starts at 0, a bias that cancels.
    """
    for is_meant, told in _zeros(run, graph):
        if is_meant == meant:
            yield told


def _zeros(run: Run, graph: Graph) -> Iterator[tuple[bool, Told]]:
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
            told = _hooked(run, graph, node, hit) or _cancelled(run, graph, node, hit)
            told = told if hit else None
            is_meant = told is not None and _only_bias(run, name, hit)
        elif came is not None and ways and all(zero(one.offered) for one in ways):
            hit = [one for one in left if one in graph.before([e.producer.name for e in ways])]
            starting = _starts_at_zero(run, node, ways)
            is_meant = starting is not None
            told = _stopped(run, graph, node, ways, hit, starting) if hit else None
            if bad_place(node.outputs[0]) is not None:  # its NaN is told already
                left = [one for one in left if one not in hit]
                continue
        else:
            told = None
        if told is not None:
            yield is_meant, told
            left = [one for one in left if one not in hit]
    if left:
        yield (
            False,
            ("zero_gradient", f"The gradient of {listed(left)} is 0 in every entry.", "", left[0]),
        )


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
        if hit and not _only_bias(run, node.name, hit):
            told = _cancelled(run, graph, node, hit, left)
            assert told is not None
            yield told
            leaves = [name for name in leaves if name not in hit]


def _only_bias(run: Run, name: str, hit: list[str]) -> bool:
    """Whether a parameter alone cancels, and others of its module learn: as the last bias of a
    critic does, and the bias of the keys in attention.
    """
    module = name.rpartition(".")[0]
    return hit == [name] and bool(module) and any(
        one.norm and not one.zero for other, one in run.gradients.items()
        if other.rpartition(".")[0] == module and other != name
    )  # fmt: skip


def _hooked(run: Run, graph: Graph, node: Node, hit: list[str]) -> Told | None:
    """A tensor's hook that makes 0 of a gradient that is not."""
    met = [edge.gradient for edge in graph.consumers.get(node.name, ()) if edge.gradient]
    tensors = run.recording.tensors.get(node.name, [])
    hooks = hooks_of(tensors[0]) if tensors else []
    if not hooks or not met or not any(map(any, zip(*(one.numbers for one in met), strict=True))):
        return None
    total = [sum(added) for added in zip(*(one.numbers for one in met), strict=True)]
    place = next((at for at, one in enumerate(total) if one), None)
    if place is None:
        return None
    where = line_of((hooks[-1].co_filename, (hooks[-1].co_firstlineno, 0, 0, 0)))
    return (
        "zero_gradient",
        f"The gradient of {listed(hit)} is 0 in every entry: a hook on {called(node)}, the "
        f"function in {where}, makes 0 of the {spelled(total[place])} that came.",
        "Let the hook return what it should be multiplied to, or None to leave it as it is.",
        node.name,
    )


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


def _starts_at_zero(run: Run, node: Node, ways: list[Edge]) -> str | None:
    """A factor that is 0 everywhere and learns, as one half of LoRA does at its first step."""
    for edge in node.operands:
        factor = edge.producer
        while not factor.leaf and len(factor.operands) == 1:  # transposed, say
            factor = factor.operands[0].producer
        gradient = run.gradients.get(factor.name)
        if edge not in ways and gradient is not None and gradient.norm and zero(edge.value):
            return factor.name
    return None


def _stopped(
    run: Run,
    graph: Graph,
    node: Node,
    ways: list[Edge],
    hit: list[str],
    starting: str | None = None,
) -> Told:
    if starting is not None:
        return (
            "zero_gradient",
            f"The gradient of {listed(hit)} is 0 while {starting} is 0, in {op_called(run, node)}. "
            f"{starting} itself has a gradient, so this ends with its first step, as in LoRA.",
            "", node.name,
        )  # fmt: skip
    written = _written(ways)
    because = ""
    if written is not None:
        because = f", for it reads the zeros that {op_called(run, written)} wrote"
    return (
        "zero_gradient",
        f"The gradient of {listed(hit)} is 0 in every entry: {op_called(run, node)} sends nothing "
        f"but zeros back to {listed([called(edge.producer) for edge in ways])}{because}.",
        _written_over(written)
        if written is not None
        else _too_small(node, ways) or _alive(node, graph),
        (written or node).name,
    )


def _written(ways: list[Edge]) -> Node | None:
    """The op that wrote the zeros which every one of these operands holds."""
    found = None
    for edge in ways:
        node = edge.producer
        while zero(node.outputs[0]) and node.type not in WRITES and len(node.operands) == 1:
            node = node.operands[0].producer
        computed = any(one.producer.requires_grad for one in node.operands[1:])
        if node.type not in WRITES or computed or found not in (None, node):
            return None
        if not zero(node.outputs[0]):
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


def _saturated(node: Node, graph: Graph) -> str:
    """A sigmoid or softmax that is so near to 0 or 1 that its slope is rounded to 0."""
    read = node.operands[0].value
    says = (
        f"{node.type} is saturated: it reads numbers from {spelled(min(read.numbers))} to "
        f"{spelled(max(read.numbers))}, where its slope is rounded to 0."
    )
    readers = [edge.consumer for edge in graph.consumers.get(node.name, ())]
    fused = next((FUSED[one.type] for one in readers if one.type in FUSED), "")
    if node.type == "sigmoid" and fused == FUSED["binary_cross_entropy"]:
        loss = next(one for one in readers if one.type == "binary_cross_entropy")
        with torch.no_grad():
            made, target = node.outputs[0].numbers[0], loss.operands[1].value.numbers[0]
            size = node.outputs[0].size if _argument_is_mean(loss) else 1
        becomes = f": the first gradient becomes {spelled((made - target) / size)}"
        return f"{says} Use {fused} on what it reads{becomes}."
    return f"{says} Use {fused} on what it reads." if fused else (
        f"{says} Bring these numbers nearer to 0: smaller weights, or a norm before it."
    )  # fmt: skip


def _argument_is_mean(loss: Node) -> bool:
    return loss.kwargs.get("reduction", "mean") == "mean"


def _alive(node: Node, graph: Graph) -> str:
    if node.type in FLAT:
        return (
            f"The slope of {node.type} is 0 wherever it has one. For a gradient that passes all "
            f"the same: straight-through, x + (torch.{node.type}(x) - x).detach()."
        )
    if node.type in ("relu", "relu6", "clamp", "hardtanh"):
        return "All that it read lies where it is flat. Look at the scale of what comes in."
    if node.type in SATURATE:
        return _saturated(node, graph)
    if node.type in AT_ZERO and any(zero(edge.value) for edge in node.operands):
        return f"{node.type} is at 0 there, and torch takes 0 for its slope."
    if node.type in WRITES:
        return _written_over(node)
    factors = [edge.value for edge in node.operands]
    if node.type == "mul" and (any(zero(one) for one in factors) or 0 in node.numbers):
        return "One factor is 0 everywhere, so the other gets nothing."
    return ""
