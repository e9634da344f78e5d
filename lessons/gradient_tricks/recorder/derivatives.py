"""The local derivative of an elementwise op along one edge, as a number for each component.

It is autograd's own: it differentiates the op once more, at the chosen component.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from ..tricks.rule import Slot
from .recording.nodes import Edge, Node
from .recording.plain_tensor import NOT_KEPT, place
from .torch_private import sent_to, unseen

_UNARY = (
    "identity to clone sign round floor ceil trunc square sqrt rsqrt reciprocal neg abs exp expm1 "
    "log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh sigmoid erf erfc lgamma relu "
    "relu6 selu silu softsign"
)
_BINARY = "mul div remainder fmod pow xlogy atan2 maximum minimum"
ELEMENTWISE: dict[str, str] = {
    **dict.fromkeys(_UNARY.split(), "a"),
    **dict.fromkeys(_BINARY.split(), "a b"),
    **dict.fromkeys(("add", "sub"), "a b alpha=1"),
    "hardtanh": "a low=-1 high=1",
    "leaky_relu": "a slope=0.01",
    "elu": "a alpha=1",
    "gelu": "a approximate=none",
    "softplus": "a beta=1 threshold=20",
    "dropout": "a p=0.5 training=True",
    "clamp": "a low=None high=None",
    "where": "c a b",
    "masked_fill": "a c b",
}
"""The arguments of each elementwise op type, in torch's order, with what stands if one is left out.

There is a derivative with respect to `a`, `b` and the bounds `low` and `high`.
"""
_KEYWORDS = {
    "input": "a",
    "self": "a",
    "other": "b",
    "exponent": "b",
    "value": "b",
    "condition": "c",
    "mask": "c",
    "min": "low",
    "max": "high",
    "min_val": "low",
    "max_val": "high",
    "negative_slope": "slope",
}
"""torch's keyword → the name of the argument above."""

_ONE = torch.ones((), dtype=torch.float64)


class Local(NamedTuple):
    """An edge as its elementwise op sees it: the argument `own`, all that are `given`, by name.

    `numbers` are those at the component, `z` among them for the output; `value` is the local
    derivative, None where it is not known.
    """

    own: str
    given: dict[str, Any]
    numbers: dict[str, Any]
    value: float | None


def local_derivative(edge: Edge, index: Sequence[int] = ()) -> float | None:
    """The number, in float64 from the recorded values; None where there is none.

    It is the derivative of the op, at the kinks autograd's choice, whatever the gradient did:
    None too for an overridden op, whose rule need not have one.
    """
    found = local(edge, index)
    return None if found is None else found.value


def local(edge: Edge, index: Sequence[int] = ()) -> Local | None:
    """None for an op that is not elementwise, and where its derivative is not what was applied."""
    node = edge.consumer
    if node.type not in ELEMENTWISE or node.kind == "overridden" or node.off:
        return None
    values = (*node.outputs, *(one.value for one in node.operands))
    if any(value.dtype.startswith("complex") for value in values):  # the formulas are for reals
        return None
    given = _given(node)
    own = next((name for name, one in given.items() if one == Slot(edge.operand)), "")
    if own not in ("a", "b", "low", "high"):
        return None
    numbers = {"z": node.outputs[0].component(index)}
    for name, value in given.items():
        is_slot = isinstance(value, Slot)
        numbers[name] = node.operands[value.place].value.component(index) if is_slot else value
    found, sent, offered = None, None, edge.offered
    if offered is not None and offered.shape == node.outputs[0].shape:  # else it is a sum
        sent = offered.component(index)
    if node.stale:
        # Torch may have saved another tensor than the formula reads, of relu the output.
        if sent is None:
            return None
        upstream = node.upstream[0].component(index) if node.upstream[0] else 0.0
        found = sent / upstream if upstream else None
    elif not any(number is NOT_KEPT for number in numbers.values()):
        found = _differentiated(node, own, given, numbers)
        # Of dropout it is z / a, where a may be 0.
        found = None if found != found and sent is not None and sent == sent else found
    return Local(own, given, numbers, found)


def terms(edge: Edge, index: Sequence[int], most: int = 6) -> list[tuple[tuple[int, ...], float]]:
    """Terms of a broadcast operand's gradient: places in the output, the local derivative there.

    At most `most` of them, in row-major order, those whose operand component is the chosen one;
    a single one where nothing was broadcast. Empty for an op that is not elementwise.
    """
    if local_derivative(edge, index) is None:
        return []
    shape = edge.consumer.outputs[0].shape
    own = edge.value.shape
    chosen, aligned = place(index, shape), (1,) * (len(shape) - len(own)) + own
    axes = [(i,) if n == m else range(n) for i, n, m in zip(chosen, shape, aligned, strict=True)]
    positions = itertools.islice(itertools.product(*axes), most)
    return [(position, local_derivative(edge, position) or 0.0) for position in positions]


def _differentiated(
    node: Node, own: str, given: Mapping[str, Any], numbers: Mapping[str, Any]
) -> float:
    """The derivative with respect to the argument `own`, as autograd has it at these numbers."""
    if node.type == "dropout":  # would draw again
        return float(numbers["z"] / numbers["a"]) if numbers["a"] else math.nan
    args = []
    for name, _ in _signature(node.type):
        number = numbers[name]
        if name in ("a", "b") or isinstance(given[name], Slot):
            # Exactly the same as text, where −0.0 is no 0.0.
            args.append((name, bool(number) if name == "c" else str(float(number)), True))
        else:
            args.append((name, number, False))
    return _derivatives(node.type, tuple(args))[own]


@lru_cache(4096)
def _derivatives(op_type: str, args: tuple[tuple[str, Any, bool], ...]) -> dict[str, float]:
    """Autograd's derivatives of an op; cached, as its edges, formulas and sums all need them.

    Args:
        args: each argument's name, its number and whether it is a tensor.
    """
    # What torch has no function for passes its operand on.
    call: Any = getattr(torch, op_type, None) or getattr(functional, op_type, torch.clone)
    given: dict[str, Any] = {name: number for name, number, _ in args}
    with unseen(), torch.enable_grad():
        leaves = {
            name: torch.tensor(float(text), dtype=torch.float64, requires_grad=True)
            for name, text, is_tensor in args
            if is_tensor and name != "c"
        }
        given |= leaves
        if "c" in given:
            given["c"] = torch.tensor(given["c"])
        words = {name: given.pop(name) for name in ("alpha", "approximate") if name in given}
        output = call(*given.values(), **words)
        sent = sent_to([*leaves.values()], output, _ONE)
        pairs = zip(leaves, sent, strict=True)
        return {name: 0.0 if one is None else one.item() for name, one in pairs}


@lru_cache(256)
def _signature(op_type: str) -> tuple[tuple[str, Any], ...]:
    """The names and defaults of the operands of an elementwise op."""
    words = [word.partition("=") for word in ELEMENTWISE[op_type].split()]
    return tuple((name, default_of(default)) for name, _, default in words)


def _given(node: Node) -> dict[str, Any]:
    """The arguments of an op by name."""
    given: dict[str, Any] = dict(_signature(node.type))
    order = list(given)
    if node.function in ("clamp_max", "clamp_max_"):
        order.remove("low")
    given |= dict(zip(order, node.args, strict=False))
    return given | {_KEYWORDS.get(word, word): value for word, value in node.kwargs.items()}


def default_of(text: str) -> Any:
    """Parse an argument's default."""
    if text in ("", "None"):
        return None
    return text if text.isalpha() else float(text)
