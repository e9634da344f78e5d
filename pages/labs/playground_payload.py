"""Turns a playground's state into the parts of a frame."""

from typing import TypedDict

from lessons.contract.roles import ROLES
from lessons.playground.running.outcome_charts import figures, key, table
from pages.labs import payload
from pages.labs.graph_messages import GraphSpec
from pages.labs.linked import links_of_program
from pages.labs.messages import FigureSpec, Group, KeyEntry, NoteSpec, TableSpec
from pages.labs.playground_controls import FOLDED, groups
from pages.labs.playground_state import LARGEST_GRAPH, State


class Picture(TypedDict):
    """The parts of a frame that show one run."""

    key: list[KeyEntry]
    figures: list[FigureSpec]
    table: TableSpec | None
    status: str


class Lab(Picture):
    """The parts that follow from a state alone."""

    groups: list[Group]
    notes: list[NoteSpec]
    graph: GraphSpec | None


def lab(state: State) -> Lab:
    """Everything that the lab shows but its address."""
    shown = picture(state)
    return {
        "groups": groups(state),
        "notes": notes(state),
        **shown,
        "graph": graph(state, shown["table"]),
    }


def graph(state: State, table: TableSpec | None) -> GraphSpec | None:
    """The last good run's graph; where an edge has a text of its own, the scissors cut it."""
    there = state.graph
    if there is None:
        return None
    title = "The graph of this run: forward values, and the gradient on its way back"
    drawn = payload.graph(there.recording, there.index, title, "snip", sorted(there.cut))
    for edge in drawn["edges"]:
        name = edge["id"]
        edge["cuttable"] = name in there.edges and (edge["cuttable"] or name in there.cut)
    nodes = {node["id"] for node in drawn["nodes"]}
    drawn["stretches"] = there.stretches
    if table and state.outcome is not None:
        run = there.recording, there.index
        drawn["links"] = links_of_program(*run, state.outcome, table, nodes)
    return drawn


def picture(state: State) -> Picture:
    """Charts, table and status of the last good run; empty before there is one."""
    outcome, document = state.outcome, state.good
    if outcome is None or document is None or state.computed is None:
        return {"key": [], "figures": [], "table": None, "status": ""}
    roles = [ROLES[name] for name in key(outcome)]
    return {
        "key": [payload.key_entry(role) for role in roles],
        "figures": payload.figures(figures(outcome, document)),
        "table": payload.table(table(outcome)),
        "status": payload.status(outcome, {"dtype": document.dtype}, state.computed.seconds),
    }


def notes(state: State) -> list[NoteSpec]:
    """What to say above the charts."""
    shown = {control["name"] for group in groups(state) for control in group["controls"]}
    found: list[NoteSpec] = [{"level": "warning", "text": state.notice}] if state.notice else []
    stray = [error for name, error in state.errors.items() if name not in shown or name in FOLDED]
    found += [{"level": "error", "text": str(error)} for error in stray]
    if state.errors and state.outcome is not None:
        text = "The picture is old: it is that of the last program that ran."
        found.append({"level": "warning", "text": text})
    if state.outcome is not None and not state.errors:
        found += payload.notes(state.outcome.notes)
        if state.graph is None:
            text = f"This program has more than {LARGEST_GRAPH} ops: its graph is not drawn."
            found.append({"level": "info", "text": text})
    if not state.address():
        text = "An address cannot hold all of this. To keep it, download the document below."
        found.append({"level": "warning", "text": text})
    return found
