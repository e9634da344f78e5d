"""Takes from charts and a table what a question still hides."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lessons.contract.figure import Figure, Table
from lessons.contract.result import Result, Series
from lessons.contract.stacking import stacked
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)
COVERED = WORDS("covered")
_NUMBERS = {"x", "y", "z", "text", "hovertext", "customdata"}


def covered_result(result: Result, hidden: frozenset[str]) -> Result:
    """Replace the numbers of these roles with NaN, so that no axis is scaled to them."""

    def emptied(part: Series) -> Series:
        numbers = {name: getattr(part, name) for name in ("y", "low", "high")}
        there = {name: one for name, one in numbers.items() if one is not None}
        gone = {name: np.full_like(one, np.nan) for name, one in there.items()}
        return replace(part, **gone) if part.role in hidden else part

    parts = (result.series, result.curves, result.statistics)
    series, curves, statistics = (tuple(map(emptied, part)) for part in parts)
    return replace(result, series=series, curves=curves, statistics=statistics)


def covered_figure(figure: Figure, hidden: frozenset[str], opens: int = 0) -> Figure:
    """Take these roles out of a chart; if it has no others, take everything.

    A trace has the roles whose colours it has, and those that it ``hides``. A row in which a trace
    is covered says so. The title and the description for screen readers go, too, since they
    tell all numbers.

    Args:
        opens: the number of the step with the question that hides them; 0 for the step shown.
    """
    if not hidden:
        return figure
    roles = [frozenset((*roles_of(trace), *trace.get("hides", ()))) for trace in figure.data]
    everywhere = frozenset().union(*roles)
    if figure.data and not everywhere & hidden:  # a chart that is empty may say why
        return figure
    whole = everywhere <= hidden
    data = [
        _emptied(trace) if whole or of & hidden else trace
        for trace, of in zip(figure.data, roles, strict=True)
    ]
    rows = dict.fromkeys(
        before.get("yaxis", "y")
        for before, trace, of in zip(figure.data, data, roles, strict=True)
        if of and trace is not before and (whole or before.get("visible", True))
    )
    seen = {
        trace.get("yaxis", "y")
        for trace, of in zip(data, roles, strict=True)
        if of and trace.get("visible", True)
    }
    said = WORDS("covered_until", step=opens) if opens else COVERED
    notes = [
        one for one in figure.layout.get("annotations", ()) if hidden.isdisjoint(roles_of(one))
    ]
    notes += [_note(axis, said, axis in seen) for axis in rows]
    title = figure.subject or figure.title
    return replace(
        figure,
        title=title,
        data=stacked(data),
        layout=figure.layout | {"annotations": notes},
        caption="" if whole else figure.caption,
        alt=f"{title}. {said}",
    )


def _emptied(trace: dict[str, Any]) -> dict[str, Any]:
    """A trace out of sight, without its numbers and words: a browser's tools show all it has."""
    kept = {name: value for name, value in trace.items() if name not in _NUMBERS}
    return kept | {name: [] for name in _NUMBERS & trace.keys()} | {"visible": False}


def _note(axis: str, said: str, at_edge: bool) -> dict[str, Any]:
    """Say in a row that a part of it is covered: in its middle, or below what is still seen."""
    place = {"xref": "x domain", "yref": f"{axis} domain", "x": 0.5, "y": 0.5}
    if at_edge:
        place |= {"y": 0.0, "yanchor": "bottom"}
    return {
        **place,
        "text": said,
        "showarrow": False,
        "font": {"color": "ink:muted", "size": 14},
        "bgcolor": "ink:paper",
    }


def drawable(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace as Plotly takes it, without what is only said for covering it."""
    return {name: value for name, value in trace.items() if name not in ("hides", "stack")}


def untrained_figure(figure: Figure) -> Figure:
    """The chart before the first step: its title says what it will show, not what was found."""
    return replace(figure, title=figure.subject or figure.title)


def covered_table(table: Table, hidden: frozenset[str]) -> Table:
    """The table with a question mark in place of each number in these roles.

    The table's subject replaces its caption, which may give a covered number away.
    """
    roles = [role for _, role in table.columns]
    if hidden.isdisjoint(roles):
        return table
    rows = tuple(
        tuple("?" if role in hidden else cell for cell, role in zip(row, roles, strict=True))
        for row in table.rows
    )
    return replace(table, caption=table.subject or table.caption, rows=rows)


def roles_of(value: Any) -> Iterator[str]:
    """The roles whose colours a trace has."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from roles_of(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from roles_of(inner)
    elif isinstance(value, str) and value.startswith("role:"):
        yield value.removeprefix("role:").partition("/")[0]
