"""The drawing of a recording as plain data: what a page hands to the browser as JSON.

Only what leads to the output is drawn, unless dead ends are asked for. Every number is text
already, as lessons.gradient_tricks.text writes it; `weight` is for the eye.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any

from ...text import visible
from ..recording.nodes import Edge, Node, reached
from ..recording.plain_tensor import NOT_KEPT, Value, component, short, spelled, whole
from ..recording.recording import Recording
from .backward_steps import backward_steps
from .layout import layout_seconds
from .places import places
from .sentences import WORDS, stale_sentence
from .step import Part, Step

LONGEST_NAME = 18
"""Characters of a name in a box; all of it is in the words."""
_KINDS = ("stopped", "overridden", "reversed", "scaled", "clipped", "surrogate")
_TRICKS = dict(zip(_KINDS, WORDS("tricks").split(", "), strict=True))
"""What a trick did to the gradient, in words."""


def picture_seconds(recording: Recording) -> float:
    """Estimate how long `picture` takes to lay out the graph, both ways, by arithmetic."""
    nodes = _drawn(recording)
    ends = _ends(nodes, [edge for node in nodes for edge in node.operands])
    return 2 * layout_seconds(len(nodes), ends)


def picture(
    recording: Recording,
    index: Sequence[int] = (),
    *,
    only: Collection[str] | None = None,
    steps: bool = True,
) -> dict[str, Any]:
    """The whole drawing, with the steps, for the chosen component; ready for `json.dumps`.

    `index` is matched to each tensor as broadcasting does. Before a backward pass every op is
    drawn, and there are no steps. `only`: the names of the nodes to draw, whether they lead to the
    output or not; `steps`: whether to list the steps.
    """
    nodes = [node for node in recording if node.name in only] if only else _drawn(recording)
    names = {node.name for node in nodes}
    every = [edge for node in nodes for edge in node.operands]
    edges = [edge for edge in every if edge.producer.name in names]
    boxes = [_node(recording, node, index) for node in nodes]
    shown = [_edge(edge, index) for edge in edges]
    # A cut edge is as thick as what it holds back, and the others stay as they were before the cut.
    sizes = [_size_of(edge.offered if edge.cut else edge.gradient, index) for edge in edges]
    largest = max((size or 0.0 for size in sizes), default=0.0)
    for entry, size in zip(shown, sizes, strict=True):
        entry["weight"] = 0.0 if not size else round(math.sqrt(size / largest), 4)
    listed = backward_steps(recording, index, only) if steps and recording.output else []
    return {
        "index": list(index),
        **places([box["lines"] for box in boxes], _ends(nodes, edges)),
        "nodes": boxes,
        "edges": shown,
        "alternative": _alternative(recording, boxes, shown),
        "steps": [_step(step) for step in listed],
    }


def _ends(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[tuple[int, int]]:
    """Each edge's producer and consumer, by place in `nodes`."""
    place_of = {node.name: place for place, node in enumerate(nodes)}
    return [(place_of[edge.producer.name], place_of[edge.consumer.name]) for edge in edges]


def _drawn(recording: Recording) -> list[Node]:
    """The nodes that lead to the output, or all of them, in the order they ran."""
    if recording.output is None or recording.dead_ends:
        return list(recording)
    end = recording.nodes[recording.output]
    wanted = set(reached([end], lambda node: (edge.producer for edge in node.operands)))
    return [node for node in recording if node in wanted]


def _operand(value: float) -> str:
    """A number of the program's own: one without a fraction is written out."""
    whole = math.isfinite(value) and abs(value) < 1e10 and value == int(value)
    return spelled(value, 10) if whole else short(value)


