"""What a drawing keeps to, for test_picture.py to check; and small graphs."""

import itertools

import pytest

from lessons.gradient_tricks.recorder.picture.layout import layout


def boxes(
    centres: list[tuple[float, float]], sizes: list[tuple[float, float]]
) -> list[tuple[float, float, float, float]]:
    return [(x - w / 2, y - h / 2, x + w / 2, y + h / 2)
            for (x, y), (w, h) in zip(centres, sizes, strict=True)]  # fmt: skip


def overlap(
    one: tuple[float, float, float, float],
    other: tuple[float, float, float, float],
    room: float = 0.0,
) -> bool:
    return (
        one[0] < other[2] + room
        and other[0] < one[2] + room
        and one[1] < other[3] + room
        and other[1] < one[3] + room
    )


def crosses(start: list[float], end: list[float], box: tuple[float, float, float, float]) -> bool:
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


def check(
    boxes: list[tuple[float, float, float, float]],
    labels: list[tuple[float, float, float, float]],
    routes: list[list[list[float]]],
    size: tuple[float, float],
) -> None:
    """No box lies on another or beyond the drawing, and no route runs through a box."""
    for one, other in itertools.combinations([*boxes, *labels], 2):
        assert not overlap(one, other, room=1.0)
    for left, top, right, bottom in [*boxes, *labels]:
        assert min(left, top) >= -1e-6
        assert max(right - size[0], bottom - size[1]) <= 1e-6
    for route in routes:
        for start, end in itertools.pairwise(route):
            assert not any(crosses(start, end, box) for box in boxes)


def test_a_chain_is_straight_and_an_input_stands_before_its_reader() -> None:
    drawing = layout(((100, 40),) * 4, ((0, 1), (1, 2), (3, 2)), (60, 14))
    assert abs(drawing.nodes[0][0] - drawing.nodes[1][0]) < 20
    assert drawing.nodes[3][1] == pytest.approx(drawing.nodes[1][1])


def test_the_edges_of_one_op_enter_side_by_side() -> None:
    drawing = layout(((100, 40),) * 2, ((0, 1), (0, 1)), (60, 14))
    assert len({route[-1] for route in drawing.routes}) == 2
    assert len(set(drawing.labels)) == 2


def test_an_empty_graph() -> None:
    assert layout((), (), (60, 14)).nodes == ()
