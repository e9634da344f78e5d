"""The graph of a run as SVG, and what a browser needs to step through it; no script is needed to
see it.
"""

import re
from collections.abc import Collection
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from ..recorder import Recording
from ..recorder.picture.graph_drawing import picture
from ..recorder.picture.places import LINE, PILL
from ..recorder.recording.plain_tensor import unflat
from .graph import Graph, bad_place
from .run import Run
from .words import Fault

MOST = 420
"""Nodes and edges of a program that is drawn whole; of a longer one a part is drawn."""
PART = 80
"""Nodes of such a part."""
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

    None where no op ran, where even the part has too many edges, and for a large model without
    faults, which its modules tell.
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
    focus = next((one.node for one in faults if one.node in set(used)), None)
    if focus is None and run.weights >= HEAVY:
        return None
    focus = focus or recording.output or used[-1]
    if run.weights < HEAVY and _size(recording, set(used)) <= MOST:
        return Drawn(picture(recording, index, only=set(used)), True, focus)
    part = _around(graph, focus)
    if _size(recording, part) > MOST:  # hundreds of edges between the same two
        return None
    return Drawn(picture(recording, index, only=part), False, focus)


def _size(recording: Recording, names: Collection[str]) -> int:
    """How many nodes and edges a drawing of these has."""
    edges = (edge for name in names for edge in recording.nodes[name].operands)
    return len(names) + sum(edge.producer.name in names for edge in edges)


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
    """The nodes nearest to `focus`, both ways."""
    nodes, found = graph.recording.nodes, [focus]
    for name in found:  # grows while it is walked
        if nodes[name].leaf and name != focus:
            continue  # a weight that all share would lead everywhere
        near = [edge.consumer.name for edge in graph.consumers.get(name, ())[:8]]
        near += [edge.producer.name for edge in nodes[name].operands]
        found += [one for one in dict.fromkeys(near) if one not in found]
        if len(found) >= PART:
            break
    return set(found[:PART])


def svg(spec: dict[str, Any]) -> str:
    """The picture as one SVG element; each node and edge is a group with its id."""
    places = spec["narrow"]
    width, height = places["width"] + 2 * MARGIN, places["height"] + 2 * MARGIN
    parts = [
        f'<svg class="graph" role="group" viewBox="{-MARGIN} {-MARGIN} {width:g} {height:g}" '
        f'style="--width:{width:g}px" aria-label="The graph: {len(spec["nodes"])} nodes, '
        f'{len(spec["edges"])} edges. Arrow keys go through them.">'
        '<marker id="forth" viewBox="0 0 8 7" refX="4" refY="7" markerWidth="8" markerHeight="7" '
        'markerUnits="userSpaceOnUse"><path d="M0,0L8,0L4,7Z"/></marker>'
    ]
    pairs = zip(spec["edges"], places["edges"], strict=True)
    parts += [_edge(edge | at, f"way{number}") for number, (edge, at) in enumerate(pairs)]
    parts += [_node(node | at) for node, at in zip(spec["nodes"], places["nodes"], strict=True)]
    return "".join([*parts, "</svg>"])


def _edge(edge: dict[str, Any], way: str) -> str:
    label = edge["gradient"]
    at = f'class="gradient" x="{edge["x"]:g}" y="{edge["y"]:g}"'
    text = f"<text {at}>{escape(label)}</text>" if label else ""
    thick = f'stroke-width="{1.6 + 4 * float(edge["weight"]):.2f}"'
    sent = f'<use class="sent" href="#{way}" {thick}/>' if label else ""
    # The path's looks are those of its group; a `use` draws it again with looks of its own.
    return (
        f'<g class="edge" data-id="{escape(edge["id"], True)}" data-state="{edge["state"]}" '
        f'data-sign="{edge["sign"]}"{_stale(edge)} role="img" tabindex="-1" '
        f'aria-label="{escape(edge["alternative"], True)}"><use class="hit" href="#{way}"/>'
        f'<g class="way"><path id="{way}" d="{_curve(edge["route"])}"/></g>'
        f"{sent}{text}</g>"
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
        if x == to_x:
            path = re.sub(r"V[-\d.]+$", "", path) + f"V{to_y:g}"
        elif y == to_y:
            path += f"H{to_x:g}"
        else:
            path += f"C{x:g},{middle:g} {to_x:g},{middle:g} {to_x:g},{to_y:g}"
    return path
