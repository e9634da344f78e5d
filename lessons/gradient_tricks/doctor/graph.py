"""Answers questions about a recorded graph: what leads where, and where a way back ends."""

import cmath
from collections.abc import Container, Iterable
from functools import cached_property

from ..recorder import Edge, Node, Recording, Value, reached

_LIKE = frozenset((
    *("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"),
    *("randint_like", "new_tensor", "new_zeros", "new_ones", "new_full", "new_empty"),
))  # fmt: skip
"""Ops that read only the shape and the dtype of their first operand."""


class Graph:
    """A recording with its edges both ways, each found once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.consumers: dict[str, list[Edge]] = {}
        for edge in recording.edges:
            self.consumers.setdefault(edge.producer.name, []).append(edge)

    @cached_property
    def updates(self) -> set[str]:
        """The nodes where a leaf gets numbers made of its old ones: averages, steps by hand."""
        tensors, found = self.recording.tensors, set[str]()
        for node in self.recording:
            if node.kind == "stopped" and node.type != "stop_gradient" and node.off is None:
                before = self.before(edge.producer.name for edge in node.operands)
                old = {id(one) for name in before for one in tensors.get(name, ())}
                if any(id(one) in old for one in tensors.get(node.name, ())):
                    found.add(node.name)
        return found

    def before(
        self, names: Iterable[str], flowing: bool = False, without: Container[str] = ()
    ) -> set[str]:
        """Find these nodes and all that they are made of; `flowing`: only along gradients.

        `without` leaves out what only these nodes are made of.
        """
        nodes = self.recording.nodes

        def made_of(name: str) -> Iterable[str]:
            operands = () if name in without else nodes[name].operands
            return (e.producer.name for e in operands if e.flows or not flowing)

        return set(reached(names, made_of))

    def after(
        self, names: Iterable[str], flowing: bool = False, without: Container[str] = ()
    ) -> set[str]:
        """Find these nodes and all that is made of them; `flowing`: only along gradients.

        `without` leaves out what is made through these nodes alone.
        """

        def read_by(name: str) -> Iterable[str]:
            edges = (one for one in self.consumers.get(name, ()) if one.flows or not flowing)
            return (one.consumer.name for one in edges if one.consumer.name not in without)

        return set(reached(names, read_by))

    def ends(self, live: set[str]) -> list[Node]:
        """Find the ops that read one of these nodes and give a gradient no way back to it."""
        edges = (edge for name in live for edge in self.consumers.get(name, ()) if not edge.flows)
        found = {one.consumer for one in edges if one.operand or one.consumer.type not in _LIKE}
        return [node for node in self.recording if node in found]


def bad_place(value: Value | None) -> int | None:
    """Find the place of the first NaN or infinity among the numbers kept; None if there is none."""
    numbers = value.numbers if value is not None else ()
    return next((place for place, one in enumerate(numbers) if not cmath.isfinite(one)), None)


def zero(value: Value | None) -> bool:
    """Whether all numbers kept are 0."""
    return value is not None and len(value.numbers) > 0 and not any(value.numbers)
