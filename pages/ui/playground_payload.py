"""Turns a playground's state into what the live lab shows. Pure: no streamlit in here."""

from typing import Any
from urllib.parse import urlencode

from lessons.playground.figures import figures, key, table
from lessons.roles import ROLES
from pages.ui import payload
from pages.ui.playground_controls import FOLDED, groups
from pages.ui.playground_state import LARGEST_GRAPH, PlaygroundState


def lab(state: PlaygroundState) -> dict[str, Any]:
    """Everything that the live lab shows but its address."""
    return {
        "seq": state.seq,
        "reset": state.reset,
        "groups": groups(state),
        "notes": notes(state),
        **picture(state),
        "graph": graph(state),
    }


def graph(state: PlaygroundState) -> dict[str, Any] | None:
    """The last good run's graph; where an edge has a text of its own, the scissors cut it."""
    there = state.graph
    if there is None:
        return None
    title = "The graph of this run: forward values, and the gradient on its way back"
    drawn = payload.graph(there.recording, there.index, title, state.at, "snip")
    for edge in drawn["edges"] if drawn else ():
        name = edge["id"]
        edge["cuttable"] = name in there.edges and (edge["cuttable"] or name in there.cut)
    return {**drawn, "cuts": sorted(there.cut)} if drawn else None


def picture(state: PlaygroundState) -> dict[str, Any]:
    """Charts, table and status of the last good run; empty before there is one."""
    outcome, document = state.outcome, state.good
    if outcome is None or document is None:
        return {"key": [], "figures": [], "table": None, "status": ""}
    roles = [ROLES[name] for name in key(outcome)]
    return {
        "key": [{"role": role.name, "label": role.label, "dash": role.dash} for role in roles],
        "figures": payload.figures(figures(outcome, document)),
        "table": payload.table(table(outcome)),
        "status": payload.status(outcome, {"dtype": document.dtype}, state.seconds),
    }


def notes(state: PlaygroundState) -> list[dict[str, str]]:
    """What to say above the charts."""
    shown = {control["name"] for group in groups(state) for control in group["controls"]}
    found = [("warning", state.said)] if state.said else []
    stray = [error for name, error in state.errors.items() if name not in shown or name in FOLDED]
    found += [("error", str(error)) for error in stray]
    if state.errors and state.outcome is not None:
        found.append(("info", "The picture is that of the last program that ran."))
    if state.outcome is not None and not state.errors:
        found += [(note.level, note.text) for note in state.outcome.notes]
        if state.graph is None:
            said = f"This program has more than {LARGEST_GRAPH} ops: its graph is not drawn."
            found.append(("info", said))
    if not state.address():
        said = "An address cannot hold all of this. To keep it, download the document below."
        found.append(("warning", said))
    return [{"level": level, "text": text} for level, text in found]


def query(state: PlaygroundState) -> str:
    """The address that restores this screen."""
    return urlencode(state.address())
