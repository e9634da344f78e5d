"""A trace as text, for a terminal: faults first, then how large each gradient is."""

import torch

from ..recorder.recording.plain_tensor import whole
from ..text import counted, listed
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


def headline(run: Run) -> str:
    """How large the run was, what it gave, and with which torch."""
    parts = [counted(len(run.recording.ops), "op")]
    if run.weights:
        parts.append(counted(run.weights, "weight"))
    if run.recording.output:
        value = run.recording.nodes[run.recording.output].outputs[run.recording.output_index]
        parts.append(f"result {whole(value)}")
    elif run.returned:
        parts.append(f"returned {run.returned}")
    return ", ".join([*parts, f"torch {torch.__version__}"])


def fine(run: Run) -> str:
    """That nothing is wrong, with what was looked at: it holds for no more than that."""
    got = sum(one.norm is not None for one in run.gradients.values())
    leaves = "the leaf that wants" if got == 1 else f"each of the {got:,} leaves that want"
    text = f"No fault was found: {leaves} a gradient got one that is finite and not all zero"
    taken = run.optimizers.steps
    names = dict.fromkeys(f"{one.name} ({one.kind})" for one in taken)
    if taken:
        return f"{text}, over {counted(len(taken), 'step')} of {listed(list(names))}."
    passes = len(run.recording.passes)
    count = f"{passes:,} backward {'pass' if passes == 1 else 'passes'}"
    return f"{text}, in {count}. No optimizer made a step, so none was looked at."


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
