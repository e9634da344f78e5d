"""Why an op sends nothing but zeros back, and what people do about it."""

import math

import torch

from ..recorder import Edge, Node
from .graph import Graph, zero
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


def written_over(node: Node) -> str:
    """What to do about an op that overwrites."""
    return (
        f"{node.type} puts new numbers in the place of the old, and the old get no gradient. Write "
        "to the entries that are meant, or multiply by a mask."
    )


def too_small(node: Node, ways: list[Edge]) -> str:
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
    says = f"{node.type} is saturated: it reads {_range(node)}, where its slope is rounded to 0."
    readers = [edge.consumer for edge in graph.consumers.get(node.name, ())]
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


def slope_of(node: Node, graph: Graph) -> str:
    """What to do about an op whose slope is 0 at all that it read."""
    if node.type in FLAT:
        return (
            f"The slope of {node.type} is 0 wherever it has one. For a gradient that passes all "
            f"the same: straight-through, x + (torch.{node.type}(x) - x).detach()."
        )
    if node.type in ("relu", "relu6", "clamp", "hardtanh"):
        return f"It reads {_range(node)}, where it is flat. Look at the scale of what comes in."
    if node.type in DRAWS:
        return (
            f"{node.type} draws numbers, and torch takes 0 for its slope. Draw apart from the "
            "parameters: mean + std * torch.randn_like(mean)."
        )
    if node.type in SATURATE:
        return _saturated(node, graph)
    if node.type in AT_ZERO and any(zero(edge.value) for edge in node.operands):
        return f"{node.type} is at 0 there, and torch takes 0 for its slope."
    if node.type in WRITES:
        return written_over(node)
    if node.type.endswith("_loss") or node.type in ("binary_cross_entropy", "cross_entropy"):
        return "The prediction is the target already, up to rounding."
    factors = [edge.value for edge in node.operands]
    if node.type == "mul" and (any(zero(one) for one in factors) or 0 in node.numbers):
        return "One factor is 0 everywhere, so the other gets nothing."
    return ""
