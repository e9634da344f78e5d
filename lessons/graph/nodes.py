"""What a recording is made of: nodes, edges and their numbers. Plain data, save with `keep`.

recorder.py fills it as the program runs; the hooks of wiring.py add gradients in a backward pass.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch

from lessons.graph.values import Value
from lessons.tricks.rules import Slot

Kind = Literal[
    "input", "constant", "plain", "stopped", "overridden", "reversed", "scaled", "clipped",
    "surrogate",
]  # fmt: skip
"""What a node does to the gradient. `surrogate` is straight-through and forward_backward; an op
run without gradients (under no_grad) is `stopped`."""

State = Literal[
    "flowing", "cut", "stopped", "overridden", "reversed", "scaled", "clipped", "surrogate", "none"
]
"""What became of the gradient along an edge. `none`: there was nothing to send, or no way."""


_STATES: dict[Kind, State] = {
    "overridden": "overridden",
    "reversed": "reversed",
    "scaled": "scaled",
    "clipped": "clipped",
    "surrogate": "surrogate",
    "stopped": "stopped",
}


class RecordError(Exception):
    """Something that a recording cannot do; says what came, what was expected, what to do."""


@dataclass(eq=False, slots=True)
class Node:
    """An op, or a leaf: an input, a parameter, a constant.

    `name` unique in its recording; `type` the engine's op type (`input`, `parameter` or `const`
    for a leaf); `variable` the name the program's source assigns it to; `outputs` its values;
    `operands` an edge for each tensor operand; `args` and `kwargs` the call, with a slot for each
    of them, and `function` what was called; `rule` the name of an override's rule;
    `composite` where autograd knows it as several ops; `no_grad` where it ran without gradients;
    `inplace` where its output is an operand, changed. After a backward pass `upstream` has the
    gradient that came for each output, the sum over the edges that leave it; None for none.
    """

    name: str
    type: str
    kind: Kind
    outputs: list[Value] = field(default_factory=list)
    operands: "list[Edge]" = field(default_factory=list)
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""
    variable: str | None = None
    rule: str | None = None
    no_grad: bool = False
    inplace: bool = False
    composite: bool = False
    requires_grad: bool = False
    upstream: list[Value | None] = field(default_factory=list)

    @property
    def leaf(self) -> bool:
        return self.kind in ("input", "constant")

    @property
    def reached(self) -> bool:
        """Whether a gradient came in the last backward pass."""
        return any(gradient is not None for gradient in self.upstream)

    @property
    def label(self) -> str:
        """What a person calls it: the variable in the source, otherwise its name."""
        return self.variable or self.name

    @property
    def numbers(self) -> list[Any]:
        """The plain operands, those that are no tensors, in order."""
        given = [*self.args, *self.kwargs.values()]
        return [value for value in given if not _holds_slot(value)]


def _holds_slot(value: Any) -> bool:
    if isinstance(value, Slot):
        return True
    return isinstance(value, (tuple, list)) and any(_holds_slot(item) for item in value)


@dataclass(eq=False, slots=True)
class Edge:
    """One tensor operand of one op: `consumer`'s operand number `operand`, made by `producer`.

    `flows` where autograd could send a gradient along it. After a backward pass `gradient` is
    what was sent, in the operand's shape (summed over what was broadcast); None where nothing
    was. `offered` is what the op had to send: more than `gradient` only on a cut edge. `joint`:
    the same tensor stands twice in an op of several parts, and the first edge has both shares.
    `fixed`: no argument of a call of the program, so that no scissors reach it.
    """

    consumer: Node
    operand: int
    producer: Node
    output: int
    value: Value
    flows: bool = False
    cut: bool = False
    joint: bool = False
    fixed: bool = False
    gradient: Value | None = None
    offered: Value | None = None

    @property
    def name(self) -> str:
        """Unique in its recording: "op:operand"."""
        return f"{self.consumer.name}:{self.operand}"

    @property
    def cuttable(self) -> bool:
        """Whether `cutting.cut` can stop the gradient here, and here alone."""
        return self.flows and not self.joint and not self.fixed

    @property
    def state(self) -> State:
        """What became of the gradient in the last backward pass."""
        if self.cut:
            return "cut"
        kind = self.consumer.kind
        if kind == "stopped" and self.producer.requires_grad:
            return "stopped"
        if not self.flows or not self.consumer.reached:
            return "none"
        if kind == "plain":
            return "none" if self.gradient is None else "flowing"
        return _STATES[kind]


class Recording:
    """A program that ran: its nodes in the order they ran, and the last backward pass through it.

    `nodes` by name; `order` the names in the order in which autograd went backward; `output` the
    name of the node it started from and `seed` the upstream gradient it started with. With
    `keep`, `tensors` has each node's tensors by name.
    """

    def __init__(self, cuts: frozenset[tuple[str, int]] = frozenset(), keep: bool = False) -> None:
        self.nodes: dict[str, Node] = {}
        self.cuts = cuts
        self.keep = keep
        self.tensors: dict[str, list[torch.Tensor]] = {}
        self.order: list[str] = []
        self.output: str | None = None
        self.output_index = 0
        self.seed: Value | None = None
        self.gradients: dict[str, Value | None] = {}
        self.listening = False
        self._recorder: Any = None
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], Node, int]] = {}
        self._leaves: dict[str, weakref.ref[torch.Tensor]] = {}

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __repr__(self) -> str:
        ops = sum(not node.leaf for node in self)
        return f"<recording of {ops} ops and {len(self.nodes) - ops} leaves>"

    @property
    def size(self) -> int:
        """Bytes that it holds, about: its numbers, and a thousand for each node and edge."""
        values = [value for node in self for value in (*node.outputs, *node.upstream)]
        edges = list(self.edges)
        values += [value for edge in edges for value in (edge.gradient, edge.offered)]
        numbers = sum(len(value.numbers) for value in values if value is not None)
        return 8 * numbers + 1000 * (len(self.nodes) + len(edges))

    @property
    def edges(self) -> Iterator[Edge]:
        """Every edge, op by op in the order they ran."""
        return (edge for node in self.nodes.values() for edge in node.operands)

    @property
    def ops(self) -> list[Node]:
        return [node for node in self if not node.leaf]

    def edge(self, name: str) -> Edge:
        """The edge called "op:operand". Raises `RecordError` for one that is not there."""
        op, _, operand = name.rpartition(":")
        node = self.nodes.get(op)
        if node is None or not operand.isdigit() or int(operand) >= len(node.operands):
            known = ", ".join(edge.name for edge in self.edges) or "none"
            raise RecordError(f"no edge is called {name!r}. The edges: {known}.")
        return node.operands[int(operand)]

    def consumers(self, node: Node) -> list[Edge]:
        """The edges that leave `node`."""
        return [edge for edge in self.edges if edge.producer is node]

    def node_of(self, tensor: torch.Tensor) -> tuple[Node, int]:
        """The node that made `tensor`, and which of its outputs it is.

        Raises `RecordError` for what is no tensor of this recording.
        """
        if self._recorder is not None:
            found: tuple[Node, int] = self._recorder.origin(tensor)
            return found
        entry = self._known.get(id(tensor))
        if entry is None or entry[0]() is not tensor:
            raise RecordError(
                f"a tensor of shape {tuple(tensor.shape)} was not made in this recording, or by "
                "an autograd.Function of your own that nothing read. Give a result of the block, "
                'or call named(tensor, "result") at the end of the block.'
            )
        return entry[1], entry[2]

    def rename(self, node: Node, name: str) -> None:
        """Give `node` another name, which must be free, and the cuts that go with it."""
        old, node.name = node.name, name
        self.nodes = {one.name: one for one in self.nodes.values()}
        if old in self._leaves:
            self._leaves[name] = self._leaves.pop(old)
        if old in self.tensors:
            self.tensors[name] = self.tensors.pop(old)
        self.mark_cuts(node)

    def mark_cuts(self, node: Node) -> None:
        """Set `cut` on the edges of `node`, whose name has just been found."""
        for edge in node.operands:
            edge.cut = (node.name, edge.operand) in self.cuts

    def backward(
        self, output: torch.Tensor, upstream: torch.Tensor | Sequence[Any] | float | None = None
    ) -> "Recording":
        """Run autograd backward from `output` and note every gradient on the way.

        `upstream` is the gradient of whatever comes after `output`: its shape, or a number; ones
        if left out, which is the gradient of the sum. May be called within the block or after
        it, and again: the graph is retained and `.grad` is left alone; torch refuses once a
        `loss.backward()` has freed the graph. Where no gradient leads to `output` nothing flows
        and nothing is raised. Returns the recording; `gradients` then has the gradient of each
        leaf that can have one, None where none arrived.
        """
        from lessons.graph.backward import run_backward

        run_backward(self, output, upstream)
        return self
