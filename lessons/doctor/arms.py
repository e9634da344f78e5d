"""Two passes through the same weights whose gradients cancel, told once for all of the weights."""

from collections.abc import Iterator

from ..recorder import Edge, Node
from ..recorder.recording.variables import Sources, in_line, line_of
from ..text import listed
from .graph import zero
from .run import Run
from .source import cited
from .words import Fault, called


def arms(run: Run, left: list[str]) -> Iterator[tuple[Fault, list[str]]]:
    """A fault for each op whose two operands cancel in several leaves, with these leaves.

    Args:
        left: the leaves whose gradient is 0.
    """
    graph, found = run.graph, dict[str, list[str]]()
    for name in left:
        met = [one for one in graph.consumers.get(name, ()) if one.gradient is not None]
        if len(met) == 2 and not any(zero(one.gradient) for one in met):
            ways = [graph.after([one.consumer.name], live=True) for one in met]
            joint = next((one.name for one in run.recording if one.name in ways[0] & ways[1]), None)
            if joint is not None:
                found.setdefault(joint, []).append(name)
    for joint, names in found.items():
        node = run.recording.nodes[joint]
        both = [edge for edge in node.operands if edge.flows and edge.gradient is not None]
        if len(names) > 1 and len(both) == 2:
            yield _told(run, node, both, names), names


def _told(run: Run, node: Node, both: list[Edge], names: list[str]) -> Fault:
    paths = sorted((_path(edge.producer) for edge in both), key=lambda one: one[1])
    reader = run.graph.consumers[names[0]][0].consumer
    old = paths[0][0] if paths[0][0].isidentifier() else "old"
    return Fault(
        "zero_gradient",
        f"The gradient of {listed(names)} is 0 in every entry: the paths through "
        f"{' and '.join(f'{name} in {place}' for name, place in paths)}, both of which read "
        f"{names[0]} in {line_of(reader.place)}, meet at {node.type}{in_line(node.place)} and "
        "cancel.",
        f"If one of them should be fixed, as the old log-probabilities of PPO are, write "
        f"{old} = {old}.detach(), or compute it under torch.no_grad(), from a copy or before the "
        "weights change.",
        node.name,
    )


def _path(node: Node) -> tuple[str, str]:
    """What one operand is called, in the outermost line that computed it, and that line."""
    for place in (node.caller, node.place):
        names = Sources().names(place)
        if names and names[0]:
            return names[0], line_of(place)
    return node.variable or cited(node.place) or called(node), line_of(node.place)
