"""One HTML file with all that was seen: opens from the disk, without a server and without a net."""

import base64
import hashlib
from collections.abc import Collection
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..recorder import Recording, line_of, unflat
from ..recorder.picture.graph_drawing import picture
from ..recorder.picture.places import LINE, PILL
from ..text import counted
from .graph import Graph, bad_place
from .report import COLUMNS, fine, gradients, headline
from .run import Run
from .words import Fault, called

MARK = '<meta name="generator" content="gradient-tricks">'
"""Every report contains this."""
ROWS = 400
"""Gradients that the page lists."""
MOST_PARTS = 420
"""Nodes and edges of a program that is drawn whole; of a longer one a part is drawn."""
PART_NODES = 80
"""Nodes of such a part."""
MARGIN = 14.0


class Drawn(NamedTuple):
    """`spec` as the recorder's picture gives it; `whole` whether all ops are on it."""

    spec: dict[str, Any]
    whole: bool
    around: str


def drawn(run: Run, faults: list[Fault]) -> Drawn | None:
    """The drawing: all of a small program, of a larger one what lies around the first fault.

    None if no op ran, or if even the part has too many edges.
    """
    recording, graph = run.recording, run.graph
    used = [
        node.name for node in recording
        if not node.leaf or node.name in graph.consumers or node.name == recording.output
    ]  # fmt: skip
    if not used:
        return None
    names = set(used)
    focus = next((one.node for one in faults if one.node in names), None)
    focus = focus or recording.output or used[-1]
    whole = _size(recording, names) <= MOST_PARTS
    if not whole:
        names = _around(graph, focus)
    if _size(recording, names) > MOST_PARTS:  # hundreds of edges between the same two
        return None
    return Drawn(picture(recording, _index(run, faults), only=names), whole, focus)


def _size(recording: Recording, names: Collection[str]) -> int:
    """Count the nodes and edges in a drawing of these."""
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
        if len(found) >= PART_NODES:
            break
    return set(found[:PART_NODES])


def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8").strip()


def page(run: Run, faults: list[Fault], notes: list[str], drawn: Drawn | None) -> str:
    """The whole file. It loads no other file, and its content policy forbids it."""
    script = _file("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    graph = _work(run, faults, drawn) if drawn else ""
    parts = [graph, _gradients(run)]
    seen = "".join(f"<li>{escape(note)}</li>" for note in notes)
    body = [
        f"<header><h1>{escape(run.name)}</h1><p class='quiet'>{escape(headline(run))}</p></header>",
        _faults(run, faults, drawn),
        *(parts if drawn is None or drawn.whole else reversed(parts)),
        f"<section><h2>Also seen</h2><ul class='notes'>{seen}</ul></section>" if notes else "",
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{MARK}'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, True)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(run.name)}: forward and backward</title>"
        f"<style>{_file('page.css')}</style></head><body><main>{''.join(body)}</main>"
        f"<script>{script}</script></body></html>\n"
    )


def _faults(run: Run, faults: list[Fault], drawn: Drawn | None) -> str:
    if not faults:
        return f"<section><h2>Faults</h2><p class='fine'>{escape(fine(run))}</p></section>"
    known = {node["id"] for node in drawn.spec["nodes"]} if drawn else set()
    rows = []
    for fault in faults:
        says = escape(fault.says)
        if fault.node in known:
            says = f'<a href="#graph" data-node="{escape(fault.node or "", True)}">{says}</a>'
        do = f"<p class='do'>{escape(fault.do)}</p>" if fault.do else ""
        rows.append(f"<li><p>{says}</p>{do}</li>")
    title = counted(len(faults), "fault")
    error = (
        f"<p>{escape(run.name)} raised, as it does without the doctor:</p>"
        f"<pre>{escape(run.said)}</pre>"
        if run.said else ""
    )  # fmt: skip
    return f"<section><h2>{title}</h2><ul class='faults'>{''.join(rows)}</ul>{error}</section>"


def _work(run: Run, faults: list[Fault], drawn: Drawn) -> str:
    """The section with the graph and the steps of its backward pass, as HTML."""
    svg = _svg(run, drawn.spec, {fault.node for fault in faults})
    part = "" if drawn.whole else (
        f"<p class='quiet'>The program ran {counted(len(run.recording.ops), 'op')}. Drawn is what "
        f"lies around {escape(called(run.recording.nodes[drawn.around]))}; the steps are those of "
        "this part.</p>"
    )  # fmt: skip
    index, shown = list(drawn.spec["index"]), ""
    if any(node["full"].startswith("[") for node in drawn.spec["nodes"]):
        entry = f"entry {index} is shown, counted from 0, or the last of an axis that is shorter"
        shown = f"Of each tensor, the {entry if index else 'first entry is shown'}. "
    buttons = "".join(
        f"<button type='button' data-go='{go}'>{label}</button>"
        for go, label in (("start", "Start"), ("back", "Back"), ("next", "Next"), ("end", "End"))
    )
    steps = drawn.spec["steps"]
    stepper = (
        "<div data-scripted hidden><div class='buttons' role='group' "
        f"aria-label='Backward pass, step by step'>{buttons}</div></div>"
        "<p class='said' aria-live='polite'></p>"
        f"<ol class='steps'>{''.join(map(_step, steps))}</ol>"
        if steps else "<p class='quiet'>There is no backward pass to step through.</p>"
    )  # fmt: skip
    return (
        f"<section id='graph'><h2>The graph</h2>{part}<p class='quiet'>{shown}Grey arrows: values, "
        "forward. Coloured lines: gradients, back; the thicker, the larger. Left and right arrow "
        "keys step.</p><div class='work'>"
        f"<div class='drawing' tabindex='0' role='region' aria-label='Drawing'>{svg}"
        "</div>"
        f"<div class='side'>{stepper}<p class='detail' aria-live='polite'>Click a node or an edge "
        "for its whole tensor.</p></div></div></section>"
    )


def _step(step: dict[str, Any]) -> str:
    node, edges = escape(step["node"], True), " ".join(part["edge"] for part in step["parts"])
    sentence = escape(step["sentence"])
    return f'<li data-node="{node}" data-edges="{escape(edges, True)}">{sentence}</li>'


def _svg(run: Run, spec: dict[str, Any], wrong: set[str | None]) -> str:
    """The picture as one SVG element; each node and edge is a group with its id and its tensor."""
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
    pairs = zip(spec["nodes"], places["nodes"], strict=True)
    parts += [_node(node | at, _told(run, node), node["id"] in wrong) for node, at in pairs]
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
        f'data-sign="{edge["sign"]}"{" data-stale" * edge["stale"]} role="img" tabindex="-1" '
        f'aria-label="{escape(edge["alternative"], True)}" data-told="{escape(edge["full"], True)}"'
        f'><use class="hit" href="#{way}"/>'
        f'<g class="way"><path id="{way}" d="{_curve(edge["route"])}"/></g>'
        f"{sent}{text}</g>"
    )


