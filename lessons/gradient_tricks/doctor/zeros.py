"""Finds out why a gradient is 0 in every entry, and says what helps."""

from collections.abc import Iterator
from dataclasses import replace

import torch

from ..recorder import Edge, Node, Value, Where, in_line, short
from ..text import listed
from .graph import zero
from .partial import is_term
from .run import Run
from .source import backward_of
from .stops import DRAWS
from .words import WORDS, Fault, at_entry, called, hook_on, it_or_them, numbers_read, op_called

ROUNDINGS = 8
"""A sum that is smaller than so many roundings of its terms has cancelled."""
_MULTIPLY = frozenset((
    *("mul", "matmul", "mm", "bmm", "addmm", "linear", "bilinear", "einsum"),
    *("conv1d", "conv2d", "conv3d", "rnn_tanh_cell", "rnn_relu_cell", "gru_cell", "lstm_cell"),
    *("rnn_tanh", "rnn_relu", "gru", "lstm"),
))  # fmt: skip
"""Ops that multiply their weights by what else they read."""

_FLAT = frozenset(("round", "floor", "ceil", "trunc", "sign", "heaviside"))
"""Ops whose slope is 0 wherever it exists."""
_SATURATE = frozenset(("sigmoid", "tanh", "softmax", "logsigmoid", "log_softmax", "hardsigmoid"))
_FUSED = {
    "binary_cross_entropy": "functional.binary_cross_entropy_with_logits",
    "nll_loss": "functional.cross_entropy",
    "log": "log_softmax or functional.logsigmoid",
}
"""Losses that have a form of their own for what a sigmoid or softmax reads."""
_AT_ZERO = frozenset((
    "norm", "linalg_vector_norm", "linalg_norm", "abs", "pow", "square", "std", "cdist",
))  # fmt: skip
"""Ops with the slope 0 at 0, by torch's choice or by their own."""
_WRITES = frozenset(("setitem", "zero", "zero_", "fill", "fill_", "masked_fill", "masked_fill_"))
"""Ops that put other numbers in the place of those that were there."""
_JOINS = frozenset(("cat", "stack", "concat", "hstack", "vstack"))
_CLAMPS = frozenset(("relu", "relu6", "clamp", "hardtanh"))
_SHRINKS = frozenset(("mul", "div", "mean", "pow", "square", "to"))
"""Ops that may send back a number too small for their dtype."""


def zeros(run: Run) -> Iterator[Fault]:
    """Yield a fault for each op that sends zeros back, and for each place where paths cancel.

    What is usual is a note: a factor that starts at 0, a bias that cancels.
    """
    left = [name for name, one in run.gradients.items() if one.zero]
    if not left or run.spoiled:
        return
    below = run.graph.after(left, flowing=True)
    causes: dict[tuple[str, Where | None, bool], tuple[Node, list[Edge], list[str]]] = {}
    for name in dict.fromkeys([*run.recording.order, *left]):
        node = run.recording.nodes.get(name)
        if node is None or name not in below:
            continue
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in below]
        if not all(zero(one.offered) for one in ways):  # perhaps a weight alone gets nothing
            ways = [one for one in ways if zero(one.offered) and one.producer.name in left]
        if zero(node.gradient):
            ways = []
        elif node.gradient is None or not ways:
            continue
        before = run.graph.before([edge.producer.name for edge in ways] or [name])
        hit = [one for one in left if one in before]
        if not hit:
            continue
        fault = _starting(run, node, ways, hit) if ways else _hooked(run, node, hit)
        if fault is None and not ways:
            if len(_nonzero_edges(run, node)) < 2:
                continue
            if _only_bias(run, name, hit):
                fault = replace(_cancelled(run, node, hit), kind="note")
        if fault is not None:
            yield fault
        else:  # one line runs for several layers, and all weights may cancel
            causes.setdefault((node.type, node.place, bool(ways)), (node, ways, []))[2].extend(hit)
        left = [one for one in left if one not in hit]
    for node, ways, hit in causes.values():
        why = _stopped(run, node, ways, hit) if ways else _cancelled(run, node, hit)
        if ways and _may_end(run, node):
            says = f"{why.says} Other batches may bring more: --steps watches longer."
            why = replace(why, kind="note", says=says)
        yield why
    if left:
        yield Fault("zero_gradient", f"The gradient of {_all_zero(left)}.", node=left[0])


def _all_zero(names: list[str]) -> str:
    return f"{listed(names)} is 0 in every entry"


