"""What moves along the graph between two steps is what was recorded, in every lesson.

The browser's own module says it, run by node without a browser.
"""

import json
import math
from typing import Any

import pytest

from lessons.contract.cuts import read_cuts
from lessons.gradient_tricks.recorder.picture.graph_drawing import picture
from lessons.outputs.catalogue import lessons
from tests.support.node import node
from tests.support.present import present

SCRIPT = """
const { advanced, pulsesAt } = await import(process.argv[1]);
const { reached } = await import(process.argv[2]);
const { laid } = await import(process.argv[3]);
let text = "";
for await (const piece of process.stdin) text += piece;
const at = (spec, place) =>
  pulsesAt(spec, place).map(({ edge, ...rest }) => ({ ...rest, edge: edge.id }));
const both = (spec) => (spec.wide ? [false, true] : [true]).map((isNarrow) => laid(spec, isNarrow));
console.log(JSON.stringify(JSON.parse(text).flatMap(both).map((spec) => {
  const places = [];
  for (let place = 0; place < spec.steps.length; ) {
    const to = advanced(spec.steps, place, 40, spec.steps.length);
    if (to <= place) throw new Error("it stands still");
    places.push((place = to));
  }
  return {
    spec,
    places,
    ends: at(spec, spec.steps.length),
    reached: spec.steps.map((_, step) => {
      const { shown, nodes } = reached(spec, step + 1);
      return { shown: [...shown], nodes: [...nodes.values()] };
    }),
    steps: spec.steps.map((_, step) => [0.1, 0.5, 0.9].map((share) => at(spec, step + share))),
  };
})));
"""


Moments = list[tuple[dict[str, Any], dict[str, Any]]]
"""Pictures, each with what its moments show."""


@pytest.fixture(scope="module")
def moments() -> Moments:
    """Each lesson's picture with what its moments show; one of them with a cut edge."""
    pictures = []
    for lesson in lessons():
        if lesson.lab.start:
            cuts = read_cuts("sqrt_1:0") if lesson.slug == "right_place" else ()
            values = lesson.validate({})
            index = lesson.lab.start(values).index
            pictures.append(picture(present(lesson.record(values, cuts)), index))
    names = (f"live/graph/graph_{name}.js" for name in ("pulse", "reached", "shapes"))
    found = json.loads(node(SCRIPT, *names, given=json.dumps(pictures)))
    return [(one["spec"], one) for one in found]


def test_each_step_sends_along_its_edges_what_was_recorded(moments: Moments) -> None:
    cut = factors = 0
    for drawing, found in moments:
        edges = {edge["id"]: edge for edge in drawing["edges"]}
        boxes = {node["id"]: node for node in drawing["nodes"]}
        for step, (early, middle, late) in zip(drawing["steps"], found["steps"], strict=True):
            assert [one["edge"] for one in middle] == [part["edge"] for part in step["parts"]]
            for part, first, then, last in zip(step["parts"], early, middle, late, strict=True):
                edge = edges[part["edge"]]
                is_cut = edge["state"] == "cut"
                sent = edge["offered"] if is_cut else edge["gradient"]
                assert then["text"] == last["text"] == sent
                if part["local"] is not None and not part["terms"]:
                    assert first["text"].replace("(", "").replace(")", "") == f"× {part['local']}"
                    factors += 1
                assert (first["share"], last["share"]) == (0, 1)
                assert 0 < then["share"] < 1
                assert (then["width"] == 0) == (sent in ("0", "none", "")), (edge, then)
                # From the op's box to the box of what it reads, or to the scissors.
                op, read = boxes[edge["to"]], boxes[edge["from"]]
                axis, size = ("x", "width") if drawing["right"] else ("y", "height")
                along = 0 if drawing["right"] else 1
                start, end = then["route"][0], then["route"][-1]
                assert start[along] == pytest.approx(op[axis] - op[size] / 2, abs=0.2)
                if is_cut:
                    cut += 1
                    assert end == [edge["x"], edge["y"]]
                else:
                    assert end[along] == pytest.approx(read[axis] + read[size] / 2, abs=0.2)
    assert cut == 2, "one edge, in the drawing upright and in that from left to right"
    assert factors > 50


def test_a_larger_gradient_has_no_thinner_pulse(moments: Moments) -> None:
    for drawing, found in moments:
        size = {
            edge["id"]: abs(float(edge["gradient"].replace("−", "-").replace("∞", "inf")))
            for edge in drawing["edges"]
            if edge["sign"] in ("positive", "negative")
        }
        seen = [p for step in found["steps"] for p in step[1] if p["edge"] in size]
        seen.sort(key=lambda pulse: size[pulse["edge"]])
        widths = [pulse["width"] for pulse in seen]
        assert widths == sorted(widths)


def test_play_passes_every_step_and_ends_in_rest(moments: Moments) -> None:
    for drawing, found in moments:
        steps = len(drawing["steps"])
        assert found["places"] == sorted(found["places"])
        assert {math.ceil(place) for place in found["places"]} == set(range(1, steps + 1))
        assert found["places"][-1] == steps
        assert found["ends"] == []


def test_each_step_shows_only_what_has_flowed_and_which_sums_wait(moments: Moments) -> None:
    sums = 0
    for drawing, found in moments:
        before: set[str] = set()
        for step in found["reached"]:
            assert before <= set(step["shown"])
            before = set(step["shown"])
        assert before == {edge["id"] for edge in drawing["edges"]}
        states = [[node["state"] for node in step["nodes"]] for step in found["reached"]]
        assert all(step.count("current") == 1 for step in states[:-1])
        assert set(states[-1]) == {"passed"}, "none is met any more, and none waits"
        marks = [node["mark"] for step in found["reached"] for node in step["nodes"]]
        waits = [mark.split("/") for mark in marks if "/" in mark]
        assert all(0 < int(came) < int(of) for came, of in waits)
        sums += len(waits)
    assert sums > 20
