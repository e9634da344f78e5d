"""Modules that are meant to get no gradient: target networks, teachers, averages."""

import torch
from torch import nn

from .graph import Graph
from .stops import stop
from .watch import Run

NEAR = 0.5
"""How far a copy may be from what it was copied from, in parts of its length; a network that was
drawn anew is 1.4 away."""


def copies(run: Run, graph: Graph, ends: set[str]) -> dict[str, str]:
    """Leaves that got no gradient and are meant to, by name, each with the reason in a sentence.

    Of such a module nothing trains, and it runs without gradients or not at all. It is a copy of
    one that trains, or it is in eval mode, or the optimizers do not hold it.
    """
    missing = {name for name, one in run.gradients.items() if one.norm is None}
    if len(missing) == len(run.gradients):
        return {}
    held = _held(run) if missing else set()
    found: dict[str, str] = {}
    for name in run.gradients:
        if name not in missing or name in found:
            continue
        parts = name.split(".")
        for depth in range(1, len(parts)):
            prefix = ".".join(parts[:depth])
            own = [one for one in run.gradients if one.startswith(f"{prefix}.")]
            why = _meant(run, held, prefix, own) if missing.issuperset(own) else ""
            if why and _is_stopped(run, graph, own, ends):
                ran = any(one in graph.consumers for one in own)
                how = "runs without gradients" if ran else "does not run"
                found |= dict.fromkeys(
                    own, f"{prefix} {how} here, and {why}: meant for a target network, a teacher "
                    "or an average.",
                )  # fmt: skip
                break
    return found


def _held(run: Run) -> set[int]:
    """The parameters that optimizers hold, by `id`, where they hold some that have a gradient."""
    held, tensors = run.watch.optimizers.all_held(), run.watch.leaves.tensors
    trained = (id(tensors[name]) for name, one in run.gradients.items() if one.norm is not None)
    return held if held.intersection(trained) else set()


def _meant(run: Run, held: set[int], prefix: str, own: list[str]) -> str:
    """How one sees that a module is not to train."""
    twin = _twin(run, prefix, own)
    if twin is not None:
        return f"it is a copy of {twin}, which trains"
    if held and not any(id(run.watch.leaves.tensors[one]) in held for one in own):
        return "no optimizer holds it"
    module = _module(run.watch.leaves.modules, prefix)
    return "it is in eval mode" if module is not None and not module.training else ""


def _module(roots: dict[str, nn.Module], path: str) -> nn.Module | None:
    parts = (
        (f"{root}.{name}".strip("."), module)
        for root, whole in roots.items() for name, module in whole.named_modules()
    )  # fmt: skip
    return next((module for name, module in parts if name == path), None)


def _is_stopped(run: Run, graph: Graph, own: list[str], ends: set[str]) -> bool:
    """Whether its results are stopped on purpose, by a block or a detach, and not by a copy."""
    live, wanted = graph.after(own, live=True), graph.before(ends)
    kinds = {stop(run, graph, one, live).kind for one in graph.ends(live) if one.name in wanted}
    return kinds <= {"no_grad", "detached"}


def _twin(run: Run, prefix: str, own: list[str]) -> str | None:
    """The other module with parameters of the same names, shapes and nearly the same numbers."""
    tails = [name.removeprefix(prefix) for name in own]
    for name, one in run.gradients.items():
        other = name.removesuffix(tails[0])
        if one.norm is None or other in (name, prefix):
            continue
        pairs = [(mine, f"{other}{tail}") for mine, tail in zip(own, tails, strict=True)]
        if all(_trains(run, theirs) and _alike(run, mine, theirs) for mine, theirs in pairs):
            return other
    return None


def _trains(run: Run, name: str) -> bool:
    return name in run.gradients and run.gradients[name].norm is not None


def _alike(run: Run, name: str, other: str) -> bool:
    tensors = run.watch.leaves.tensors
    mine, theirs = (tensors.get(one) for one in (name, other))
    if mine is None or theirs is None or mine.shape != theirs.shape:
        return False
    apart = torch.linalg.vector_norm(mine.detach().double() - theirs.detach().double())
    return bool(apart <= NEAR * torch.linalg.vector_norm(theirs.detach().double()))