def rounding(run: Run) -> Iterator[Fault]:
    """Yield a fault where paths cancel on every way to a leaf: it gets noise; else a note."""
    leaves = [name for name, one in run.gradients.items() if one.norm]
    before = {one: run.graph.before([one], flowing=True) for one in run.ends}
    groups: dict[Where | str, list[Node]] = {}  # the steps of a loop run one line again
    for node in run.recording:
        met = _nonzero_edges(run, node)
        # Gradients of several passes are recorded as one sum: paths cancel only within a pass.
        ways = [{one for one in before if edge.consumer.name in before[one]} for edge in met]
        left = node.upstream[met[0].output] if len(met) > 1 and set.intersection(*ways) else None
        if left and (zero(left) or _is_rounding(left, [edge.gradient for edge in met])):
            groups.setdefault(node.place or node.name, []).append(node)
    for node, *more in groups.values():
        names = {node.name, *(one.name for one in more)}
        hit = [
            name for name in leaves
            if name in names or not run.ends & run.graph.after([name], True, without=names)
        ]  # fmt: skip
        if hit and not _only_bias(run, node.name, hit):
            yield _cancelled(run, node, hit, is_rounding=True)
            leaves = [name for name in leaves if name not in hit]
        elif not hit and not node.leaf and {*leaves}.intersection(run.leaves_before(node.name)):
            why = _cancelled(run, node, [called(node)], not zero(node.gradient))
            yield Fault("note", f"{why.says} {why.do}", node=node.name)


def _nonzero_edges(run: Run, node: Node) -> list[Edge]:
    """The edges that bring this node a gradient that is not 0."""
    edges = run.graph.consumers.get(node.name, ())
    return [edge for edge in edges if edge.gradient and any(edge.gradient.numbers)]


def _only_bias(run: Run, name: str, hit: list[str]) -> bool:
    """Whether a parameter alone cancels, and others of its module learn: as the last bias of a
    critic does, and the bias of the keys in attention.
    """
    module = name.rpartition(".")[0]
    return hit == [name] and bool(module) and any(
        one.norm and not one.zero for other, one in run.gradients.items()
        if other.rpartition(".")[0] == module and other != name
    )  # fmt: skip


def _hooked(run: Run, node: Node, hit: list[str]) -> Fault | None:
    """A tensor's hook that makes 0 of a gradient that is not."""
    met = [edge.gradient.numbers for edge in _nonzero_edges(run, node) if edge.gradient]
    hook = hook_on(run, node)
    total = next((total for one in zip(*met, strict=True) if (total := sum(one))), None)
    if not hook or total is None:
        return None
    says = f"The gradient of {_all_zero(hit)}: {hook} turns the {short(total)} that arrived into 0."
    return Fault("zero_gradient", says, WORDS("hook_returns"), node.name)


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


def _cancelled(run: Run, node: Node, hit: list[str], is_rounding: bool = False) -> Fault:
    """Gradients that meet at `node`, each not 0, with a sum that is 0 everywhere, or rounding."""
    met = _nonzero_edges(run, node)
    first = met[0].gradient
    assert first is not None
    place = next(place for place, one in enumerate(first.numbers) if one)
    alike = len({edge.consumer.place for edge in met}) < len(met)
    parts = [
        f"{short(edge.gradient.numbers[place])} from {op_called(run, edge.consumer)}"
        + f", called{in_line(edge.consumer.caller)}" * (alike and edge.consumer.caller is not None)
        for edge in met if edge.gradient is not None
    ]  # fmt: skip
    what, noise = _all_zero(hit), ""
    if is_rounding:
        what = f"{listed(hit)} is rounding alone"
        noise = f" {WORDS('steps_along_noise')}"
    words = {"name": called(node), "where": at_entry(place, first), "parts": listed(parts, 4)}
    says = f"{WORDS('meet', what=what, count=f'{len(met)}', **words)}{noise}"
    return Fault("zero_gradient", says, WORDS("paths_cancel", name=called(node)), node.name)


def _leaf(edge: Edge) -> Node:
    """Find what an op reads, before it was transposed, say."""
    node = edge.producer
    while not node.leaf and len(node.operands) == 1:
        node = node.operands[0].producer
    return node


def _starting(run: Run, node: Node, ways: list[Edge], hit: list[str]) -> Fault | None:
    """A factor that is 0 everywhere: one that learns, as in LoRA, or an input, as a first state."""
    own = all(_leaf(edge).leaf for edge in ways) and node.type in _MULTIPLY
    for edge in node.operands:
        factor, says = _leaf(edge), f"The gradient of {listed(hit)} is 0"
        if edge in ways or not zero(edge.value):
            continue
        if own and factor.leaf and factor.name not in run.gradients:
            says += f": {op_called(run, node)} multiplies {it_or_them(hit)} by an input that is 0"
            return Fault("note", f"{says}, such as the first state of an LSTM.")
        gradient = run.gradients.get(factor.name)
        if gradient is not None and gradient.norm:
            at_first = WORDS("as_in_lora", name=factor.name, op=op_called(run, node))
            return Fault("note", f"{says} {at_first}")
    return None