def _told(run: Run, node: dict[str, Any]) -> str:
    """Describe a node: its tensors, the gradient that came, where it ran, what changed."""
    recorded = run.recording.nodes[node["id"]]
    made = "" if recorded.leaf or node["label"] == node["type"] else f" ({node['type']})"
    where = ", ".join(filter(None, (run.module_of(node["id"]), line_of(recorded.place))))
    lines = [
        f"{node['label']}{made} = {node['full']}",
        f"gradient that came: {node['upstream_full']}",
        *(line for line in (where, *node["stale"]) if line),
    ]
    return "\n".join(lines)


def _node(node: dict[str, Any], words: str, is_wrong: bool) -> str:
    width, height, (*lines, value) = node["width"], node["height"], node["lines"]
    round_ = min(height / 2 if node["kind"] == "input" else 5, 16)
    # If a box has no room for all its lines, the first two share a line, as in the lab.
    shared = int(height < len(lines) * LINE)
    first = (1 + shared - len(lines)) * LINE / 2
    texts = ""
    for place, line in enumerate(lines):
        at = f' x="{-PILL[0] / 2:g}" y="{first + max(0, place - shared) * LINE:g}"'
        joins = shared and place == 1
        does = " class=does" * bool(place)
        texts += f"<tspan{'' if joins else at}{does}>{' ' * joins}{escape(line)}</tspan>"
    texts += f'<tspan class="value" x="{(width - PILL[0]) / 2:g}" y="0">{escape(value)}</tspan>'
    spoken = f"{node['label']}: {node['type']}, value {node['value']}"
    return (
        f'<g class="node" data-id="{escape(node["id"], True)}" data-kind="{node["kind"]}"'
        f'{" data-wrong" * is_wrong}{" data-stale" * bool(node["stale"])} role="img" tabindex="-1" '
        f'aria-label="{escape(spoken, True)}" '
        f'data-told="{escape(words, True)}" '
        f'transform="translate({node["x"]:g} {node["y"]:g})">'
        f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}" '
        f'rx="{round_:g}"/><text>{texts}</text></g>'
    )


def _curve(route: list[list[float]]) -> str:
    path = f"M{route[0][0]:g},{route[0][1]:g}"
    for (x, y), (to_x, to_y) in pairwise(route):
        middle = (y + to_y) / 2
        if x == to_x:
            path += f"V{to_y:g}"
        elif y == to_y:
            path += f"H{to_x:g}"
        else:
            path += f"C{x:g},{middle:g} {to_x:g},{middle:g} {to_x:g},{to_y:g}"
    return path


def _gradients(run: Run) -> str:
    head = "".join(f"<th scope='col'>{one}</th>" for one in COLUMNS)
    rows = "".join(
        f"<tr{' class=wrong' * row.is_wrong}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[:4])
        + "</tr>"
        for row in gradients(run, ROWS)
    )
    left_out = len(run.learning) + len(run.frozen) - ROWS
    more = f"<p class='quiet'>{left_out:,} more rows.</p>" if left_out > 0 else ""
    table = (
        "<section><h2>Gradients</h2><div class='scroll' tabindex='0' role='region' "
        f"aria-label='Gradients'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        f"</table></div>{more}</section>"
    )
    return table if rows else ""
