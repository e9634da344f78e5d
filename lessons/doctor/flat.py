"""Why an op sends nothing but zeros back, and what people do about it."""

import math

import torch

from ..recorder import Edge, Node, Value
from .graph import zero
from .run import Run
from .stops import DRAWS
from .words import spelled

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
_CLAMPS = frozenset(("relu", "relu6", "clamp", "hardtanh"))
_FLAT_SOMEWHERE = FLAT | WRITES | _CLAMPS | {
    "where", "getitem", "select", "index_select", "max", "min", "maximum", "minimum", "dropout",
    "leaky_relu", "threshold",
}  # fmt: skip


def written_over(node: Node) -> str:
    """What to do about an op that overwrites."""
    says = f"{node.type} puts new numbers in the place of the old, which get no gradient."
    return f"{says} Write to the entries that are meant, or multiply by a mask."


def too_small(node: Node, ways: list[Edge]) -> str:
    """What to do where the gradient is not 0 and its dtype has no number so small."""
    offered, upstream = ways[0].offered, node.gradient
    dtype = getattr(torch, offered.dtype) if offered is not None else torch.int64
    if upstream is None or not dtype.is_floating_point or node.type in _FLAT_SOMEWHERE:
        return ""
    limits = torch.finfo(dtype)
    least = limits.tiny * limits.eps
    if not 0 < _largest(upstream) * _slope(node, ways[0]) < least:
        return ""
    instead = "use bfloat16" if dtype == torch.float16 else "compute in a wider dtype"
    says = f"The gradient underflows: it is below all numbers of {limits.dtype}, {spelled(least)}."
    return f"{says} Scale the loss (torch.amp.GradScaler), or {instead}."


def _largest(value: Value) -> float:
    return max((abs(one) for one in value.numbers), default=0.0)


def _slope(node: Node, way: Edge) -> float:
    """About how large the slope is along this way, where a product or a quotient says so."""
    others = [_largest(edge.value) for edge in node.operands if edge is not way]
    others += [abs(one) for one in node.numbers if isinstance(one, (int, float))]
    if node.type == "mul":
        return math.prod(others)
    if node.type == "div" and way.operand == 0 and others and others[0]:
        return float(1 / others[0])
    if node.type in ("mean", "avg_pool2d"):
        return float(node.outputs[0].size / max(way.value.size, 1))
    if node.type == "pow" and len(others) == 1 and _largest(way.value):
        return float(others[0] * _largest(way.value) ** (others[0] - 1))
    return 1.0


def _saturated(run: Run, node: Node) -> str:
    """A sigmoid or softmax that is so near to 0 or 1 that its slope is rounded to 0."""
    says = f"{node.type} is saturated: it reads {_range(node)}, where its slope is rounded to 0."
    readers = [edge.consumer for edge in run.graph.consumers.get(node.name, ())]
    loss = next((one for one in readers if one.type in FUSED), None)
    if loss is None:
        return f"{says} Bring these numbers nearer to 0: smaller weights, or a norm before it."
    becomes = ""
    if node.type == "sigmoid" and loss.type == "binary_cross_entropy":
        size = 1 if loss.kwargs.get("reduction", "mean") == "sum" else node.outputs[0].size
        sent = (node.outputs[0].numbers[0] - loss.operands[1].value.numbers[0]) / size
        becomes = f": the gradient of its first entry becomes {spelled(sent)}"
    return f"{says} Use {FUSED[loss.type]} on what it reads{becomes}."


def _range(node: Node) -> str:
    numbers = node.operands[0].value.numbers
    return f"numbers from {spelled(min(numbers))} to {spelled(max(numbers))}"


def slope_of(run: Run, node: Node) -> str:
    """What to do about an op whose slope is 0 at all that it read."""
    if node.type in FLAT:
        says = f"The slope of {node.type} is 0 wherever it has one. For a gradient all the same:"
        return f"{says} straight-through, x + (torch.{node.type}(x) - x).detach()."
    if node.type in _CLAMPS:
        return f"It reads {_range(node)}, where it is flat. Look at the scale of what comes in."
    if node.type in DRAWS:
        says = f"{node.type} draws numbers, and torch takes 0 for its slope."
        return f"{says} Draw apart from the parameters: mean + std * torch.randn_like(mean)."
    if node.type in SATURATE:
        return _saturated(run, node)
    if node.type in AT_ZERO and any(zero(edge.value) for edge in node.operands):
        return f"{node.type} is at 0 there, and torch takes 0 for its slope."
    if node.type in WRITES:
        return written_over(node)
    if node.type.endswith("_loss") or node.type in ("binary_cross_entropy", "cross_entropy"):
        return "The prediction is the target already, up to rounding."
    if node.type == "mul" and (any(zero(e.value) for e in node.operands) or 0 in node.numbers):
        return "One factor is 0 everywhere, so the other gets nothing."
    return ""
