"""What a run showed that is no fault by itself: where gradients stop on the way, and the like."""

from collections.abc import Iterator

from ..recorder import Node
from .copies import copies
from .graph import Graph
from .partial import perhaps_partial
from .stops import called, stop
from .watch import Run
from .zeros import zeros

MOST = 20
"""Notes on places where a gradient stops."""


def notes(run: Run, told: set[str | None]) -> list[str]:
    """Sentences; `told` are the nodes of which a fault speaks."""
    graph = Graph(run.recording)
    seen = [*dict.fromkeys(_stops(run, graph, told)), *perhaps_partial(run, graph, told)]
    more = [f"{len(seen) - MOST} more stop likewise."] if len(seen) > MOST else []
    warned = (f"Warned: {one[:300]}" for one in run.warned)
    usual = [*copies(run, graph).values(), *(says for _, says, *_ in zeros(run, graph, True))]
    return [*dict.fromkeys(usual), *seen[:MOST], *more, *warned]


def _stops(run: Run, graph: Graph, told: set[str | None]) -> Iterator[str]:
    """Where a gradient could have gone on and did not, line by line."""
    for node in run.recording:
        read = [edge.producer for edge in node.operands if edge.producer.requires_grad]
        if node.kind == "stopped" and read and not _edited_by(run, graph, node):
            why = stop(run, graph, node)
            yield f"{why.says} {called(read[0])} gets nothing from there."


def _edited_by(run: Run, graph: Graph, node: Node) -> bool:
    """Whether it was made only to change the numbers, as in y.detach().numpy()[0] = 5."""
    changed = any(one.stale for one in run.recording)
    return changed and node.name not in graph.consumers and node.name != run.recording.output
