"""What one step of a backward pass is: the op, what goes along its edges, which sums wait."""

from typing import Any, Literal, NamedTuple

from ..recording.nodes import State


class Part(NamedTuple):
    """One edge of a step's op. `upstream` × `local` = `gradient`, where the op is elementwise.

    `terms` are the products that were summed for a broadcast operand, those not 1 × 1; `offered`
    is what a cut edge holds back.
    """

    edge: str
    to: str
    state: State
    upstream: Any
    local: float | None
    gradient: Any
    offered: Any
    terms: tuple[tuple[Any, float], ...] = ()
    terms_left_out: int = 0


class Sum(NamedTuple):
    """A gradient that several paths add up to: what each edge brought, None while it is awaited."""

    node: str
    parts: tuple[tuple[str, Any], ...]
    total: Any

    @property
    def waiting(self) -> int:
        """How many paths are still to come."""
        return sum(gradient is None for _, gradient in self.parts)


class Step(NamedTuple):
    """`upstream` what came to `node`; `arrived` the sums completed here; `waiting` those not."""

    kind: Literal["start", "op", "stopped", "leaf"]
    node: str
    upstream: Any
    parts: tuple[Part, ...] = ()
    arrived: tuple[Sum, ...] = ()
    waiting: tuple[Sum, ...] = ()
    sentence: str = ""
