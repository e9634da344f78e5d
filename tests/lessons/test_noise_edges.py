"""The edges of the noise lab's bands: one that is dragged to a height is at that height then, up to
what the draws leave open: less than two pixels."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lessons.chapters.stop_gradient.shared_noise.edges import powers
from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import find

MANY = {"draws": "1024", "x": "-2, -1, 1"}
HOW_FAR = (0.5, 0.8, 1.25)


def traces(lesson: Lesson, given: dict[str, str]) -> dict[Any, dict[str, Any]]:
    """Every band with edges to drag: by chart and place."""
    values = lesson.validate({**MANY, **given})
    result = lesson.compute(values)
    return {
        (figure.name, place): trace
        for figure in lesson.lab.figures(result, values)
        for place, trace in enumerate(figure.data)
        if trace.get("meta", {}).get("part") == "band"
    }


def edges_at(trace: dict[str, Any], x: float) -> Iterator[float]:
    """How far from its zero each edge is there: the inner one, then the outer."""
    zero = trace["meta"].get("zero", np.zeros(len(trace["x"])))
    at = [i for i, one in enumerate(trace["x"]) if abs(one - x) < 0.02]
    found = [abs(trace["y"][i] - zero[i]) for i in at]
    assert len(at) >= 2
    yield min(found)
    yield max(found)


@pytest.mark.parametrize("slug", ["noise_leaks", "wrong_place", "right_place"])
@pytest.mark.parametrize("low", ["0.9", "0.5"])
def test_an_edge_that_is_dragged_arrives_at_the_hand(slug: str, low: str):
    lesson = find(slug)
    given = {"noise_low": low, "noise_high": "1.1"}
    known: dict[tuple[str, float], dict[Any, dict[str, Any]]] = {}
    found = traces(lesson, given)
    roles = 1 if slug == "right_place" else 2  # there the trick's gradient is a line
    assert len(found) == 1 + 2 * roles
    for place, trace in found.items():
        for name, measure in trace["meta"]["sets"].items():
            for ratio in HOW_FAR:
                value = measure["times"] * ratio ** measure["power"] + measure["plus"]
                least = measure["least"]
                most = measure["most"] if measure["most"] is not None else 10.0
                if not least <= value <= most:
                    continue
                if (name, value) not in known:
                    known[name, value] = traces(lesson, given | {name: str(value)})
                after = known[name, value][place]
                side = ("inner", "outer").index(measure["edge"])
                for x in (-1.5, 1.5):
                    before, now = ([*edges_at(one, x)][side] for one in (trace, after))
                    assert now == pytest.approx(ratio * before, abs=0.03), (place, name, x)


def test_the_power_is_read_off_the_program():
    lesson = find("noise_leaks")
    assert powers(lesson.program)["trick_gradient_power"] == 0.5
    assert powers(find("wrong_place").program)["trick_gradient_power"] == -0.5
    assert powers(find("right_place").program)["trick_gradient_power"] == 0


@pytest.mark.parametrize(
    "given", [{"u": "1.2"}, {"draws": "1"}, {"noise_low": "-0.2"}], ids=lambda one: str(one)
)
def test_where_no_formula_holds_there_is_nothing_to_drag(given: dict[str, str]):
    assert not traces(find("noise_leaks"), given)
