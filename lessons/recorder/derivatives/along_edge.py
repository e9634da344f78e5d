r"""What an op does to the gradient along one edge, as LaTeX, with the numbers put in.

Elementwise ops have a local derivative, a number for each component (elementwise.py); the others a
vector-Jacobian product, stated with the shapes (products.py). `\bar{x}` is the gradient of x.
The number is autograd's own: it differentiates the op once more, at the chosen component.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from ...tricks.rule import Slot
from ..recording.nodes import Edge, Node
from ..recording.plain_tensor import NOT_KEPT, place
from ..torch_private import sent_to, unseen
from .elementwise import ELEMENTWISE, KEYWORDS, Local
from .products import PRODUCTS, TRICK_ARGUMENTS
from .symbols import filled, latex_number, shape_of, symbol, words

_broadcast: Callable[..., tuple[int, ...]] = torch.broadcast_shapes  # torch has no types for it


class Rule(NamedTuple):
    """`latex` the whole statement; `local` the local derivative there, None where there is none."""

    latex: str
    local: float | None


class _Found(NamedTuple):
    """The table's formula for an edge, the names and numbers for it, and its value if known."""

    formula: Local
    names: dict[str, str]
    numbers: dict[str, Any]
    value: float | None


def rule(edge: Edge, index: Sequence[int] = ()) -> Rule:
    r"""The rule along `edge` at the component `index` of its consumer's output.

    Elementwise: `\frac{\partial z}{\partial y} = formula = formula with numbers = number`. Of a
    broadcast operand the gradient is a sum over many local derivatives: the formula and the shapes.
    Others: the vector-Jacobian product and the shapes. An overridden op: the name of its rule.
    """
    node = edge.consumer
    if node.kind == "overridden":
        return Rule(_overridden(edge), None)
    found = _found(edge, index)
    if found is None:
        return Rule(_product(edge), None)
    local, names, numbers, value = found
    quotient = rf"\frac{{\partial {_symbol(node)}}}{{\partial {_symbol(edge.producer)}}}"
    formula = f"{quotient} = {filled(local.latex, names)}"
    if edge.value.size < node.outputs[0].size:
        return Rule(_summed(edge, quotient, formula), value)
    if value is None:
        return Rule(formula, None)
    texts = {name: latex_number(_float(operand)) for name, operand in numbers.items()}
    steps = [filled(local.latex, names), filled(local.in_numbers or local.latex, texts)]
    if node.stale:  # the formula holds for what the op saw, the number for what stands there now
        steps = []
    return Rule(" = ".join(dict.fromkeys([quotient, *steps, latex_number(value)])), value)


def local_derivative(edge: Edge, index: Sequence[int] = ()) -> float | None:
    """The number alone, in float64 from the recorded values; None where there is none.

    It is the derivative of the op, at the kinks autograd's choice, whatever the gradient did:
    None too for an overridden op, whose rule need not have one.
    """
    found = None if edge.consumer.kind == "overridden" else _found(edge, index)
    return None if found is None else found.value


def _found(edge: Edge, index: Sequence[int]) -> _Found | None:
    """None for an op that is not elementwise, and where the table's formula does not hold."""
    node = edge.consumer
    row = ELEMENTWISE.get(node.type)
    if row is None or node.no_grad or _complex(node):
        return None
    given = _given(node)
    own = next((name for name, one in given.items() if one == Slot(edge.operand)), "")
    if own not in row.locals:
        return None
    names, numbers = {"z": _symbol(node)}, {"z": _real(node.outputs[0].component(index))}
    for name, value in given.items():
        if isinstance(value, Slot):
            operand = node.operands[value.place]
            names[name] = _symbol(operand.producer)
            numbers[name] = _real(operand.value.component(index))
        else:
            names[name], numbers[name] = latex_number(_float(value)), value
    local, sent = None, _sent(edge, index)
    if node.stale:
        # Torch may have saved another tensor than the formula reads, of relu the output.
        if sent is None:
            return None
        came = node.upstream[0].component(index) if node.upstream[0] else 0.0
        local = sent / came if came else None
    elif not any(number is NOT_KEPT for number in numbers.values()):
        local = _differentiated(node, own, given, numbers)
        # Of dropout it is z / a, where a may be 0.
        local = None if local != local and sent is not None and sent == sent else local
    return _Found(row.locals[own], names, numbers, local)


def _sent(edge: Edge, index: Sequence[int]) -> Any:
    """What autograd sent; None where that is nothing, or a sum."""
    sent = edge.offered
    whole = sent is not None and sent.shape == edge.consumer.outputs[0].shape
    return sent.component(index) if sent is not None and whole else None


def _differentiated(
    node: Node, own: str, given: Mapping[str, Any], numbers: Mapping[str, Any]
) -> float:
    """The derivative with respect to the argument `own`, as autograd has it at these numbers."""
    if node.type == "dropout":  # would draw again
        return float(numbers["z"] / numbers["a"]) if numbers["a"] else math.nan
    # What torch has no function for passes its operand on.
    call: Any = getattr(torch, node.type, None) or getattr(functional, node.type, torch.clone)
    with unseen(), torch.enable_grad():
        args = {name: numbers[name] for name, _ in _signature(node.type)}
        for name in args:
            if name == "c":
                args[name] = torch.tensor(bool(args[name]))
            elif name in ("a", "b") or isinstance(given[name], Slot):
                args[name] = torch.tensor(args[name], dtype=torch.float64)
        leaf = args[own].requires_grad_()
        words = {name: args.pop(name) for name in ("alpha", "approximate") if name in args}
        output = call(*args.values(), **words)
        (found,) = sent_to([leaf], output, torch.ones_like(output))
        return float(found) if found is not None else 0.0


