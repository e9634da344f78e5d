"""What went wrong in a run, each fault as a sentence with its place, and what one does about it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..recorder.picture.sentences import stale_sentence
from .cuts import cuts
from .graph import Graph
from .nonfinite import nonfinite
from .partial import partial_cuts
from .shapes import broadcasts
from .slopes import slopes
from .watch import Run
from .zeros import rounding, zeros

MOST = 12
"""Faults of one kind that are told."""


@dataclass(frozen=True)
class Fault:
    """`kind` a word for programs; `says` what and where; `do` what helps; `node` where to look."""

    kind: str
    says: str
    do: str = ""
    node: str | None = None


def faults(run: Run) -> list[Fault]:
    """All that is found, the likely cause of the others first."""
    graph = Graph(run.recording)
    found = [*_refusals(run), *_stale(run)]
    told = [*nonfinite(run, graph), *cuts(run, graph), *zeros(run, graph), *rounding(run, graph)]
    told += [*broadcasts(run, graph), *slopes(run, graph, {node for *_, node in told})]
    if "no_create_graph" in {kind for kind, *_ in told}:  # what it saved is freed at once
        found = [one for one in found if one.kind != "second_time"]
    told += partial_cuts(run, graph, {node for *_, node in told})  # the mildest
    return _fewer([*found, *(Fault(*one) for one in told)])


def _fewer(found: list[Fault]) -> list[Fault]:
    """At most MOST of a kind, and then how many more there are."""
    kept: list[Fault] = []
    for kind, many in Counter(one.kind for one in found).items():
        same = [one for one in found if one.kind == kind]
        kept += same[:MOST]
        if many > MOST:
            kept.append(Fault(kind, f"{many - MOST:,} more of this kind were found."))
    return kept


def _refusals(run: Run) -> Iterator[Fault]:
    if run.refused:
        yield Fault("refused", run.refused, "", run.recording.refused)
    if "second time" in run.failed:
        yield Fault(
            "second_time",
            f"{run.name} went backward a second time through ops of the first{_second_line(run)}: "
            "torch had freed what they saved. Something is handed on from one pass to the next "
            "with its graph.",
            "Detach what goes on, as in h = h.detach(); retain_graph=True would keep all of them.",
        )
    elif run.failed:
        yield Fault("failed", f"The backward pass raised: {run.failed[:400]}")


def _second_line(run: Run) -> str:
    """In which line, as Python's traceback has it."""
    found = re.search(r"\S+\.py:\d+", run.failed)
    return f", in {found[0]}" if found else ""


def _stale(run: Run) -> Iterator[Fault]:
    for node in run.recording:
        for one in node.stale:
            if not one.refused:
                yield Fault(
                    "stale",
                    f"{stale_sentence(run.recording, node, one)} The gradient is computed with "
                    "the changed numbers. Torch says nothing: .data and numpy go past its check.",
                    f"Make a new tensor instead: {one.name} = {one.name} + …, without .data.",
                    node.name,
                )
