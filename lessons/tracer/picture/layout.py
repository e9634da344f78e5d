"""Where nodes, edge labels and edge routes go: a layered drawing, after Sugiyama.

fast-sugiyama orders each layer so that few edges cross and lines things up; what is ours is which
layer a thing belongs to, and the room that boxes of different sizes need. An edge's label is a
small box in a layer of its own kind, so no label can lie on another or on a node. Knows sizes and
edges only, no torch; the same graph always gives the same drawing.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from fast_sugiyama import from_edges

Point = tuple[float, float]
Size = tuple[float, float]
"""Width and height."""

GAP_ACROSS = 14.0
GAP_ALONG = 16.0
LANE = 10.0
"""The room an edge needs to pass between boxes."""
PORTS = 22.0
"""At most so far apart are two edges that enter a box."""


class Drawing(NamedTuple):
    """Centres of nodes and of edge labels, each edge's route from box to box, the whole's size.

    Abstract units, those of the sizes given; x to the right, y down, the corner at (0, 0).
    """

    nodes: tuple[Point, ...]
    labels: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


class _Box(NamedTuple):
    """Something in a layer: a node, the label of an edge, or an edge passing by."""

    x: float
    width: float
    height: float


def layout(
    sizes: Sequence[Size],
    edges: Sequence[tuple[int, int]],
    labels: Sequence[Size],
    direction: str = "down",
) -> Drawing:
    """Lay out a graph without cycles.

    `sizes` of the node boxes; `edges` from producer to consumer, by place in `sizes`, several
    between the same two allowed; `labels` the size of each edge's label. `direction` "down" puts
    inputs at the top, "right" at the left. Raises `ValueError` for a cycle or a wrong number.
    """
    if len(labels) != len(edges):
        raise ValueError(f"expected a label size for each of {len(edges)} edges, got {len(labels)}")
    if direction not in ("down", "right"):
        raise ValueError(f'the direction is "down" or "right", got {direction!r}')
    return _layout(tuple(sizes), tuple(edges), tuple(labels), direction)


@lru_cache(256)
def _layout(
    sizes: tuple[Size, ...],
    edges: tuple[tuple[int, int], ...],
    labels: tuple[Size, ...],
    direction: str,
) -> Drawing:
    if direction == "right":
        turned = _layout(_turned(sizes), edges, _turned(labels), "down")
        return Drawing(
            _turned(turned.nodes),
            _turned(turned.labels),
            tuple(_turned(route) for route in turned.routes),
            turned.height,
            turned.width,
        )
    parts = _components(len(sizes), edges)
    if len(parts) == 1:
        return _connected(sizes, edges, labels)
    nodes: dict[int, Point] = {}
    places: dict[int, tuple[Point, tuple[Point, ...]]] = {}
    left, height = 0.0, 0.0
    for part in parts:
        numbers = {node: n for n, node in enumerate(part)}
        own = [i for i, (start, _) in enumerate(edges) if start in numbers]
        drawing = _connected(
            tuple(sizes[node] for node in part),
            tuple((numbers[edges[i][0]], numbers[edges[i][1]]) for i in own),
            tuple(labels[i] for i in own),
        )
        nodes |= zip(part, _shifted(drawing.nodes, left), strict=True)
        routes = [_shifted(route, left) for route in drawing.routes]
        places |= zip(own, zip(_shifted(drawing.labels, left), routes, strict=True), strict=True)
        left += drawing.width + GAP_ACROSS
        height = max(height, drawing.height)
    placed = [places[i] for i in range(len(edges))]
    return Drawing(
        tuple(nodes[node] for node in range(len(sizes))),
        tuple(label for label, _ in placed),
        tuple(route for _, route in placed),
        max(left - GAP_ACROSS, 0.0),
        height,
    )


def _shifted(points: Sequence[Point], by: float) -> tuple[Point, ...]:
    return tuple((x + by, y) for x, y in points)


def _components(count: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The connected parts of the graph, directions aside, in the order of their first nodes."""
    part_of = {node: [node] for node in range(count)}
    for start, end in edges:
        one, other = part_of[start], part_of[end]
        if one is not other:
            one += other
            part_of |= dict.fromkeys(other, one)
    parts = {id(part): part for part in part_of.values()}
    return sorted(sorted(part) for part in parts.values())


