"""One step of a backward pass: its op, the gradients along the op's edges, the incomplete sums."""

from typing import Any, Literal, NamedTuple

from ..recording.nodes import State


class Part(NamedTuple):
    """One edge of a step's op. `upstream` × `local` = `gradient`, where the op is elementwise.

    `terms` are the products summed for a broadcast operand, without the trivial 1 × 1 terms;
    `offered` is the gradient that a cut edge holds back.
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
    """A sum of gradients over several paths: the part of each edge, None until it arrives."""

    node: str
    parts: tuple[tuple[str, Any], ...]
    total: Any

    @property
    def waiting(self) -> int:
        """Count the paths whose gradients haven't arrived."""
        return sum(gradient is None for _, gradient in self.parts)


class Step(NamedTuple):
    """One step of the backward pass.

    `kind`: "start" is the output's 1, "op" runs an op backward, "stopped" is a node that sends
    nothing on, "leaf" has its gradient complete. `upstream` is the gradient that reached `node`.
    `arrived` are the sums that this step completes, `waiting` the incomplete sums.
    """

    kind: Literal["start", "op", "stopped", "leaf"]
    node: str
    upstream: Any
    parts: tuple[Part, ...] = ()
    arrived: tuple[Sum, ...] = ()
    waiting: tuple[Sum, ...] = ()
    sentence: str = ""
