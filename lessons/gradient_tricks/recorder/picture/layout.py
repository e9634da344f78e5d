"""Layered layout of a recorded graph: places for nodes and gradient labels, routes for edges.

graphlay computes the drawing. It gets each edge's label as a small node between producer and
consumer, so labels keep their distance from nodes and from each other. This module needs sizes and
edges only, no torch; the same graph always gives the same drawing.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import graphlay

Point = tuple[float, float]
Size = tuple[float, float]
"""Width and height."""

OPTIONS: dict[str, Any] = {
    "effort": "fast",
    "spacing": {"isolated_gap": 14.0, "port_gap": 20.0, "stub": 4.0},
    # Every edge leaves on the side that faces the next layer.
    "routing": {"style": "orthogonal", "port_sides": "facing_only"},
    "tuning": {
        # Straightening a long edge sometimes draws it across a node.
        "routing": {"step_flatten": 0.0, "port_relax_rounds": 8},
        # With this and the 8 rounds above, 200 random ops take 1 s instead of 8.
        "coords": {"flatten_room": 0},
    },
}


EDGE_LAYER = 2.4e-6
"""Seconds of a layout for each pair of an edge and a layer that any edge crosses."""


class Drawing(NamedTuple):
    """Centres of nodes and of edge labels, each edge's route from box to box, the total size.

    Abstract units, those of the sizes given; x to the right, y down, the corner at (0, 0).
    """

    nodes: tuple[Point, ...]
    labels: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def layout_seconds(count: int, edges: Sequence[tuple[int, int]]) -> float:
    """Estimate how long the layout of a graph with `count` nodes takes, by arithmetic.

    An edge from the first layer to the last takes a place in each layer between. With 58 ops that
    all read one input, that is half a second.
    """
    layers = layers_of(count, edges)
    crossed = sum(layers[end] - layers[start] for start, end in edges)
    return EDGE_LAYER * len(edges) * crossed


def layers_of(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return each node's layer: the number of edges on the longest way to it.

    `edges` leads from a node to a later one.
    """
    layers = [0] * count
    for start, end in sorted(edges, key=lambda edge: edge[1]):
        layers[end] = max(layers[end], layers[start] + 1)
    return layers


@lru_cache(256)
def layout(
    sizes: tuple[Size, ...],
    edges: tuple[tuple[int, int], ...],
    label: Size,
    right: bool = False,
    gap: float = 18.0,
) -> Drawing:
    """Lay out a graph without cycles, its inputs at the top, or at the left if it runs `right`.

    `sizes` of the node boxes; `edges` from producer to consumer, by place in `sizes`, several
    between the same two allowed; `label` the size of each edge's label; `gap` the room between the
    layers.
    """
    sides = ("left", "right") if right else ("top", "bottom")
    enter, leave = ({"offset": {"side": side, "t": 0.0}} for side in sides)  # mid-side
    count, halves = len(sizes), []
    rooms = (*sizes, *[label] * len(edges))
    nodes = [{"size": {"width": width, "height": height}} for width, height in rooms]
    for middle, (start, end) in enumerate(edges, count):
        # The larger weight keeps a long edge's label next to its consumer.
        halves += [
            {"source": start, "target": middle, "weight": 1.0, "target_port": enter},
            {"source": middle, "target": end, "weight": 2.0, "source_port": leave},
        ]
    options = {
        **OPTIONS,
        "direction": "leftright" if right else "topbottom",
        "spacing": {
            **OPTIONS["spacing"],
            "layer_gap": gap,
            "node_gap": 0.8 * max(gap, 18.0),
            "dummy_gap": 0.6 * max(gap, 18.0),
        },
    }
    drawn = graphlay.layout({"nodes": nodes, "edges": halves}, options=options)
    corner, far = drawn.bounds["min"], drawn.bounds["max"]

    def point(at: dict[str, float]) -> Point:
        return at["x"] - corner["x"], at["y"] - corner["y"]

    centres = [point(node["center"]) for node in drawn.nodes]
    ways = [[point(at) for at in edge["points"]] for edge in drawn.edges]
    return Drawing(
        tuple(centres[:count]),
        tuple(centres[count:]),
        tuple((*to, *on) for to, on in zip(ways[::2], ways[1::2], strict=True)),
        *point(far),
    )
