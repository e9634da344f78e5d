"""The sum that a leaf's gradient is: what each edge brings, and what a cut holds back."""

from collections.abc import Collection, Sequence

from lessons.gradient_tricks.recorder import Edge, Node, Recording
from lessons.gradient_tricks.recorder.recording.plain_tensor import place, spelled
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

MOST_TERMS = 4
"""Terms of the longest sum that is written out."""
DIGITS = 4

Pieces = list[tuple[str, bool]]
"""Text, piece by piece, and whether it is struck out."""


def equation(recording: Recording, nodes: Collection[Node], index: Sequence[int] = ()) -> Pieces:
    """dy/dx as the sum over the edges of x, terms that are cut struck out.

    It is for the only input that can have a gradient, or for the only one with several paths.
    Empty where there is no such input, before a backward pass, and where the sum is too long. An
    output whose name another node has, too, isn't named.

    >>> import torch
    >>> from lessons.gradient_tricks.recorder import record
    >>> x = torch.tensor(4.0, requires_grad=True)
    >>> with record({"x": x}, cuts=[("pow", 0)]) as recording:
    ...     y = x**2 * x
    >>> equation(recording.backward(y), list(recording))
    [('dy/dx = ', False), ('32', True), (' + ', False), ('16', False), (' = 16', False)]
    """
    if recording.output is None:
        return []
    inputs = [node for node in nodes if node.kind == "input" and node.requires_grad]
    ways = {
        node.name: [edge for edge in recording.consumers(node) if edge.offered is not None]
        for node in inputs
    }
    if len(inputs) > 1:
        inputs = [node for node in inputs if len(ways[node.name]) > 1]
    if len(inputs) != 1 or len(ways[inputs[0].name]) > MOST_TERMS:
        return []
    (leaf,) = inputs
    gradient = recording.gradients.get(leaf.name)
    total = None if gradient is None else gradient.component(place(index, gradient.shape))
    output = recording.nodes[recording.output].variable
    alone = output and [node.variable for node in recording].count(output) == 1
    name = f"d{output}/d{leaf.label}" if alone else WORDS("gradient_of", name=leaf.label)
    pieces: Pieces = [(f"{name} = ", False)]
    edges = ways[leaf.name]
    if len(edges) > 1 or any(edge.cut for edge in edges):
        for number, edge in enumerate(edges):
            pieces += _term(edge, index, first=number == 0)
        pieces.append((" = ", False))
    before, _ = pieces.pop()
    return [*pieces, (f"{before}{spelled(total, DIGITS)}", False)]


def _term(edge: Edge, index: Sequence[int], first: bool) -> Pieces:
    assert edge.offered is not None
    text = spelled(edge.offered.component(index), DIGITS)
    if first:
        return [(text, edge.cut)]
    sign = "−" if text.startswith("−") else "+"
    return [(f" {sign} ", False), (text.removeprefix("−"), edge.cut)]


def unknown(pieces: Pieces) -> Pieces:
    """Hide an equation's right side before the answer."""
    name, _, _ = pieces[0][0].partition(" = ") if pieces else ("", "", "")
    return [(f"{name} = ?", False)] if pieces else []
