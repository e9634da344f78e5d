"""Collects the faults of a run, each as a sentence with its place, and what to do about it."""

from collections import Counter
from collections.abc import Iterator

from ..recorder.picture.sentences import stale_sentence
from .cuts import cuts
from .hooks import hooks
from .nonfinite import nonfinite
from .partial import partial_cuts, slopes
from .raised import instead_of, raised
from .run import Run
from .shapes import broadcasts
from .steps import steps
from .words import Fault
from .zeros import rounding, zeros

MOST = 12
"""The report has at most this many faults of one kind."""


def findings(run: Run) -> tuple[list[Fault], list[str]]:
    """Return the faults, the likely cause of the others first, and as notes what is usual."""
    found = [*nonfinite(run), *cuts(run), *zeros(run), *rounding(run), *steps(run)]
    told = [one for one in found if one.kind != "note"]
    told += [*broadcasts(run), *slopes(run, {one.node for one in told}), *hooks(run)]
    told = [*raised(run, {one.kind for one in told}), *told]
    mildest = list(partial_cuts(run, {one.node for one in told}))
    told += [one for one in mildest if one.kind != "note"]
    notes = [one.says for one in (*found, *mildest) if one.kind == "note"]
    return _fewer([*_stale(run), *told]), notes


def _fewer(found: list[Fault]) -> list[Fault]:
    """Keep at most MOST faults of a kind, and count the others."""
    kept: list[Fault] = []
    for kind, many in Counter(one.kind for one in found).items():
        kept += [one for one in found if one.kind == kind][:MOST]
        if many > MOST:
            kept.append(Fault(kind, f"{many - MOST:,} more of this kind were found."))
    return kept


def _stale(run: Run) -> Iterator[Fault]:
    for node, one in ((op, one) for op in run.recording for one in op.stale):
        if not one.refused:
            yield Fault(
                "stale",
                f"{stale_sentence(node, one)} The gradient is computed with the "
                "changed numbers. Torch says nothing: .data, numpy and the steps of fused "
                "optimizers go past its check.",
                instead_of(
                    one, f"Make a new tensor instead: {one.name} = {one.name} + …, without .data."
                ),
                node.name,
            )
