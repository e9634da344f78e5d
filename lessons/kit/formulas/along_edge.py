r"""The gradient along one edge of an op, as LaTeX, with the numbers filled in.

Elementwise ops have a local derivative, a number for each component (elementwise.py); the others a
vector-Jacobian product, stated with the shapes (products.py). `\bar{x}` is the gradient of x.
"""

from collections.abc import Sequence
from typing import Any

from lessons.gradient_tricks.recorder import Edge, Node
from lessons.gradient_tricks.recorder.derivatives import default_of, local
from lessons.gradient_tricks.text.words import Texts
from lessons.gradient_tricks.tricks.rule import Slot
from lessons.kit.formulas.elementwise import FORMULAS
from lessons.kit.formulas.products import PRODUCTS, TRICK_ARGUMENTS
from lessons.kit.formulas.symbols import filled, latex_number, shape_of, symbol, words

WORDS = Texts(__file__)


def rule(edge: Edge, index: Sequence[int] = ()) -> str:
    r"""The rule along `edge` at the component `index` of its consumer's output.

    Elementwise: `\frac{\partial z}{\partial y} = formula = formula with numbers = number`. Of a
    broadcast operand the gradient is a sum over many local derivatives: the formula and the shapes.
    Others: the vector-Jacobian product and the shapes. An overridden op: the name of its rule.
    """
    node = edge.consumer
    if node.kind == "overridden":
        return _overridden(edge)
    found = local(edge, index)
    if found is None or node.type not in FORMULAS:
        return _product(edge)
    latex, in_numbers = FORMULAS[node.type][found.own]
    names = {"z": _symbol(node)} | {name: _text(node, one) for name, one in found.given.items()}
    quotient = rf"\frac{{\partial {_symbol(node)}}}{{\partial {_symbol(edge.producer)}}}"
    formula = f"{quotient} = {filled(latex, names)}"
    if edge.value.size < node.outputs[0].size:
        return _summed(edge, quotient, formula)
    if found.value is None:
        return formula
    texts = {name: latex_number(_float(number)) for name, number in found.numbers.items()}
    steps = [filled(latex, names), filled(in_numbers or latex, texts)]
    if node.stale:  # the formula holds for what the op saw, the number for what stands there now
        steps = []
    return " = ".join(dict.fromkeys([quotient, *steps, latex_number(found.value)]))


def _text(node: Node, argument: Any) -> str:
    if isinstance(argument, Slot):
        return _symbol(node.operands[argument.place].producer)
    return latex_number(_float(argument))


def _symbol(node: Node) -> str:
    return symbol(node.label)


def _overridden(edge: Edge) -> str:
    name = words(edge.consumer.rule or WORDS("rule"))
    return (
        rf"\bar{{{_symbol(edge.producer)}}} = {name}(\text{{op}}, \bar{{{_symbol(edge.consumer)}}})"
        rf"_{{{edge.operand}}}"
    )


def _product(edge: Edge) -> str:
    node = edge.consumer
    letters = "ab"  # no product has more operands
    names = {letters[i]: _symbol(operand.producer) for i, operand in enumerate(node.operands[:2])}
    names["z"] = _symbol(node)
    names |= _trick_arguments(node)
    texts = PRODUCTS.get(node.type)
    if texts is None:
        latex = r"\bar{@a} = J^{\top}\,\bar{@z}"
        names["a"] = _symbol(edge.producer)
    else:
        index = min(edge.operand, len(texts) - 1)
        latex = texts[index]
        names[letters[index]] = _symbol(edge.producer)
    return filled(latex, names) + _shapes(edge)


def _summed(edge: Edge, quotient: str, formula: str) -> str:
    """The gradient of an operand that the op has broadcast."""
    came, sent = _symbol(edge.consumer), _symbol(edge.producer)
    total = rf"\bar{{{sent}}} = \sum\bar{{{came}}}\cdot {quotient}"
    return rf"{total},\quad {formula}{_shapes(edge)}"


def _shapes(edge: Edge) -> str:
    """Say “shape”: a bare number next to the gradient's name reads as its value."""
    came, sent = edge.consumer.outputs[0].shape, edge.value.shape
    shape = words(f"{WORDS('shape')} ")
    return rf"\qquad {shape}{shape_of(came)}\to {shape_of(sent)}"


def _trick_arguments(node: Node) -> dict[str, str]:
    found = {}
    for index, word in enumerate(TRICK_ARGUMENTS.get(node.type, ()), start=1):
        name, _, default = word.partition("=")
        keyword = {"limit": "max_norm"}.get(name, name)
        value = node.args[index] if len(node.args) > index else node.kwargs.get(keyword)
        found[name] = _text(node, default_of(default) if value is None else value)
    return found


def _float(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