def _complex(node: Node) -> bool:
    """Whether complex numbers are in it: the formulas are those of real ones."""
    values = (*node.outputs, *(edge.value for edge in node.operands))
    return any(value.dtype.startswith("complex") for value in values)


@lru_cache(256)
def _signature(op_type: str) -> tuple[tuple[str, Any], ...]:
    """The names and defaults of the operands of an elementwise op."""
    words = [word.partition("=") for word in ELEMENTWISE[op_type].operands.split()]
    return tuple((name, _default(default)) for name, _, default in words)


def _given(node: Node) -> dict[str, Any]:
    """The arguments of an op by the names that its row has for them."""
    given: dict[str, Any] = dict(_signature(node.type))
    order = list(given)
    if node.function in ("clamp_max", "clamp_max_"):
        order.remove("low")
    given |= dict(zip(order, node.args, strict=False))
    return given | {KEYWORDS.get(word, word): value for word, value in node.kwargs.items()}


def _default(text: str) -> Any:
    if text in ("", "None"):
        return None
    return text if text.isalpha() else float(text)


def _real(value: Any) -> Any:
    return math.nan if isinstance(value, complex) else value


def _float(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _symbol(node: Node) -> str:
    return symbol(node.label)


def _overridden(edge: Edge) -> str:
    name = words(edge.consumer.rule or "rule")
    return (
        rf"\bar{{{_symbol(edge.producer)}}} = {name}(\text{{op}}, \bar{{{_symbol(edge.consumer)}}})"
        rf"_{{{edge.operand}}}"
    )


def _product(edge: Edge) -> str:
    node = edge.consumer
    letters = "abcdefgh"
    names = {letters[i]: _symbol(operand.producer) for i, operand in enumerate(node.operands[:8])}
    names["z"] = _symbol(node)
    names |= _trick_arguments(node)
    texts = PRODUCTS.get(node.type)
    if texts is None:
        latex = r"\bar{@a} = J^{\top}\,\bar{@z}"
        names["a"] = _symbol(edge.producer)
    else:
        index = min(edge.operand, len(texts) - 1)
        latex = _with_sum(edge, texts[index])
        names[letters[index]] = _symbol(edge.producer)
    return filled(latex, names) + _shapes(edge)


def _with_sum(edge: Edge, latex: str) -> str:
    """The same, summed where the op has used the operand once for each entry of a batch."""
    node, own = edge.consumer, edge.value.shape
    shapes = [operand.value.shape for operand in node.operands]
    axes = ""
    if node.type == "matmul":
        rows = _broadcast(*(shape[:-2] for shape in shapes))
        axes = "batch" if math.prod(own[:-2]) != math.prod(rows) else ""
    elif node.type == "linear" and edge.operand == 1:
        axes = "batch" if len(shapes[0]) > 2 else ""
    elif node.type == "addmm" and edge.operand == 0:
        axes = "broadcast axes" if edge.value.size != node.outputs[0].size else ""
    elif node.type in ("mse_loss", "l1_loss"):
        whole = math.prod(_broadcast(*shapes))
        axes = "broadcast axes" if edge.value.size != whole else ""
    return latex.replace(" = ", rf" = \sum_{{\text{{{axes}}}}}", 1) if axes else latex


def _summed(edge: Edge, quotient: str, formula: str) -> str:
    """The gradient of an operand that the op has broadcast."""
    came, sent = _symbol(edge.consumer), _symbol(edge.producer)
    total = rf"\bar{{{sent}}} = \sum\bar{{{came}}}\cdot {quotient}"
    return rf"{total},\quad {formula}{_shapes(edge)}"


def _shapes(edge: Edge) -> str:
    """In words: a bare number behind the gradient's name reads as its value."""
    came, sent = edge.consumer.outputs[0].shape, edge.value.shape
    return rf"\qquad \text{{shape }}{shape_of(came)}\to {shape_of(sent)}"


def _trick_arguments(node: Node) -> dict[str, str]:
    found = {}
    for index, word in enumerate(TRICK_ARGUMENTS.get(node.type, ()), start=1):
        name, _, default = word.partition("=")
        keyword = {"limit": "max_norm"}.get(name, name)
        value = node.args[index] if len(node.args) > index else node.kwargs.get(keyword)
        value = _default(default) if value is None else value
        if isinstance(value, Slot):
            found[name] = _symbol(node.operands[value.place].producer)
        else:
            found[name] = latex_number(_float(value))
    return found


def terms(edge: Edge, index: Sequence[int], most: int = 6) -> list[tuple[tuple[int, ...], float]]:
    """What a broadcast operand's gradient is a sum of: places in the output, and local there.

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
