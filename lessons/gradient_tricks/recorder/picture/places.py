"""Where the boxes and edges of a drawing lie: from left to right if that fits, and upright.

Sizes are pixels of a drawing at full size. They depend on words and never on values, so nothing
moves while a learner drags, and layouts come from a cache.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from .layout import Point, Size, layers_of, layout

NAME, SMALL = 10.0, 8.8
"""Widths of a character of a node's name, at 18 px, and of its other lines, at 16 px."""
NAME_LINE, LINE = 24.0, 19.0
"""Heights of the line with a node's name and of each other line."""
PADDING = 12.0
JOG = 5.0
"""A smaller sideways step of an edge is straightened if the edge then crosses no box."""
SMALLEST_BOX = 60.0
"""Width and height of the smallest box from left to right."""
GAPS = (56.0, 34.0, 18.0)
"""Gaps between layers: the drawing takes the first that fits."""
UPRIGHT = 8.0
"""The gap between a box and a label upright, so that eight layers fit a screen."""
LONGEST_LINE = 15
"""Upright, a name and its op share a line if together they have at most this many characters."""
PILL: Size = (72.0, 28.0)
"""Room for a number of six characters at 20 px. A longer one is written smaller."""
MOST_WIDTH, MOST_HEIGHT = 810.0, 480.0
"""The largest drawing from left to right: on a stage of 760 by 440 px its text keeps 15 px."""


def places(lines: Sequence[Sequence[str]], edges: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Both drawings of a graph, as `wide` and `narrow`; of a large graph `wide` is None.

    Where `wide` fits with none of the gaps, it has the smallest.

    Args:
        lines: what stands in each box; the last line is the value, in a pill.
        edges: from producer to consumer, by place in `lines`.
    """
    wide = None
    for gap in _gaps(lines, edges):
        wide = _placed(lines, edges, True, gap)
        if wide["width"] <= MOST_WIDTH and wide["height"] <= MOST_HEIGHT:
            break
    return {"wide": wide, "narrow": _placed(lines, edges, False, UPRIGHT)}


def _gaps(lines: Sequence[Sequence[str]], edges: Sequence[tuple[int, int]]) -> Sequence[float]:
    """Choose the gaps to try from left to right, without those that are too wide in any layout."""
    if len(lines) * SMALLEST_BOX**2 >= MOST_WIDTH * MOST_HEIGHT:
        return ()
    longest = max(layers_of(len(lines), edges), default=0)
    *wider, least = GAPS
    # Between two boxes on a way there is an edge's label, with a gap at both sides.
    boxes = SMALLEST_BOX + longest * (SMALLEST_BOX + PILL[0])
    return [*(gap for gap in wider if boxes + 2 * longest * gap <= MOST_WIDTH), least]


def _placed(
    lines: Sequence[Sequence[str]], edges: Sequence[tuple[int, int]], right: bool, gap: float
) -> dict[str, Any]:
    boxes = [_box(words[:-1], right) for words in lines]
    # From left to right a value's pill lies on its box's lower border: half of it is outside.
    room = tuple((max(width, PILL[0]), height + PILL[1] * right) for width, height in boxes)
    drawing = layout(room, tuple(edges), PILL, right, gap)
    nodes = tuple(zip(drawing.nodes, boxes, strict=True))
    return {
        "right": right,
        "width": round(drawing.width, 1),
        "height": round(drawing.height, 1),
        "nodes": [
            {"x": round(x, 1), "y": round(y, 1), "width": round(width, 1), "height": height}
            for (x, y), (width, height) in nodes
        ],
        "edges": [
            {"x": round(x, 1), "y": round(y, 1), "route": _route(route, ends, nodes, right)}
            for ends, (x, y), route in zip(edges, drawing.labels, drawing.routes, strict=True)
        ],
    }


def _box(words: Sequence[str], right: bool) -> Size:
    """The size of the box for these lines; upright the value is next to them."""
    name, *others = words
    first = len(name) * NAME
    if others and not right and len(name) + len(others[0]) <= LONGEST_LINE:
        first += (1 + len(others.pop(0))) * SMALL
    width = max([first, *(len(line) * SMALL for line in others)]) + 2 * PADDING
    height = NAME_LINE + LINE * len(others) + PADDING
    if right:
        return max(width, SMALLEST_BOX), max(height + PILL[1] / 2, SMALLEST_BOX)
    return width + PILL[0], height


def _route(
    points: Iterable[Point], ends: tuple[int, int], nodes: Sequence[tuple[Point, Size]], right: bool
) -> list[list[float]]:
    """An edge's points, the first and the last on a border of the box itself.

    The point next to each moves along with it, so that the edge stays level or upright there.
    `nodes`: the centre and the size of each box.
    """
    route = list(points)
    for place, next_place, node in zip((0, -1), (1, -2), ends, strict=True):
        (x, y), (next_x, next_y) = route[place], route[next_place]
        to = route[place] = _onto((x, y), *nodes[node], right)
        if len(route) > 3:
            route[next_place] = (to[0] if next_x == x else next_x, to[1] if next_y == y else next_y)
    across = 1 if right else 0
    for i in range(2, len(route) - 1):
        aside = abs(route[i + 1][across] - route[i][across])
        if 0.1 < aside < JOG:  # move the run before the step; less is a rounding error
            at = route[i + 1][across]
            run = [(x, at) if right else (at, y) for x, y in route[i - 1 : i + 1]]
            if not any(_runs_through(run, *node) for node in nodes):
                route[i - 1 : i + 1] = run
    return [[round(x, 1), round(y, 1)] for x, y in route]


def _runs_through(run: Sequence[Point], centre: Point, box: Size) -> bool:
    """Test whether a level or upright run of an edge runs through a box."""
    return all(
        min(ends) < middle + size / 2 and max(ends) > middle - size / 2
        for ends, middle, size in zip(zip(*run, strict=True), centre, box, strict=True)
    )


def _onto(point: Point, centre: Point, box: Size, right: bool) -> Point:
    """Where an edge meets its box: on the side that it runs to, clear of the round corners."""
    near = []
    for axis, (at, middle, size) in enumerate(zip(point, centre, box, strict=True)):
        if (axis == 0) == right:
            near.append(middle - size / 2 if at < middle else middle + size / 2)
        else:
            free = size / 2 - PADDING
            near.append(min(max(at, middle - free), middle + free))
    return near[0], near[1]
