"""Gradients that lack a part: numbers came back as constants, next to paths that carry a gradient.

Python can't say whether the number that an op reads is the one that left torch. We take it for that
one if it is the same float and no literal of the source. The other kind is the result of `grad()`
without create_graph in a loss.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..recorder import Left, Node, Where, in_line, line_of, reached
from ..text import listed, number
from .run import Run
from .shapes import DISTANCES, RESHAPE
from .source import floats_around
from .stops import derived, left_by, soft, stop
from .words import WORDS, Fault, called, how_stopped

_READ_PLAIN = frozenset((
    "add", "sub", "rsub", "mul", "div", "pow", "maximum", "minimum", "clamp", "where", "lerp",
    "setitem", "masked_fill", "fill", "fill_",
))  # fmt: skip
"""Ops whose plain operands are numbers of the program's, and not dims or an eps."""
_COPIES = frozenset(("tensor", "as_tensor", "new_tensor", "Parameter"))
"""Ops that copy numbers, which nobody calls to stop a gradient."""
_FLOATS = ("float", "bfloat")
_SUMS = frozenset(("add", "sub", "rsub"))
_FACTORS = frozenset(("mul", "div", "pow", "matmul", "mm", "bmm", "linear", "einsum"))
_LINEAR = RESHAPE | _SUMS | {"neg", "sum", "mean", "stack", "cat", "to", "mul", "div"}


def partial_cuts(run: Run, explained: set[str | None]) -> Iterator[Fault]:
    """Yield a fault for each copy or number that came back as a constant.

    None for a node that a fault has `explained`.
    """
    if run.broke_off or run.result is None:
        return
    learn = [name for name, one in run.gradients.items() if one.norm is not None]
    live = run.graph.after([one for one in learn if one in run.recording.nodes], flowing=True)
    ends = run.graph.ends(live)
    for node in ends:
        if node.type in _COPIES and node.name in run.wanted and node.name not in explained:
            why = stop(run, node, live)
            says = f"{why.says} {_lacks(run, node.name)}"
            do = f"{why.do} If a constant is meant, write .detach() to say so."
            kind = "note" if _is_chosen(run, node) else "left_torch"
            yield replace(why, kind=kind, says=says, do=do)
    yield from _constant_terms(run, ends, live)
    chosen = {node.name for node in ends if node.kind != "stopped" or node.type == "stop_gradient"}
    left = [one for one in run.recording.left if _copied(run, one).name in live | chosen]
    yield from _returned(run, left, chosen, explained) if left else ()


def _returned(
    run: Run, several: list[Left], chosen: set[str], explained: set[str | None]
) -> Iterator[Fault]:
    """Yield a fault for each number that left torch and came back.

    It is a note for the nodes in `chosen`, which are detached or whole numbers, and for weights and
    targets. A loop may go through the same line often.
    """
    met = {(one.call, line_of(one.place)) for one in run.recording.left if one.node in explained}
    for left in several:
        node, key = _copied(run, left), (left.call, line_of(left.place))
        back = _came_back(run, left) if left.value.size == 1 and key not in met else None
        if back is None:
            continue
        met.add(key)
        reader, read, came_as = back
        by, op = f"{left_by(left)}{in_line(left.place)}", f"{reader.type}{in_line(reader.place)}"
        parts = {"name": called(node), "by": by, "what": came_as, "number": number(read, 4)}
        says = f"{WORDS('came_back', op=op, **parts)} {_lacks(run, left.node)}"
        if _is_chosen(run, reader):
            yield Fault("note", says)
        elif node.name in chosen:
            do = "" if node.type == "stop_gradient" else f" {soft(node)}"
            yield Fault("note", f"{says}{do}")
        else:
            do = f"If a constant is meant, write .detach() in place of {left_by(left)} to say so; "
            yield Fault("left_torch", says, f"{do}otherwise use the tensor itself.", left.node)


def _came_back(run: Run, left: Left) -> tuple[Node, float, str] | None:
    """The op that reads a number after it left torch, or a literal of the source times it."""
    value, later = float(left.value.numbers[0]), [*run.recording][left.count :]
    new = {one.name for one in later if one.leaf and one.outputs[0].dtype.startswith(_FLOATS)}
    new -= {*run.gradients, *run.frozen, *run.given}
    for node in later:
        if node.name not in run.wanted:
            continue
        literals = floats_around(node.place[0], node.place[1][0]) if node.place else frozenset()
        plain = [one for one in node.numbers if isinstance(one, float)]
        read = [(one, "plain number") for one in plain if node.type in _READ_PLAIN]
        for edge in node.operands:
            if edge.producer.name in new:
                read += [(float(one), "constant") for one in edge.value.numbers]
        for one, came_as in read:
            if one in literals or one in (-1.0, 0.0, 1.0):  # these come from anywhere
                continue
            is_computed = float(f"{one:.4g}") != one  # more digits than a person writes
            if one == value or (is_computed and any(one == value * by for by in literals)):
                return node, one, came_as
    return None