def _stopped(run: Run, node: Node, ways: list[Edge], hit: list[str]) -> Fault:
    none = [one for one in hit if not any(run.recording.nodes[one].outputs[0].numbers)]
    if node.type in _MULTIPLY and len(none) > 1:
        says = f"The gradient of {_all_zero(hit)}: {WORDS('both_0', op=op_called(run, node))}"
        return Fault("zero_gradient", says, WORDS("start_at_random", name=none[0]), node.name)
    mask = _mask(run, node)
    if mask is not None:
        op, factor = op_called(run, mask.consumer), called(mask.producer)
        says = WORDS("masked", names=listed(hit), op=op, factor=factor)
        return Fault("zero_gradient", says, WORDS("masked_entries"), mask.consumer.name)
    written = _written(ways)
    if written is not None:
        because = f", because it reads the zeros that {op_called(run, written)} wrote"
        do = WORDS("overwrites", op=written.type)
    else:
        because, do = "", _slope_of(run, node) or _too_small(node, ways)
        where = backward_of(node.type) if node.function == "apply" else ""
        if where and not do:
            do = f"Check what {node.type}.backward returns{where}: it is 0."
    to, op = listed([called(edge.producer) for edge in ways]), op_called(run, node)
    says = WORDS("sends_zeros", names=listed(hit), op=op, to=to, because=because)
    return Fault("zero_gradient", says, do, (written or node).name)


def _may_end(run: Run, node: Node) -> bool:
    """Whether the next batches may end these zeros: a weight that ramps up, a mask, a hinge."""
    if run.is_whole or node.type in _FLAT | _SATURATE | DRAWS:
        return False
    mask = _mask(run, node)
    factors = [edge.producer.name for edge in node.operands if zero(edge.value)]
    if mask is not None or node.type == "mul":
        if any(zero(edge.value) and edge.value.size == 1 for edge in node.operands):
            return True  # the weight of a term
        before = run.graph.before([mask.producer.name] if mask else factors)
        leaves = (one for one in before if run.recording.nodes[one].leaf)
        return not (before and run.watch.read_again().issuperset(leaves))  # else a fixed factor
    ends = [run.recording.nodes[one] for one in run.ends if node.name in run.graph.before([one])]
    readers = run.graph.consumers.get(node.name, ())
    is_hinge = node.type in _CLAMPS and all(is_term(run, edge.consumer) for edge in readers)
    return is_hinge or all(zero(one.outputs[0]) for one in ends)


def _mask(run: Run, node: Node) -> Edge | None:
    """The factor with zeros among its numbers that an op's result is multiplied by later on."""
    after = run.graph.after([node.name], flowing=True) if node.type in _JOINS else ()
    products = (one for one in run.recording if one.name in after and one.type == "mul")
    edges = (edge for one in products for edge in one.operands)
    fixed = (one for one in edges if not one.producer.requires_grad)
    return next((one for one in fixed if 0 in one.value.numbers), None)


def _written(ways: list[Edge]) -> Node | None:
    """The op that wrote the zeros which every one of these operands holds."""
    found = None
    for edge in ways:
        node = edge.producer
        while zero(node.outputs[0]) and node.type not in _WRITES and len(node.operands) == 1:
            node = node.operands[0].producer
        computed = any(one.producer.requires_grad for one in node.operands[1:])
        is_zero = zero(node.outputs[0])
        if not is_zero or node.type not in _WRITES or computed or found not in (None, node):
            return None
        found = node
    return found


def _too_small(node: Node, ways: list[Edge]) -> str:
    """Say what to do if the dtype has no number as small as the gradient; "" if it has."""
    offered, upstream = ways[0].offered, node.gradient
    dtype = getattr(torch, offered.dtype) if offered is not None else torch.int64
    factors = [one for edge in node.operands if edge not in ways for one in edge.value.numbers]
    if node.type not in _SHRINKS or not dtype.is_floating_point or zero(upstream) or 0 in factors:
        return ""
    limits = torch.finfo(dtype)
    return WORDS("underflows", dtype=limits.dtype, least=short(limits.tiny * limits.eps))


def _saturated(run: Run, node: Node) -> str:
    """A sigmoid or softmax that is so near to 0 or 1 that its slope is rounded to 0."""
    says = WORDS("saturated", op=node.type, numbers=numbers_read(node))
    readers = [edge.consumer for edge in run.graph.consumers.get(node.name, ())]
    loss = next((one for one in readers if one.type in _FUSED), None)
    if loss is None:
        return f"{says} {WORDS('nearer_to_0')}"
    return f"{says} {WORDS('use_instead', op=_FUSED[loss.type])}"


def _slope_of(run: Run, node: Node) -> str:
    """Say what to do about an op whose slope is 0 at all that it read."""
    if node.type in _FLAT:
        return WORDS("flat_everywhere", op=node.type)
    if node.type in _CLAMPS:
        return WORDS("flat_there", numbers=numbers_read(node))
    if node.type in DRAWS:
        return WORDS("draws", op=node.type)
    if node.type in _SATURATE:
        return _saturated(run, node)
    if node.type in _AT_ZERO and any(zero(edge.value) for edge in node.operands):
        return WORDS("at_0", op=node.type)
    if node.type in _WRITES:
        return WORDS("overwrites", op=node.type)
    if node.type.endswith("_loss") or node.type in ("binary_cross_entropy", "cross_entropy"):
        return WORDS("loss_is_0")
    if node.type == "mul" and (any(zero(e.value) for e in node.operands) or 0 in node.numbers):
        return WORDS("factor_is_0")
    return ""
