"""Where infinities and NaNs of the forward pass are born, and whether they did harm."""

import math
from collections.abc import Iterable, Iterator

import torch

from ..recorder import Node, Recording
from .graph import reached
from .run import Run
from .words import spelled

Birth = tuple[Node, str, int | None]
"""The node, what it made ("NaN", "∞" or "−∞"), and where, if that number is kept."""


def born(recording: Recording) -> Iterator[Birth]:
    """Nodes with a NaN made of none, or an infinity made of finite numbers, in their order."""
    holds: dict[str, set[str]] = {}
    for node in recording:
        found = _nonfinite(recording, node)
        holds[node.name] = set(found)
        read = set().union(*(holds.get(edge.producer.name, set()) for edge in node.operands))
        if "NaN" in found and "NaN" not in read:
            yield node, "NaN", found["NaN"]
        elif not read:
            yield from ((node, what, place) for what, place in found.items())


def carried(recording: Recording, ends: Iterable[str]) -> set[str]:
    """The nodes with a NaN or an infinity from which one comes to these ends."""
    nodes = recording.nodes

    def bad(names: Iterable[str]) -> list[str]:
        return [name for name in names if _nonfinite(recording, nodes[name])]

    return reached(bad(ends), lambda name: bad(e.producer.name for e in nodes[name].operands))


def intended(node: Node) -> bool:
    """An infinity that the program itself wrote: a mask before a softmax."""
    written = any(isinstance(one, float) and math.isinf(one) for one in node.numbers)
    return written or node.kind == "constant"


def spoiled(run: Run) -> bool:
    """Whether the result is a NaN or an infinity, or holds one."""
    result = run.result
    if result is None or not result.is_floating_point():
        return False
    return not torch.isfinite(result.detach()).all().item()


def _nonfinite(recording: Recording, node: Node) -> dict[str, int | None]:
    """What of it is in the outputs; the whole tensors are asked, for not all numbers are kept."""
    value, found = node.outputs[0], dict[str, int | None]()
    for place, one in enumerate(value.numbers):
        if not (math.isfinite(one.real) and math.isfinite(one.imag)):
            found.setdefault("NaN" if isinstance(one, complex) else spelled(one), place)
    for tensor in recording.tensors.get(node.name, ()) if not found else ():
        if tensor.is_floating_point() and tensor.layout is torch.strided and not tensor.is_meta:
            whole = tensor.detach()
            if value.size > len(value.numbers) and not bool(torch.isfinite(whole).all()):
                return {"NaN" if bool(torch.isnan(whole).any()) else "∞": None}
    return found