def _lines(node: Node, index: Sequence[int]) -> list[str]:
    """What stands in the box: what it is called, what it does, its value at the component."""
    numbers = [
        _operand(value)
        for value in node.numbers
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    does = " ".join([visible(node.type, LONGEST_NAME), *numbers[:3]])
    name = visible(node.label, LONGEST_NAME)
    named = [] if node.label == node.type and numbers else [name]
    value = short(node.outputs[0].component(index))
    doing = [] if node.leaf or does == name else [does]
    changed = (WORDS("changed_since", name=one.name) for one in node.stale)
    return [*named, *doing, *changed, value]


def _node(recording: Recording, node: Node, index: Sequence[int]) -> dict[str, Any]:
    return {
        "id": node.name,
        "label": node.label,
        "type": node.type,
        "kind": node.kind,
        "output": node.name == recording.output,
        "lines": _lines(node, index),
        "value": spelled(node.outputs[0].component(index)),
        "full": "; ".join(whole(value) for value in node.outputs),
        "upstream": spelled(component(node.gradient, index)),
        "upstream_full": spelled(None) if node.gradient is None else whole(node.gradient),
        "stale": [stale_sentence(node, one, index) for one in node.stale],
    }


def _edge(edge: Edge, index: Sequence[int]) -> dict[str, Any]:
    gradient, offered = component(edge.gradient, index), component(edge.offered, index)
    state = edge.state
    return {
        "id": edge.name,
        "from": edge.producer.name,
        "to": edge.consumer.name,
        "gradient": "" if state == "none" else short(gradient),
        "full": spelled(None) if edge.gradient is None else whole(edge.gradient),
        "offered": None if offered is None else short(offered),
        "sign": sign_of(gradient),
        "state": state,
        "stale": edge.stale is not None,
        "cuttable": edge.cuttable,
        "alternative": _spoken(edge, gradient, offered),
    }


def _size_of(value: Value | None, index: Sequence[int]) -> float | None:
    """The value's size at the component; None if it is not finite."""
    size = math.nan if value is None else abs(value.component(index))
    return size if math.isfinite(size) else None


def sign_of(gradient: Any) -> str:
    """Name the sign of a number: positive, negative, zero, nan; none for None."""
    if gradient is None or gradient is NOT_KEPT:
        return "none"
    real = gradient.real
    if math.isnan(real):
        return "nan"
    return "zero" if real == 0 else "positive" if real > 0 else "negative"


def _spoken(edge: Edge, gradient: Any, offered: Any) -> str:
    ends = {"consumer": edge.consumer.label, "producer": edge.producer.label}
    if edge.state == "cut":
        return WORDS("cut_edge", offered=short(offered), **ends)
    return WORDS("edge", gradient=_with_trick(short(gradient), edge.state), **ends)


def _with_trick(text: str, kind: str) -> str:
    return f"{text} ({_TRICKS[kind]})" if kind in _TRICKS else text


def _alternative(
    recording: Recording, nodes: Sequence[dict[str, Any]], edges: Sequence[dict[str, Any]]
) -> str:
    """The drawing in words, for screen readers: a line for each node, then one for each edge."""
    spoken = [WORDS("graph", nodes=len(nodes), edges=len(edges))]
    for box in nodes:
        node = recording.nodes[box["id"]]
        made = ", ".join(edge.producer.label for edge in node.operands)
        op = _with_trick(node.type, node.kind)
        told = {"name": box["label"], "op": op, "value": box["value"]}
        said = WORDS("made_of", operands=made, **told) if made else WORDS("node", **told)
        spoken.append(" ".join([said, *box["stale"]]))
    return "\n".join([*spoken, *(edge["alternative"] for edge in edges)])


def _step(step: Step) -> dict[str, Any]:
    return {
        "kind": step.kind,
        "node": step.node,
        "upstream": spelled(step.upstream),
        "parts": [_part(part) for part in step.parts],
        "waiting": [
            {"node": one.node, "arrived": len(one.parts) - one.waiting, "total": len(one.parts)}
            for one in step.waiting
        ],
        "sentence": step.sentence,
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "edge": part.edge,
        "local": None if part.local is None else spelled(part.local),
        "gradient": spelled(part.gradient),
        "terms": [[spelled(upstream), spelled(local)] for upstream, local in part.terms],
    }
