"""`grad()` without create_graph where the loss is made of what it gives: no part of it trains."""

from collections.abc import Iterator
from dataclasses import replace

from ..recorder import Node
from ..recorder.recording.variables import Where, in_line
from ..text import listed
from .run import Run
from .stops import derived, stop
from .words import Fault

_LINEAR = frozenset((
    "add", "sub", "rsub", "neg", "sum", "mean", "stack", "cat", "to", "view", "reshape", "squeeze",
    "unsqueeze", "flatten", "expand", "mul", "div", "getitem",
))  # fmt: skip
_COMPARE = frozenset((
    "add", "sub", "rsub", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
))  # fmt: skip


def slopes(run: Run, told: set[str | None]) -> Iterator[Fault]:
    """A fault for each `grad()` whose result stands in the loss as a term, or in a residual.

    As a step, in FGSM or first-order MAML, and as a weight it is meant to be a constant: that the
    notes say. So is one that is detached.
    """
    places = set[Where | None]()
    for node in run.recording:
        if node.type != "grad" or node.name in told or node.place in places:
            continue
        for reader in _first_live(run, node):
            if _is_term(run, reader) or _is_residual(run, node, reader):
                why = stop(run, node)
                places.add(node.place)
                hit = run.leaves_before(node.name)
                lacks = f": that of {listed(hit)} lacks this part" if hit else ""
                says = (
                    f"{why.says} {reader.type}{in_line(reader.place)} puts it into the loss, and "
                    f"no gradient comes back through it{lacks}."
                )
                yield replace(why, says=says)
                break


def _first_live(run: Run, node: Node) -> list[Node]:
    """The ops that read a constant made of `node` together with what has a gradient."""
    found: list[Node] = []
    met, waiting = {node.name}, [node]
    while waiting:
        for edge in run.graph.consumers.get(waiting.pop().name, ()):
            reader = edge.consumer
            meant = reader.type == "stop_gradient" and not derived(reader)
            if reader.name in met or reader.name not in run.wanted or meant:
                continue
            met.add(reader.name)
            (found if reader.requires_grad else waiting).append(reader)
    return found


def _is_term(run: Run, reader: Node) -> bool:
    """Whether the constant is only added on the way to the result."""
    for name in run.graph.after([reader.name]) & run.wanted:
        node = run.recording.nodes[name]
        factors = sum(edge.producer.requires_grad for edge in node.operands)
        if node.type not in _LINEAR or (node.type in ("mul", "div") and factors > 1):
            return False
        if node.type in ("mul", "div") and name == reader.name:  # a weight
            return False
    return True


def _is_residual(run: Run, node: Node, reader: Node) -> bool:
    """Whether it is compared with an output of the same function, as in a differential equation."""
    inputs = {edge.producer.name for edge in node.operands[: len(node.args)]}
    made = run.graph.after(inputs) - inputs
    live = [edge.producer.name for edge in reader.operands if edge.producer.requires_grad]
    return reader.type in _COMPARE and bool(made.intersection(live))
