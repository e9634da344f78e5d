"""What went wrong in a run, each fault as a sentence with its place, and what one does about it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..recorder.picture.sentences import stale_sentence
from .cuts import cuts
from .graph import Graph
from .hooks import hooks
from .nonfinite import nonfinite
from .partial import partial_cuts
from .raised import raised
from .shapes import broadcasts
from .slopes import slopes
from .steps import steps
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
    found = [*_stale(run)]
    told = [*nonfinite(run, graph), *cuts(run, graph), *zeros(run, graph), *rounding(run, graph)]
    told += [*broadcasts(run, graph), *slopes(run, graph, {node for *_, node in told}), *steps(run)]
    told += hooks(run)
    told = [*raised(run, graph, {kind for kind, *_ in told}), *told]
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
