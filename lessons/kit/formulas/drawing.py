"""The drawing of a lab's graph: the recorder's, with formulas, and what a question leaves of it."""

from collections.abc import Collection, Sequence
from typing import Any

from lessons.gradient_tricks.recorder import Recording
from lessons.gradient_tricks.recorder.picture import graph_drawing
from lessons.gradient_tricks.recorder.recording.plain_tensor import spelled
from lessons.kit.formulas.along_edge import rule
from lessons.kit.formulas.entries import entry_of, shown_entries, shown_sums
from lessons.kit.formulas.equation import equation, unknown


def picture(
    recording: Recording,
    index: Sequence[int] = (),
    *,
    only: Collection[str] | None = None,
    steps: bool = True,
) -> dict[str, Any]:
    """The recorder's `picture`, with the rule of each part of a step and the input's equation.

    It says which entry of its tensors it shows, where a tensor has several, and which gradients
    are sums over entries. ``only`` and ``steps`` are the recorder's.
    """
    drawn = graph_drawing.picture(recording, index, only=only, steps=steps)
    for part in (part for step in drawn["steps"] for part in step["parts"]):
        part["latex"] = rule(recording.edge(part["edge"]), index)
    nodes = [recording.nodes[box["id"]] for box in drawn["nodes"]]
    for box, node in zip(drawn["nodes"], nodes, strict=True):
        box["entry"] = entry_of(node.outputs[0], index)
    entries = shown_entries(nodes, index)
    sums = shown_sums((recording.edge(edge["id"]) for edge in drawn["edges"]), index)
    first, *others = drawn["alternative"].split("\n")
    spoken = [f"{first} {entries}".rstrip(), *others, *filter(None, [sums])]
    return drawn | {
        "entries": "\n".join(filter(None, [entries, sums])),
        "alternative": "\n".join(spoken),
        "equation": [list(piece) for piece in equation(recording, nodes, index)],
    }


def covered(drawn: dict[str, Any]) -> dict[str, Any]:
    """The same drawing as `picture` made, with forward values and without any gradient."""
    gone = {"gradient": "", "full": spelled(None), "offered": None, "weight": 0.0}
    gone |= {"sign": "none", "state": "none", "alternative": "", "stale": False}
    alternative = drawn["alternative"]
    for sentence in (sentence for node in drawn["nodes"] for sentence in node["stale"]):
        alternative = alternative.replace(f" {sentence}", "")
    lines = alternative.split("\n")
    return drawn | {
        "nodes": [_covered(node) for node in drawn["nodes"]],
        "edges": [edge | gone for edge in drawn["edges"]],
        "equation": [list(piece) for piece in unknown(drawn["equation"])],
        "entries": drawn["entries"].partition("\n")[0],
        "alternative": "\n".join(lines[: 1 + len(drawn["nodes"])]),
        "steps": [],
    }


def _covered(box: dict[str, Any]) -> dict[str, Any]:
    *lines, value = box["lines"]
    lines = [*lines[: len(lines) - len(box["stale"])], value]
    none = spelled(None)
    return box | {"upstream": none, "upstream_full": none, "stale": [], "lines": lines}
