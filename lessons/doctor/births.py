"""Where infinities and NaNs of the forward pass are born, and whether they did harm."""

import math
from collections.abc import Iterable, Iterator

import torch

from ..recorder import Node, Recording
from .graph import bad_place
from .watch import Run

Birth = tuple[Node, str, int | None]
"""The node, what it made ("NaN", "∞" or "−∞"), and where, if that number is kept."""


def born(recording: Recording) -> Iterator[Birth]:
    """Nodes with a NaN made of none, or an infinity made of finite numbers, in their order."""
    holds: dict[str, set[str]] = {}
    for node in recording:
        found = _in(recording, node)
        holds[node.name] = set(found)
        read = set().union(*(holds.get(edge.producer.name, set()) for edge in node.operands))
        if "NaN" in found and "NaN" not in read:
            yield node, "NaN", found["NaN"]
        elif not read:
            yield from ((node, what, place) for what, place in found.items())


def carried(recording: Recording, ends: Iterable[str]) -> set[str]:
    """The nodes with a NaN or an infinity from which one comes to these ends."""
    found: set[str] = set()
    waiting = [name for name in ends if _in(recording, recording.nodes[name])]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        producers = {edge.producer.name for edge in recording.nodes[name].operands}
        waiting += [one for one in producers if _in(recording, recording.nodes[one])]
    return found


def intended(node: Node) -> bool:
    """An infinity that the program itself wrote: a mask before a softmax."""
    written = any(isinstance(one, float) and math.isinf(one) for one in node.numbers)
    return written or node.kind == "constant"


def harmed(run: Run) -> bool:
    """Whether the result or a gradient is not finite; one that is masked again does no harm."""
    return spoiled(run) or any(one.nonfinite for one in run.gradients.values())


def spoiled(run: Run) -> bool:
    """Whether the result is a NaN or an infinity, or holds one."""
    result = run.result
    if result is None or not result.is_floating_point():
        return False
    return not torch.isfinite(result.detach()).all().item()


def _in(recording: Recording, node: Node) -> dict[str, int | None]:
    """What of it is in the outputs; the whole tensors are asked, for not all numbers are kept."""
    value = node.outputs[0]
    place = bad_place(value)
    if place is not None:
        found: dict[str, int | None] = {}
        for at in range(place, len(value.numbers)):
            one = value.numbers[at]
            if isinstance(one, complex) or math.isnan(one):
                found.setdefault("NaN", at)
            elif math.isinf(one):
                found.setdefault("∞" if one > 0 else "−∞", at)
        return found
    for tensor in recording.tensors.get(node.name, ()):
        if tensor.is_floating_point() and tensor.layout is torch.strided and not tensor.is_meta:
            whole = tensor.detach()
            if value.size > len(value.numbers) and not bool(torch.isfinite(whole).all()):
                return {"NaN" if bool(torch.isnan(whole).any()) else "∞": None}
    return {}
