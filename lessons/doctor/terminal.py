"""A trace as text, for a terminal: faults first, then how large each gradient is."""

from ..text import counted
from .page import fine, headline
from .run import Run
from .tables import Table
from .words import Fault

ROWS = 30
"""Of each table; the page has more."""


def told(run: Run, faults: list[Fault], notes: list[str], tables: list[Table]) -> str:
    """What the command prints."""
    out = [run.name, headline(run), ""]
    out.append(listed_faults(run, faults) if faults else fine(run))
    for table in tables[:2]:
        out += _table(table)
    return "\n".join([*out, *(["", *notes] if notes else [])])


def listed_faults(run: Run, faults: list[Fault]) -> str:
    """The faults by number, each with what helps, and the error that the program raised."""
    out = [f"{counted(len(faults), 'fault')}:"]
    for place, fault in enumerate(faults, start=1):
        out.append(f"{place}. {fault.says}")
        out += [f"   {fault.do}"] if fault.do else []
    out += [f"{run.name} raised, as it does without the doctor:", run.said] if run.said else []
    return "\n".join(out)


def _table(table: Table) -> list[str]:
    if not table.rows:
        return []
    rows = [table.columns, *(table.rows[place] for place in table.top(ROWS))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    more = len(table.rows) - ROWS
    return ["", table.title, *lines, *([f"… {more:,} more"] if more > 0 else [])]
