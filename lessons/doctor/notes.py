"""What a run showed that is no fault by itself: where gradients stop on the way, and the like."""

from collections.abc import Iterator

from ..recorder import Node
from ..recorder.recording.variables import in_line, line_of
from ..text import listed
from .copies import copies
from .cuts import ends, first_read, leaves_before
from .graph import Graph
from .partial import perhaps_partial
from .stops import called, stop
from .watch import Run
from .words import spelled
from .zeros import zeros

MOST = 20
"""Notes on places where a gradient stops."""


def notes(run: Run, told: set[str | None]) -> list[str]:
    """Sentences; `told` are the nodes of which a fault speaks."""
    graph = Graph(run.recording)
    seen = [*dict.fromkeys(_stops(run, graph, told)), *perhaps_partial(run, graph, told)]
    more = [f"{len(seen) - MOST} more stop likewise."] if len(seen) > MOST else []
    warned = (f"Warned: {one[:300]}" for one in run.warned)
    hidden = run.watch.hidden
    usual = [
        *_idle(run),
        *([f"{hidden} is opaque here: nothing inside was looked at."] if hidden else []),
        *_applied(run),
        *copies(run, graph, ends(run)).values(),
        *(says for _, says, *_ in zeros(run, graph, True)),
    ]
    return [*dict.fromkeys(usual), *seen[:MOST], *more, *warned]


def _idle(run: Run) -> Iterator[str]:
    """Weights of which nothing is said, as their optimizer made no step while it was watched."""
    idle, tensors = run.watch.optimizers.idle(), run.watch.leaves.tensors
    names = [
        name for name in run.gradients
        if id(tensors.get(name)) in idle
    ]  # fmt: skip
    if names:
        yield (
            f"The optimizer of {listed(names)} made no step while the program was watched, so "
            "nothing is said of these. --steps watches longer."
        )


def _stops(run: Run, graph: Graph, told: set[str | None]) -> Iterator[str]:
    """Where on the way to the result a gradient could have gone on and did not, each line once."""
    wanted, told_of = graph.before(ends(run)), set[tuple[str, str]]()
    if not any(node.stale for node in run.recording):  # those were made to change the numbers
        wanted |= {one.node for one in run.recording.left if one.call in ("numpy", "__array__")}
    found: dict[tuple[str, str], str] = {}
    for node in run.recording:
        read = [edge.producer for edge in node.operands if edge.producer.requires_grad]
        whole = not node.requires_grad and node.outputs[0].dtype.startswith("int")
        if not read or node.name not in wanted or not (node.kind == "stopped" or whole):
            continue
        if node.off is not None and node.off.how == "torch":  # it knows what it does
            continue
        why = stop(run, graph, node)
        key = why.kind, line_of(why.where)
        if node.name in told:
            told_of.add(key)
        elif node.kind == "stopped":
            found.setdefault(
                key,
                f"{why.says} {called(read[0])} gets nothing from there.{_back(run, graph, node)}",
            )
        else:
            hit = listed(leaves_before(run, graph, node.name))
            found.setdefault(key, f"{why.says} {hit} learn by other paths alone. {why.do}")
    yield from (says for key, says in found.items() if key not in told_of)


def _back(run: Run, graph: Graph, node: Node) -> str:
    """Where the numbers of a stopped node are read as a constant, after they had left torch."""
    value = node.outputs[0]
    back = [
        one for left in run.recording.left if left.node == node.name
        for one in list(run.recording)[left.count :]
        if one.name in graph.consumers and one.leaf and one.outputs[0].same_as(value)
    ]  # fmt: skip
    if not back or {*value.numbers} <= {-1, 0, 1}:  # torch.ones and torch.zeros make them too
        return ""
    return f" Its numbers came back as a constant{first_read(graph, back[0])}."


def _applied(run: Run) -> Iterator[str]:
    """Functions of the program's own that pass the value and change the gradient by a factor."""
    for node in run.recording:
        edge = next((one for one in node.operands if one.flows), None)
        came = node.upstream[0] if node.upstream else None
        sent = None if edge is None else edge.offered
        if node.function != "apply" or edge is None or sent is None or came is None:
            continue
        if not node.outputs[0].same_as(edge.value) or len(came.numbers) != len(sent.numbers):
            continue
        factors = [b / a for a, b in zip(came.numbers, sent.numbers, strict=True) if a]
        if factors and max(factors) - min(factors) <= 1e-4 * abs(factors[0]) and factors[0] != 1:
            kept = factors[0] > 0
            yield (
                f"{node.type}.apply{in_line(node.place)} passes the value and multiplies the "
                f"gradient by {'+' * kept}{spelled(factors[0])}: it is {'not ' * kept}reversed."
            )
