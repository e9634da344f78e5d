"""A run in words, as a terminal shows it: its faults, and the gradient of each leaf."""

from typing import NamedTuple

import torch

from ..recorder import whole
from ..text import counted, listed, number
from ..text.console import printable
from .held import idle
from .run import Run
from .words import WORDS, Fault

COLUMNS = ("leaf", "shape", "norm", "state")
ROWS = 30
"""Gradients that a terminal lists; the page has more."""


class Row(NamedTuple):
    """A leaf and its gradient, in words."""

    leaf: str
    shape: str
    norm: str
    state: str
    is_wrong: bool


def gradients(run: Run, most: int) -> list[Row]:
    """Each leaf that wants a gradient, and how large it is; the wrong ones if not all have room."""
    rows = []
    for name, one in run.learning.items():
        state = "none came" if one.norm is None else "all zero" * one.zero
        if one.nonfinite:
            state = f"{one.nonfinite:,} NaN or ∞"
        norm = "none" if one.norm is None else number(one.norm, 4)
        rows.append(Row(name, "×".join(map(str, one.shape)) or "scalar", norm, state, bool(state)))
    rows += [Row(name, "", "", "frozen: requires_grad=False", False) for name in run.frozen]
    places = sorted(range(len(rows)), key=lambda place: not rows[place].is_wrong)[:most]
    return [rows[place] for place in sorted(places)]


def as_text(run: Run, faults: list[Fault], notes: list[str]) -> str:
    """Write what the command prints, without anything that a terminal would obey."""
    said = listed_faults(run, faults) if faults else fine(run)
    rows = [COLUMNS, *(row[:4] for row in gradients(run, ROWS))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    pairs = (zip(row, widths, strict=True) for row in rows)
    lines = ["  ".join(cell.ljust(width) for cell, width in row).rstrip() for row in pairs]
    more = len(run.learning) + len(run.frozen) - ROWS
    lines += [f"… {more:,} more"] if more > 0 else []
    table = ["", "Gradients", *lines] if rows[1:] else []
    text = "\n".join([run.name, headline(run), "", said, *table, *(["", *notes] if notes else [])])
    return "\n".join(map(printable, text.split("\n")))


def listed_faults(run: Run, faults: list[Fault]) -> str:
    """The faults by number, each with what helps, and the error that the program raised."""
    out = [f"{counted(len(faults), 'fault')}:"]
    for place, fault in enumerate(faults, start=1):
        out.append(f"{place}. {fault.says}")
        out += [f"   {fault.do}"] if fault.do else []
    out += [f"{run.name} raised, as it does without the doctor:", run.said] if run.said else []
    return "\n".join(out)


def headline(run: Run) -> str:
    """Say how large the run was, what it gave, and with which torch."""
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
    """Say that nothing is wrong, and what that covers."""
    if run.unseen:
        return f"Nothing was looked at: {run.unseen}"
    got, every = sum(bool(one.norm) for one in run.learning.values()), len(run.learning)
    leaves = "the leaf that wants" if every == 1 else f"each of the {every:,} leaves that want"
    if got < every:
        leaves = f"{got:,} of the {every:,} leaves that want"
    waits = idle(run)
    opening = f" so far, but {waits[0]} Gradients" if waits else ""
    text = (
        f"No fault was found{opening}: {leaves} a gradient got one that is finite and not all zero"
    )
    taken = run.optimizers.steps
    names = dict.fromkeys(f"{one.name} ({one.kind})" for one in taken)
    if taken:
        return f"{text}, over {counted(len(taken), 'step')} of {listed(list(names))}."
    passes = WORDS.counted("backward_passes", len(run.recording.passes))
    return f"{text}, in {passes}. {'' if waits else WORDS('no_step')}".strip()
