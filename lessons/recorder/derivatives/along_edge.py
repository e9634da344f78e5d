r"""What an op does to the gradient along one edge, as LaTeX, with the numbers put in.

Elementwise ops have a local derivative, a number for each component (elementwise.py); the others a
vector-Jacobian product, stated with the shapes (products.py). `\bar{x}` is the gradient of x.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch

from ...tricks.rule import Slot
from ..recording.nodes import Edge, Node
from ..recording.plain_tensor import NOT_KEPT, place
from ..torch_private import unseen
from .elementwise import ELEMENTWISE, KEYWORDS, Local, Numbers
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
    numbers: "_OnDemand"
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
    texts = {name: latex_number(_float(operand)) for name, operand in numbers.plain.items()}
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
    numbers, names, own = _bound(node, index)
    local = row.locals.get(own.get(edge.operand, ""))
    if local is None or not _as_autograd_reads(edge, index):
        return None
    if any(operand is NOT_KEPT for operand in numbers.plain.values()):
        return _Found(local, names, numbers, None)
    value = _evaluated(local.value, numbers)
    known = value == value or not _number_was_sent(edge, index)
    return _Found(local, names, numbers, value if known else None)


def _complex(node: Node) -> bool:
    """Whether complex numbers are in it: the formulas are those of real ones."""
    values = (*node.outputs, *(edge.value for edge in node.operands))
    return any(value.dtype.startswith("complex") for value in values)


def _number_was_sent(edge: Edge, index: Sequence[int]) -> bool:
    """Whether autograd sent a number on here, and so had a local derivative that is one.

    A formula may be undefined there all the same: of dropout it is z / a, where a may be 0.
    """
    sent = edge.offered
    if sent is None or sent.shape != edge.consumer.outputs[0].shape:
        return False
    number = sent.component(index)
    return bool(number == number)


def _as_autograd_reads(edge: Edge, index: Sequence[int]) -> bool:
    """Whether the table's formula gives what autograd sent, where the op's tensors were changed.

    Torch may read another tensor than the formula: of relu it keeps the output, not the input.
    """
    node = edge.consumer
    if not node.stale:
        return True
    upstream, sent = node.upstream[0], edge.offered
    if upstream is None or sent is None or sent.shape != node.outputs[0].shape:
        return False
    numbers, _, own = _bound(node, index)
    local = ELEMENTWISE[node.type].locals[own[edge.operand]]
    expected = upstream.component(index) * _evaluated(local.value, numbers)
    apart = abs(expected - sent.component(index))
    return bool(apart <= 1e-3 * abs(expected)) or expected != expected


def _evaluated(value: Callable[[Numbers], Any], numbers: Numbers) -> float:
    with unseen():
        return float(value(numbers))


@lru_cache(256)
def _signature(op_type: str) -> tuple[tuple[str, Any], ...]:
    """The names and defaults of the operands of an elementwise op."""
    words = [word.partition("=") for word in ELEMENTWISE[op_type].operands.split()]
    return tuple((name, _default(default)) for name, _, default in words)


class _OnDemand(Numbers):
    """Numbers of an op: tensors where a formula is evaluated, each made as it is read.

    ``plain`` has them all as numbers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.plain: dict[str, Any] = {}

    def __missing__(self, name: str) -> torch.Tensor:
        made = self[name] = torch.tensor(self.plain[name], dtype=torch.float64)
        return made


def _bound(node: Node, index: Sequence[int]) -> tuple[_OnDemand, dict[str, str], dict[int, str]]:
    """Numbers and symbols by the names of the row, and the name of each tensor operand."""
    given: dict[str, Any] = dict(_signature(node.type))
    order = list(given)
    if node.function in ("clamp_max", "clamp_max_"):
        order.remove("low")
    given |= dict(zip(order, node.args, strict=False))
    given |= {KEYWORDS.get(word, word): value for word, value in node.kwargs.items()}
    read = next((one.now for one in node.stale if one.output == 0), None) or node.outputs[0]
    numbers = _OnDemand()
    numbers.plain["z"] = _real(read.component(index))
    symbols, own = {"z": _symbol(node)}, {}
    for name, value in given.items():
        if isinstance(value, Slot):
            operand = node.operands[value.place]
            own[value.place] = name
            read = (operand.stale.now if operand.stale else None) or operand.value
            numbers.plain[name] = _real(read.component(index))
            symbols[name] = _symbol(operand.producer)
        else:
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            numbers.plain[name] = value
            if not (name in ("a", "b", "c") and is_number):
                numbers[name] = float(value) if is_number else value
            symbols[name] = latex_number(_float(value))
    return numbers, symbols, own


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
