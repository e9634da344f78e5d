"""What a run showed that is no fault by itself: where gradients stop on the way, and the like."""

from collections.abc import Iterator

from ..recorder import Node
from ..recorder.recording.variables import in_line
from ..text import listed
from .cuts import first_read, met_again
from .run import Run
from .stops import stops
from .words import Fault, called, spelled

MOST = 20
"""Notes on places where a gradient stops."""


def notes(run: Run, faults: list[Fault], meant: list[str]) -> list[str]:
    """Sentences, on what is `meant` too; a node of which a fault speaks has no other."""
    told, hidden = {one.node for one in faults}, run.watch.hidden
    usual = [f"{hidden} is opaque here: nothing inside was looked at."] if hidden else []
    if run.watch.compiled:
        usual.append(
            f"{run.watch.compiled} ran op by op, as its source says: torch.compile is off while "
            "the program is watched. Compiled, it may round numbers differently."
        )
    if run.idle:
        usual.append(
            f"The optimizer of {listed(run.idle)} made no step while the program was watched, so "
            "nothing is said of these. --steps watches longer."
        )
    usual += [*_applied(run), *meant]
    seen = [*dict.fromkeys(_stops(run, told))]
    more = [f"{len(seen) - MOST} more stop likewise."] if len(seen) > MOST else []
    warned = (f"Warned: {one[:300]}" for one in dict.fromkeys(run.watch.warned))
    return [*dict.fromkeys(usual), *seen[:MOST], *more, *warned]


def _stops(run: Run, told: set[str | None]) -> Iterator[str]:
    """Where on the way to the result a gradient could have gone on and did not, each line once."""
    wanted = set(run.wanted)
    if not any(node.stale for node in run.recording):  # those were made to change the numbers
        wanted |= {one.node for one in run.recording.left if one.call in ("numpy", "__array__")}
    compared = run.graph.before(_constant_terms(run))
    live = {node.name for node in run.recording if node.requires_grad}
    for why, names in stops(run, live, wanted):
        nodes = [run.recording.nodes[name] for name in names]
        is_torchs = nodes[0].off is not None and nodes[0].off.how == "torch"
        if is_torchs or told.intersection(names):  # torch knows what it does
            continue
        if nodes[0].kind == "stopped":
            read = next(one.producer for one in nodes[0].operands if one.producer.requires_grad)
            yield f"{why.says} {called(read)} gets nothing from there.{_back(run, nodes[0])}"
        elif any(_is_whole(node, compared) for node in nodes):
            hit = listed(run.leaves_before(*names))
            yield f"{why.says} {hit} learn by other paths alone. {why.do}"


def _is_whole(node: Node, compared: set[str]) -> bool:
    """Whether an op gives whole numbers, or compares for a term of the result."""
    dtype = node.outputs[0].dtype
    chosen = dtype.startswith("int") or (dtype == "bool" and node.name in compared)
    return chosen and not node.requires_grad


def _constant_terms(run: Run) -> set[str]:
    """Numbers that were computed, have no gradient, and are added to one that has."""
    return {
        edge.producer.name for node in run.recording
        if node.type == "add" and node.name in run.wanted and node.requires_grad
        for edge in node.operands
        if not (edge.producer.requires_grad or edge.producer.leaf) and edge.value.size == 1
    }  # fmt: skip


def _back(run: Run, node: Node) -> str:
    """Where the numbers of a stopped node are read as a constant, after they had left torch."""
    left = [one for one in run.recording.left if one.node == node.name]
    back = [met for one in left for met in met_again(run, one) if met.name in run.graph.consumers]
    if not back or {*node.outputs[0].numbers} <= {-1, 0, 1}:  # torch.ones makes them too
        return ""
    return f" Its numbers came back as a constant{first_read(run, back[0])}."


def _applied(run: Run) -> Iterator[str]:
    """Functions of the program's own that pass the value and change the gradient by a factor."""
    for node in run.recording:
        edge, upstream = next((one for one in node.operands if one.flows), None), node.gradient
        if node.function != "apply" or edge is None or edge.offered is None or upstream is None:
            continue
        sent = edge.offered.numbers
        if not node.outputs[0].same_as(edge.value) or len(upstream.numbers) != len(sent):
            continue
        factors = [b / a for a, b in zip(upstream.numbers, sent, strict=True) if a]
        if factors and max(factors) - min(factors) <= 1e-4 * abs(factors[0]) and factors[0] != 1:
            kept = factors[0] > 0
            yield (
                f"{node.type}.apply{in_line(node.place)} passes the value and multiplies the "
                f"gradient by {'+' * kept}{spelled(factors[0])}: it is {'not ' * kept}reversed."
            )
