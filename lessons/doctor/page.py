"""One HTML file with all that was seen: opens from the disk, without a server and without a net."""

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from ..recorder.recording.variables import line_of
from ..text import counted, factor
from .drawing import Drawn, svg
from .run import Run
from .tables import Table
from .terminal import fine, headline
from .words import Fault, called

TOLD = '<script type="application/json" id="told">'
"""Every report contains this."""
ROWS = 400
"""Of each table."""
BIG = 60
"""Nodes from which on the drawing keeps its size and is scrolled."""


@lru_cache(2)
def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8").strip()


def page(
    run: Run, faults: list[Fault], notes: list[str], tables: Iterable[Table], drawn: Drawn | None
) -> str:
    """The whole file. It loads no other file, and its content policy forbids it."""
    script = _file("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    graph = _work(run, faults, drawn) if drawn else ""
    told = [graph, "".join(_table(table) for table in tables if table.rows)]
    body = [
        f"<header><h1>{escape(run.name)}</h1><p class='quiet'>{escape(headline(run))}</p></header>",
        _faults(run, faults, drawn),
        *(told if drawn is None or drawn.whole else reversed(told)),
        _notes(notes),
        _words(drawn) if drawn else "",
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, True)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(run.name)}: forward and backward</title>"
        f"<style>{_file('page.css')}</style></head><body><main>{''.join(body)}</main>"
        f"{TOLD}{_told(run, drawn)}</script>"
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
        rows.append(f"<li data-kind='{fault.kind}'><p>{says}</p>{do}</li>")
    title = counted(len(faults), "fault")
    error = (
        f"<p>{escape(run.name)} raised, as it does without the doctor:</p>"
        f"<pre>{escape(run.said)}</pre>"
        if run.said else ""
    )  # fmt: skip
    return f"<section><h2>{title}</h2><ul class='faults'>{''.join(rows)}</ul>{error}</section>"


def _work(run: Run, faults: list[Fault], drawn: Drawn) -> str:
    wrong = {fault.node for fault in faults}
    picture = svg(drawn.spec)
    for name in wrong:
        mark = f'class="node" data-id="{escape(name or "", True)}"'
        picture = picture.replace(mark, f"{mark} data-wrong=''", 1)
    large = " large" if len(drawn.spec["nodes"]) > BIG else ""
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
        f"<ol class='steps'>{''.join(_step(step, drawn) for step in steps)}</ol>"
        if steps else "<p class='quiet'>There is no backward pass to step through.</p>"
    )  # fmt: skip
    return (
        f"<section id='graph'><h2>The graph</h2>{part}<p class='quiet'>{shown}Grey arrows: values, "
        "forward. Coloured lines: gradients, back; the thicker, the larger. Left and right arrow "
        "keys step.</p><div class='work'>"
        f"<div class='drawing{large}' tabindex='0' role='region' aria-label='Drawing'>{picture}"
        "</div>"
        f"<div class='side'>{stepper}<p class='detail' aria-live='polite'>Click a node or an edge "
        "for its whole tensor.</p></div></div></section>"
    )


def _step(step: dict[str, Any], drawn: Drawn) -> str:
    labels = {node["id"]: node["label"] for node in drawn.spec["nodes"]}
    parts = []
    for part in step["parts"]:
        to, terms = labels.get(part["to"], part["to"]), part["terms"]
        if not terms and part["local"] is not None:
            terms = [(part["upstream"], part["local"])]
        products = [f"{factor(came)} × {factor(local)}" for came, local in terms]
        products += [f"{part['more']} more"] if products and part["more"] else []
        product = f"{' + '.join(products)} = {part['gradient']} to {to}"
        if not products:
            product = f"{part['upstream']} came, {part['gradient']} goes to {to}"
        parts.append(f"<li>{escape(product)}</li>")
    return f"<li><p>{escape(step['sentence'])}</p><ul>{''.join(parts)}</ul></li>"


def _told(run: Run, drawn: Drawn | None) -> str:
    """What the script tells, as JSON; a tensor that several tell is there once, by its number."""
    texts: dict[str, int] = {}
    details, steps = dict[str, list[str | int]](), list[dict[str, Any]]()
    for node in drawn.spec["nodes"] if drawn else ():
        recorded = run.recording.nodes[node["id"]]
        made = "" if recorded.leaf or node["label"] == node["type"] else f" ({node['type']})"
        where = ", ".join(filter(None, (run.module_of(node["id"]), line_of(recorded.place))))
        details[node["id"]] = [
            f"{node['label']}{made} = ",
            texts.setdefault(node["full"], len(texts)),
            "\ngradient that came: ",
            texts.setdefault(node["upstream_full"], len(texts)),
            "".join(f"\n{line}" for line in (where, *node["stale"]) if line),
        ]
    for edge in drawn.spec["edges"] if drawn else ():
        details[edge["id"]] = ["whole: ", texts.setdefault(edge["full"], len(texts))]
    for step in drawn.spec["steps"] if drawn else ():
        steps.append({"node": step["node"], "edges": [part["edge"] for part in step["parts"]]})
    told = {"steps": steps, "details": details, "texts": list(texts)}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _table(table: Table) -> str:
    head = "".join(f"<th scope='col'>{escape(one)}</th>" for one in table.columns)
    rows = "".join(
        f"<tr{' class=wrong' * (place in table.marked)}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in table.rows[place])
        + "</tr>"
        for place in table.top(ROWS)
    )
    left_out = len(table.rows) - ROWS
    more = f"<p class='quiet'>{left_out:,} more rows.</p>" if left_out > 0 else ""
    return (
        f"<section><h2>{table.title}</h2><div class='scroll' tabindex='0' role='region' "
        f"aria-label='{table.title}'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        f"</table></div>{more}</section>"
    )


def _notes(notes: list[str]) -> str:
    if not notes:
        return ""
    rows = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<section><h2>Also seen</h2><ul class='notes'>{rows}</ul></section>"


def _words(drawn: Drawn) -> str:
    words = escape(drawn.spec["alternative"])
    return f"<details><summary>The graph in words</summary><pre>{words}</pre></details>"
