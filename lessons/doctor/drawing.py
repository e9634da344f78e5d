"""The graph of a run as SVG, and what a browser needs to step through it; no script is needed to
see it.
"""

from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from ..recorder.picture.backward_steps import backward_steps, steps_through
from ..recorder.picture.graph_drawing import picture
from ..recorder.picture.places import LINE, PILL
from ..recorder.recording.plain_tensor import unflat
from .graph import Graph, bad_place
from .run import Run
from .words import Fault

WHOLE = 240
"""Nodes that are drawn all together; of a longer program a part is drawn."""
PART = 80
HEAVY = 1_000_000
"""Weights of a model that is told by its modules."""
MARGIN = 14.0


class Drawn(NamedTuple):
    """`spec` as the recorder's picture gives it; `whole` whether all ops are on it."""

    spec: dict[str, Any]
    whole: bool
    around: str


def drawn(run: Run, faults: list[Fault]) -> Drawn | None:
    """The drawing: all of a small program, of a larger one what lies around the first fault.

    None where no op ran, and for a large model without faults, which its modules tell.
    """
    recording = run.recording
    graph = run.graph
    used = [
        node.name for node in recording
        if not node.leaf or node.name in graph.consumers or node.name == recording.output
    ]  # fmt: skip
    if not used:
        return None
    index = _index(run, faults)
    whole = len(used) <= WHOLE and run.weights < HEAVY
    focus = next((one.node for one in faults if one.node in set(used)), None)
    if focus is None and run.weights >= HEAVY:
        return None
    focus = focus or recording.output or used[-1]
    if whole:
        steps = backward_steps(recording, index) if recording.output else []
        return Drawn(picture(recording, index, only=set(used), steps=steps), True, focus)
    part = _around(graph, focus)
    steps = steps_through(recording, part, index)
    return Drawn(picture(recording, index, only=part, steps=steps), False, focus)


def _index(run: Run, faults: list[Fault]) -> tuple[int, ...]:
    """The component of each tensor that is shown: one that is not finite, or the first."""
    for fault in faults:
        node = run.recording.nodes.get(fault.node or "")
        if node is None or not fault.kind.startswith("nonfinite"):
            continue
        values = [*node.outputs, *(edge.offered for edge in node.operands)]
        for value in values:
            place = bad_place(value)
            if value is not None and place is not None:
                return unflat(place, value.shape)
    return ()


def _around(graph: Graph, focus: str) -> set[str]:
    """The nodes nearest to `focus`, both ways, and the leaves that they read."""
    nodes = graph.recording.nodes
    found, ring = {focus}, [focus]
    while ring and len(found) < PART:
        further = []
        for name in ring:
            near = [edge.producer.name for edge in nodes[name].operands]
            near += [edge.consumer.name for edge in graph.consumers.get(name, ())[:8]]
            if nodes[name].leaf and name != focus:
                continue  # a weight that all share would lead everywhere
            further += [one for one in near if one not in found]
            found.update(near)
        ring = further
    return found


def svg(spec: dict[str, Any]) -> str:
    """The picture as one SVG element; each node and edge is a group with its id."""
    places = spec["narrow"]
    width, height = places["width"] + 2 * MARGIN, places["height"] + 2 * MARGIN
    parts = [
        f'<svg class="graph" role="group" viewBox="{-MARGIN} {-MARGIN} {width:g} {height:g}" '
        f'style="--width:{width:g}px" aria-label="The graph: {len(spec["nodes"])} nodes, '
        f'{len(spec["edges"])} edges. Arrow keys go through them.">'
    ]
    for kind, drawn_as in (("edges", _edge), ("nodes", _node)):
        parts += [drawn_as(one | at) for one, at in zip(spec[kind], places[kind], strict=True)]
    return "".join([*parts, "</svg>"])


def _edge(edge: dict[str, Any]) -> str:
    route = edge["route"]
    (x, y), label = route[-1], edge["gradient"]
    wide = 7.2 * len(label) + 6 if label else 0
    thick = 1.6 + 4 * float(edge["weight"])
    return (
        f'<g class="edge" data-id="{escape(edge["id"], True)}" data-state="{edge["state"]}" '
        f'data-sign="{edge["sign"]}"{_stale(edge)} role="img" tabindex="-1" '
        f'aria-label="{escape(edge["alternative"], True)}">'
        f'<path class="hit" d="{_curve(route)}"/><path class="way" d="{_curve(route)}"/>'
        f'<path class="sent" d="{_curve(route)}" stroke-width="{thick:.2f}"/>'
        f'<path class="forth" d="M{x - 4:g},{y - 7:g}L{x + 4:g},{y - 7:g}L{x:g},{y:g}Z"/>'
        f'<rect class="plate" x="{edge["x"] - wide / 2:g}" y="{edge["y"] - 8:g}" '
        f'width="{wide:g}" height="16"/>'
        f'<text class="gradient" x="{edge["x"]:g}" y="{edge["y"]:g}">{escape(label)}</text></g>'
    )


def _node(node: dict[str, Any]) -> str:
    width, height, (*lines, value) = node["width"], node["height"], node["lines"]
    round_ = min(height / 2 if node["kind"] == "input" else 5, 16)
    first = (1 - len(lines)) * LINE / 2
    texts = "".join(
        f'<tspan x="{-PILL[0] / 2:g}" y="{first + place * LINE:g}"'
        f"{' class=does' * bool(place)}>{escape(line)}</tspan>"
        for place, line in enumerate(lines)
    )
    texts += f'<tspan class="value" x="{(width - PILL[0]) / 2:g}" y="0">{escape(value)}</tspan>'
    spoken = f"{node['label']}: {node['type']}, value {node['value']}"
    return (
        f'<g class="node" data-id="{escape(node["id"], True)}" data-kind="{node["kind"]}"'
        f'{_stale(node)} role="img" tabindex="-1" aria-label="{escape(spoken, True)}" '
        f'transform="translate({node["x"]:g} {node["y"]:g})">'
        f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}" '
        f'rx="{round_:g}"/><text>{texts}</text></g>'
    )


def _stale(entry: dict[str, Any]) -> str:
    return ' data-stale=""' if entry["stale"] else ""


def _curve(route: list[list[float]]) -> str:
    path = f"M{route[0][0]:g},{route[0][1]:g}"
    for (x, y), (to_x, to_y) in pairwise(route):
        middle = (y + to_y) / 2
        path += (
            f"L{to_x:g},{to_y:g}" if x == to_x
            else f"C{x:g},{middle:g} {to_x:g},{middle:g} {to_x:g},{to_y:g}"
        )  # fmt: skip
    return path
