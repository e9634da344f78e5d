"""Turns a playground's state into the parts of a frame."""

from typing import TypedDict

from lessons.contract.roles import ROLES
from lessons.playground.running.outcome_charts import figures, key, table
from lessons.playground.running.recorded import edges_of, place
from lessons.playground.running.scissors import operations_of
from pages.labs import payload
from pages.labs.graph_messages import GraphSpec
from pages.labs.linked import links_of_program, stretches_of_program
from pages.labs.messages import FigureSpec, Group, KeyEntry, NoteSpec, TableSpec
from pages.labs.playground_controls import groups
from pages.labs.playground_state import LARGEST_GRAPH, Computed, State


class Lab(TypedDict):
    """The parts that follow from a state alone: charts and graph of the last good run."""

    groups: list[Group]
    notes: list[NoteSpec]
    key: list[KeyEntry]
    figures: list[FigureSpec]
    table: TableSpec | None
    status: str
    graph: GraphSpec | None


def lab(state: State) -> Lab:
    """Everything that the lab shows but its address."""
    controls = groups(state)
    shown: Lab = {
        "groups": controls,
        "notes": notes(state, controls),
        "key": [],
        "figures": [],
        "table": None,
        "status": "",
        "graph": None,
    }
    made, document = state.computed, state.good
    if made is not None and document is not None:
        numbers = payload.table(table(made.outcome))
        shown |= {
            "key": [payload.key_entry(ROLES[name]) for name in key(made.outcome)],
            "figures": payload.figures(figures(made.outcome, document)),
            "table": numbers,
            "status": payload.status(made.outcome, {"dtype": document.dtype}, made.seconds),
            "graph": graph(made, numbers),
        }
    return shown


def graph(made: Computed, table: TableSpec) -> GraphSpec | None:
    """A run's graph; where an edge has a text of its own, the scissors cut it."""
    if made.recording is None:
        return None
    ops = operations_of(made.checked.program)
    edges, index = edges_of(ops), place(made.checked)
    cut = [f"{op.name}:{operand.place}" for op in ops for operand in op.operands if operand.cut]
    drawn = payload.graph(made.recording, index, payload.GRAPH_TITLE, "snip", sorted(cut))
    for edge in drawn["edges"]:
        name = edge["id"]
        edge["cuttable"] = name in edges and (edge["cuttable"] or name in cut)
    nodes = {node["id"] for node in drawn["nodes"]}
    drawn["stretches"] = stretches_of_program(made.checked)
    drawn["links"] = links_of_program(made.recording, index, made.outcome, table, nodes)
    return drawn


def notes(state: State, groups: list[Group]) -> list[NoteSpec]:
    """What to say above the charts."""
    open_ = {one["name"] for group in groups if group["open"] for one in group["controls"]}
    found: list[NoteSpec] = [{"level": "warning", "text": state.notice}] if state.notice else []
    stray = [error for name, error in state.errors.items() if name not in open_]
    found += [{"level": "error", "text": str(error)} for error in stray]
    if state.computed and state.errors:
        text = "The picture is old: it is that of the last program that ran."
        found.append({"level": "warning", "text": text})
    elif state.computed:
        found += payload.notes(state.computed.outcome.notes)
        if state.computed.recording is None:
            text = f"This program has more than {LARGEST_GRAPH} ops: its graph is not drawn."
            found.append({"level": "info", "text": text})
    if not state.address():
        text = "An address cannot hold all of this. To keep it, download the document below."
        found.append({"level": "warning", "text": text})
    return found
