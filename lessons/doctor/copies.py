"""Modules that are copies of others which train: target networks, teachers, averages."""

import torch

from .graph import Graph
from .watch import Run

NEAR = 0.5
"""How far a copy may be from what it was copied from, in parts of its length; a network that was
drawn anew is 1.4 away."""


def copies(run: Run, graph: Graph) -> dict[str, str]:
    """Leaves that got no gradient and are meant to, by name, each with what it is a copy of.

    The copy runs without gradients or not at all, and what it was copied from has gradients.
    """
    missing = {name for name, one in run.gradients.items() if one.norm is None}
    found: dict[str, str] = {}
    for name in run.gradients:
        if name not in missing or name in found:
            continue
        parts = name.split(".")
        for depth in range(1, len(parts)):
            prefix = ".".join(parts[:depth])
            own = [one for one in run.gradients if one.startswith(f"{prefix}.")]
            twin = _twin(run, prefix, own) if missing.issuperset(own) else None
            if twin is not None:
                ran = any(one in graph.consumers for one in own)
                how = "It runs without gradients here" if ran else "It does not run here"
                found |= dict.fromkeys(
                    own, f"{prefix} is a copy of {twin}, which trains. {how}: meant for a target "
                    "network, a teacher or an average.",
                )  # fmt: skip
                break
    return found


def _twin(run: Run, prefix: str, own: list[str]) -> str | None:
    """The other module with parameters of the same names, shapes and nearly the same numbers."""
    ends = [name.removeprefix(prefix) for name in own]
    for name, one in run.gradients.items():
        other = name.removesuffix(ends[0])
        if one.norm is None or other in (name, prefix):
            continue
        pairs = [(mine, f"{other}{end}") for mine, end in zip(own, ends, strict=True)]
        if all(_trains(run, theirs) and _alike(run, mine, theirs) for mine, theirs in pairs):
            return other
    return None


def _trains(run: Run, name: str) -> bool:
    return name in run.gradients and run.gradients[name].norm is not None


def _alike(run: Run, name: str, other: str) -> bool:
    mine, theirs = (run.recording.tensors.get(one, [None])[0] for one in (name, other))
    if mine is None or theirs is None or mine.shape != theirs.shape:
        return False
    apart = torch.linalg.vector_norm(mine.detach().double() - theirs.detach().double())
    return bool(apart <= NEAR * torch.linalg.vector_norm(theirs.detach().double()))