def _is_chosen(run: Run, node: Node) -> bool:
    """Whether a constant only scales what has a gradient, or is its target: that may be meant."""
    readers = _first_live(run, node)
    return bool(readers) and all(
        one.type in _FACTORS | DISTANCES or (one.type in ("sub", "rsub") and not is_term(run, one))
        for one in readers
    )


def _constant_terms(run: Run, ends: list[Node], live: set[str]) -> Iterator[Fault]:
    """Yield a fault for a term made of a parameter's own `.data`, a note for one under no_grad."""
    met = set[Where | None]()
    for node in run.recording:
        if node.type not in _SUMS or not node.requires_grad or node.name not in run.wanted:
            continue
        for term in (edge.producer for edge in node.operands):
            before = run.graph.before([term.name]) if not (term.requires_grad or term.leaf) else ()
            cut = next((one for one in ends if one.name in before), None)
            if cut is None or cut.place in met or not is_term(run, node):
                continue
            met.add(cut.place)
            why, read = stop(run, cut, live), cut.operands[0].producer
            says = f"{why.says} So {called(term)}{in_line(term.place)} is a constant of the loss."
            if read.type == "parameter" and read.leaf and how_stopped(cut) == ".data":
                do = f"Write {read.label} without .data."
                yield Fault("constant_term", f"{says} {_lacks(run, cut.name)}", do, cut.name)
            elif why.kind == "no_grad" and why.where:
                yield Fault("note", f"{says} {_lacks(run, cut.name)}", node=cut.name)


def _copied(run: Run, left: Left) -> Node:
    """The node whose numbers left torch, before a copy to another device or dtype."""
    node = run.recording.nodes[left.node]
    while node.type == "to":
        node = node.operands[0].producer
    return node


def _lacks(run: Run, node: str) -> str:
    hit = run.leaves_before(node)
    lacks = f": that of {listed(hit)} lacks this part" if hit else ""
    return f"No gradient comes back through it{lacks}."


def slopes(run: Run, explained: set[str | None]) -> Iterator[Fault]:
    """Yield a fault for each `grad()` whose result is a term of the loss, or part of a residual.

    As a step, in FGSM or first-order MAML, and as a weight it is meant to be a constant, and the
    notes say so. A detached one is meant, too.
    """
    places = set[Where | None]()
    for node in run.recording:
        if node.type != "grad" or node.name in explained or node.place in places:
            continue
        readers = [
            one for one in _first_live(run, node)
            if run.ends & run.graph.after([one.name], flowing=True)
            and (is_term(run, one) or _is_residual(run, node, one))
        ]  # fmt: skip
        if readers:
            places.add(node.place)
            why, reads = stop(run, node), f"{readers[0].type}{in_line(readers[0].place)}"
            says = f"{why.says} {reads} puts it into the loss. {_lacks(run, node.name)}"
            yield replace(why, says=says)


def _first_live(run: Run, node: Node) -> list[Node]:
    """The ops that read a constant made of `node` together with what has a gradient."""

    def further(name: str) -> Iterator[str]:
        for edge in run.graph.consumers.get(name, ()) if name not in live else ():
            is_meant = edge.consumer.type == "stop_gradient" and not derived(edge.consumer)
            if edge.consumer.name in run.wanted and not is_meant:
                yield edge.consumer.name

    live = {one.name for one in run.recording if one.requires_grad}
    found = reached([node.name], further)
    met = live.intersection(found)
    return [one for one in run.recording if one.name in met]


def is_term(run: Run, reader: Node) -> bool:
    """Whether the constant is only added on the way to the result."""
    for name in run.graph.after([reader.name]) & run.wanted:
        node = run.recording.nodes[name]
        factors = sum(edge.producer.requires_grad for edge in node.operands)
        is_weight = node.type in ("mul", "div") and (factors > 1 or name == reader.name)
        if node.type not in _LINEAR or is_weight:
            return False
    return True


def _is_residual(run: Run, node: Node, reader: Node) -> bool:
    """Whether it is compared with an output of the same function, as in a differential equation."""
    inputs = {edge.producer.name for edge in node.operands[: len(node.args)]}
    made = run.graph.after(inputs) - inputs
    live = [edge.producer.name for edge in reader.operands if edge.producer.requires_grad]
    return reader.type in DISTANCES | _SUMS and bool(made.intersection(live))
