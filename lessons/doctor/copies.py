"""Modules that are meant to get no gradient: target networks, teachers, averages."""

import torch

from .run import Run
from .stops import stop

NEAR = 0.5
"""How far a copy may be from what it was copied from, in parts of its length; a network that was
drawn anew is 1.4 away."""


def copies(run: Run) -> dict[str, str]:
    """Leaves that got no gradient and are meant to, by name, each with the reason in a sentence.

    Of such a module nothing trains, and it runs without gradients or not at all. It is a copy of
    one that trains, or it is in eval mode, or the optimizers do not hold it.
    """
    trained = [name for name, one in run.gradients.items() if one.norm is not None]
    missing = [name for name in run.gradients if name not in trained]
    if not missing or not trained:
        return {}
    held = run.optimizers.all_held()
    if not held.intersection(id(run.tensors[name]) for name in trained):
        held = set()
    found: dict[str, str] = {}
    for name in missing:
        parts = name.split(".")
        for depth in range(1, len(parts) if name not in found else 0):
            prefix = ".".join(parts[:depth])
            own = [one for one in run.gradients if one.startswith(f"{prefix}.")]
            why = _meant(run, held, prefix, own) if set(missing).issuperset(own) else ""
            if why and _is_stopped(run, own):
                ran = any(one in run.graph.consumers for one in own)
                how = "runs without gradients" if ran else "does not run"
                says = (
                    f"{prefix} {how} here, and {why}: meant for a target network, a teacher or an "
                    "average."
                )
                found |= dict.fromkeys(own, says)
                break
    return found


def _meant(run: Run, held: set[int], prefix: str, own: list[str]) -> str:
    """How one sees that a module is not to train."""
    twin = _twin(run, prefix, own)
    if twin is not None:
        return f"it is a copy of {twin}, which trains"
    if held and not any(id(run.tensors[one]) in held for one in own):
        return "no optimizer holds it"
    module = run.modules.get(prefix)
    return "it is in eval mode" if module is not None and not module.training else ""


def _is_stopped(run: Run, own: list[str]) -> bool:
    """Whether its results are stopped on purpose, by a block or a detach, and not by a copy."""
    live = run.graph.after(own, live=True)
    kinds = {stop(run, one, live).kind for one in run.graph.ends(live) if one.name in run.wanted}
    return kinds <= {"no_grad", "detached"}


def _twin(run: Run, prefix: str, own: list[str]) -> str | None:
    """The other module with parameters of the same names, shapes and nearly the same numbers."""
    tails = [name.removeprefix(prefix) for name in own]
    for name in run.gradients:
        other = name.removesuffix(tails[0])
        if other not in (name, prefix) and all(
            _trains_alike(run, mine, f"{other}{tail}")
            for mine, tail in zip(own, tails, strict=True)
        ):
            return other
    return None


def _trains_alike(run: Run, name: str, other: str) -> bool:
    """Whether another leaf has a gradient, and nearly the same numbers as this one."""
    if other not in run.gradients or run.gradients[other].norm is None:
        return False
    mine, theirs = (run.tensors[one].detach().double() for one in (name, other))
    if mine.shape != theirs.shape:
        return False
    length = torch.linalg.vector_norm
    return bool(length(mine - theirs) <= NEAR * length(theirs))
