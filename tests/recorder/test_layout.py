"""No box lies on another, no edge crosses a box, and the same graph gives the same drawing."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.recorder.picture.layout import layout


@st.composite
def graphs(draw):
    """Up to 25 nodes, as large as real ones; an op may read the same earlier node twice."""
    count = draw(st.integers(1, 25))
    sizes = [(draw(st.integers(90, 200)), draw(st.integers(26, 74))) for _ in range(count)]
    edges = []
    for end in range(1, count):
        reads = draw(st.integers(0, 3))
        edges += [(draw(st.integers(0, end - 1)), end) for _ in range(reads)]
    label = draw(st.integers(60, 90)), draw(st.integers(12, 20))
    return tuple(sizes), tuple(edges), label


def boxes(centres, sizes):
    return [(x - w / 2, y - h / 2, x + w / 2, y + h / 2)
            for (x, y), (w, h) in zip(centres, sizes, strict=True)]  # fmt: skip


def overlap(one, other, room=0.0):
    return (
        one[0] < other[2] + room
        and other[0] < one[2] + room
        and one[1] < other[3] + room
        and other[1] < one[3] + room
    )


def crosses(start, end, box):
    """Whether the segment passes through the inside of the box (clipped as Liang and Barsky do)."""
    slack, first, last = 1e-6, 0.0, 1.0
    for axis in (0, 1):
        low, high = box[axis] + slack, box[axis + 2] - slack
        run = end[axis] - start[axis]
        if run == 0:
            if not low < start[axis] < high:
                return False
            continue
        ends = sorted(((low - start[axis]) / run, (high - start[axis]) / run))
        first, last = max(first, ends[0]), min(last, ends[1])
    return first < last


def check(boxes, labels, routes, size):
    """No box lies on another or beyond the drawing, and no route runs through a box."""
    for one, other in itertools.combinations([*boxes, *labels], 2):
        assert not overlap(one, other, room=1.0)
    for left, top, right, bottom in [*boxes, *labels]:
        assert min(left, top) >= -1e-6
        assert max(right - size[0], bottom - size[1]) <= 1e-6
    for route in routes:
        for start, end in itertools.pairwise(route):
            assert not any(crosses(start, end, box) for box in boxes)


@given(graphs())
@pytest.mark.random
def test_nothing_lies_on_anything_and_edges_run_downwards_from_box_to_box(graph):
    sizes, edges, label = graph
    drawing = layout(sizes, edges, label)
    labels = boxes(drawing.labels, [label] * len(edges))
    check(boxes(drawing.nodes, sizes), labels, drawing.routes, (drawing.width, drawing.height))
    for (start, end), route, label in zip(edges, drawing.routes, drawing.labels, strict=True):
        assert abs(route[0][0] - drawing.nodes[start][0]) <= sizes[start][0] / 2
        assert route[0][1] == pytest.approx(drawing.nodes[start][1] + sizes[start][1] / 2)
        assert abs(route[-1][0] - drawing.nodes[end][0]) <= sizes[end][0] / 2
        assert route[-1][1] == pytest.approx(drawing.nodes[end][1] - sizes[end][1] / 2)
        heights = [y for _, y in route]
        assert heights == sorted(heights)
        assert label[0] in [x for x, _ in route]


def test_a_chain_is_straight_and_an_input_stands_before_its_reader():
    drawing = layout(((100, 40),) * 4, ((0, 1), (1, 2), (3, 2)), (60, 14))
    assert abs(drawing.nodes[0][0] - drawing.nodes[1][0]) < 20
    assert drawing.nodes[3][1] == pytest.approx(drawing.nodes[1][1])


def test_the_edges_of_one_op_enter_side_by_side():
    drawing = layout(((100, 40),) * 2, ((0, 1), (0, 1)), (60, 14))
    assert len({route[-1] for route in drawing.routes}) == 2
    assert len(set(drawing.labels)) == 2


def test_an_empty_graph():
    assert layout((), (), (60, 14)).nodes == ()