def _connected(
    sizes: tuple[Size, ...], edges: tuple[tuple[int, int], ...], labels: tuple[Size, ...]
) -> Drawing:
    count = len(sizes)
    depths = _depths(count, edges)
    # Nodes in even layers; the label of an edge in the odd one before its consumer; and, for the
    # edge itself, a lane in every layer between its producer and its label.
    layers = [2 * depth for depth in depths] + [2 * depths[end] - 1 for _, end in edges]
    room = [*sizes, *labels]
    ways: list[list[int]] = []
    for i, (start, _) in enumerate(edges):
        between = range(layers[start] + 1, layers[count + i])
        ways.append([*range(len(layers), len(layers) + len(between)), count + i])
        layers += between
        room += [(LANE, 0.0)] * len(between)
    wishes = _wishes([(start, *way, end) for (start, end), way in zip(edges, ways, strict=True)],
                     [width for width, _ in (*sizes, *labels)])  # fmt: skip

    rows: dict[int, list[_Box]] = {}
    owners: dict[int, list[int]] = {}
    for vertex, (layer, size) in enumerate(zip(layers, room, strict=True)):
        rows.setdefault(layer, []).append(_Box(wishes[vertex], *size))
        owners.setdefault(layer, []).append(vertex)
    centres: dict[int, float] = {}
    for layer, boxes in rows.items():
        centres |= zip(owners[layer], _apart(boxes), strict=True)
    left = min(centres[vertex] - width / 2 for vertex, (width, _) in enumerate(room))
    right = max(centres[vertex] + width / 2 for vertex, (width, _) in enumerate(room))
    middles, height = _heights(rows)

    def point(vertex: int) -> Point:
        return centres[vertex] - left, middles[layers[vertex]][0]

    routes = []
    ports = _ports(edges, [point(count + i)[0] for i in range(len(edges))], sizes)
    for i, (start, end) in enumerate(edges):
        (x, y), (end_x, end_y) = point(start), point(end)
        middle, half = middles[layers[start]]
        # Straight through its own layer, where others may be taller, and aslant between layers.
        route = [(x, y + sizes[start][1] / 2), (x, middle + half)]
        for vertex in ways[i]:
            x = point(vertex)[0]
            middle, half = middles[layers[vertex]]
            route += [(x, middle - half), (x, middle + half)]
        middle, half = middles[layers[end]]
        port = end_x + ports[i]
        route += [(port, middle - half), (port, end_y - sizes[end][1] / 2)]
        routes.append(tuple(dict.fromkeys(route)))
    return Drawing(
        tuple(point(vertex) for vertex in range(count)),
        tuple(point(count + i) for i in range(len(edges))),
        tuple(routes),
        right - left,
        height,
    )


def _wishes(paths: Sequence[Sequence[int]], widths: Sequence[float]) -> dict[int, float]:
    """Where across each vertex of a connected graph would stand, were all of them equally wide.

    Each step of a path leads to the next layer, so the layers that make the edges shortest, which
    the library finds for itself, are ours.
    """
    # Last first: then of the nodes that read one, the first usually stands left.
    steps = [step for path in reversed(paths) for step in pairwise(path)]
    if not steps:
        return {0: 0.0}
    [(positions, *_)] = from_edges(
        steps,
        vertex_spacing=sum(widths) / len(widths) + GAP_ACROSS,
        dummy_vertices=False,
        ranking_type="minimize",
        crossing_minimization="barycenter",
    )
    return {int(vertex): x for vertex, (x, _) in positions}


def _turned(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple((y, x) for x, y in points)


def _depths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """How many ops lie before each node, at most; what has none stands just before its reader."""
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for start, end in edges:
        before[end].append(start)
        after[start].append(end)
    depths = [0] * count
    missing = [len(one) for one in before]
    ready = [node for node in range(count) if not missing[node]]
    for node in ready:  # grows while it is walked
        for end in after[node]:
            depths[end] = max(depths[end], depths[node] + 1)
            missing[end] -= 1
            if not missing[end]:
                ready.append(end)
    if len(ready) < count:
        raise ValueError("the graph has a cycle: no op can come before itself")
    for node in range(count):
        if not before[node] and after[node]:
            depths[node] = min(depths[end] for end in after[node]) - 1
    return depths


def _apart(boxes: Sequence[_Box]) -> list[float]:
    """Centres as near to where each box wants to be as their widths allow, in the same order.

    Least squares under x[i+1] - x[i] >= what both need: isotonic regression by pooling adjacent
    violators (Barlow et al. 1972).
    """
    order = sorted(range(len(boxes)), key=lambda i: boxes[i].x)
    offsets, at = [], 0.0
    for place, i in enumerate(order):
        if place:
            at += (boxes[order[place - 1]].width + boxes[i].width) / 2 + GAP_ACROSS
        offsets.append(at)
    blocks: list[tuple[float, int]] = []  # (mean wish, how many)
    for i, offset in zip(order, offsets, strict=True):
        wish, size = boxes[i].x - offset, 1
        while blocks and blocks[-1][0] >= wish:
            other, many = blocks.pop()
            wish, size = (wish * size + other * many) / (size + many), size + many
        blocks.append((wish, size))
    found = [0.0] * len(boxes)
    wishes = [wish for wish, size in blocks for _ in range(size)]
    for i, offset, wish in zip(order, offsets, wishes, strict=True):
        found[i] = wish + offset
    return found


def _heights(rows: dict[int, list[_Box]]) -> tuple[dict[int, tuple[float, float]], float]:
    """The middle and half the height of each layer, from the top, and the height of all."""
    middles, top = {}, 0.0
    for layer in sorted(rows):
        half = max(box.height for box in rows[layer]) / 2
        middles[layer] = top + half, half
        top += 2 * half + GAP_ALONG
    return middles, top - GAP_ALONG


def _ports(
    edges: Sequence[tuple[int, int]], wishes: Sequence[float], sizes: Sequence[Size]
) -> list[float]:
    """How far beside the middle of its consumer each edge enters: in the order they arrive."""
    ports = [0.0] * len(edges)
    for node in {end for _, end in edges}:
        arriving = sorted((i for i, (_, end) in enumerate(edges) if end == node),
                          key=lambda i: (wishes[i], i))  # fmt: skip
        step = min(PORTS, sizes[node][0] / (len(arriving) + 1))
        for place, i in enumerate(arriving):
            ports[i] = (place - (len(arriving) - 1) / 2) * step
    return ports
