"""A program that ran, and its backward pass: autograd runs, the hooks of wiring.py take notes."""

import heapq
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ...tricks.errors import describe
from ..recording.nodes import Edge, Left, Node, RecordError
from ..recording.plain_tensor import Value
from ..recording.saved import RefusedError, Saved, refusal
from ..recording.variables import Where
from ..torch_private import sent_to, unseen


class Recording:
    """A program that ran: its nodes in the order they ran, and the last backward pass through it.

    `nodes` by name; `order` the names in the order in which autograd went backward; `output` the
    name of the node it started from and `seed` the upstream gradient it started with; `refused`
    names the op where torch would not go on. With `keep`, `tensors` has each node's tensors by
    name. With `dead_ends`, a drawing shows the ops too that do not lead to the output.
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
        self.dead_ends = False
        self.saved = Saved()
        self.left: list[Left] = []
        self.turned: dict[str, Where] = {}
        """Where requires_grad was switched on, by node."""
        self.refused: str | None = None
        self.at_backward: Callable[[torch.Tensor], None] | None = None
        """Told of each tensor on which the program calls ``backward()``, before torch runs it."""
        self._recorder: Any = None
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], Node, int]] = {}
        self._leaves: dict[str, weakref.ref[torch.Tensor]] = {}

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __repr__(self) -> str:
        ops = sum(not node.leaf for node in self)
        return f"<recording of {ops} ops and {len(self.nodes) - ops} leaves>"

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
            with unseen():
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

    def tensor(self, number: int) -> torch.Tensor | None:
        """The tensor of this recording that has this `id`, if somebody still holds it."""
        if self._recorder is not None:
            found: torch.Tensor | None = self._recorder.tensor(number)
            return found
        entry = self._known.get(number)
        return None if entry is None else entry[0]()

    def rename(self, node: Node, name: str) -> None:
        """Give `node` another name, which must be free, and the cuts that go with it."""
        old, node.name = node.name, name
        self.nodes = {node.name: node for node in self.nodes.values()}
        if old in self._leaves:
            self._leaves[name] = self._leaves.pop(old)
        if old in self.tensors:
            self.tensors[name] = self.tensors.pop(old)
        self.mark_cuts(node)

    def mark_cuts(self, node: Node) -> None:
        """Set `cut` on the edges of `node`, whose name has just been found."""
        for edge in node.operands:
            edge.cut = (node.name, edge.operand) in self.cuts

    def pause(self) -> None:
        """Within the block: what runs from here on is not recorded."""
        if self._recorder is not None:
            self._recorder.quiet += 1

    def backward(
        self,
        output: torch.Tensor,
        upstream: torch.Tensor | Sequence[Any] | float | None = None,
        *,
        as_method: bool = False,
    ) -> "Recording":
        """Run autograd backward from `output` and note every gradient on the way.

        `upstream` is the gradient of whatever comes after `output`: its shape, or a number; ones
        if left out, which is the gradient of the sum. May be called within the block or after
        it, and again: the graph is retained and `.grad` is left alone; torch refuses once a
        `loss.backward()` has freed the graph. Where no gradient leads to `output` nothing flows
        and nothing is raised. Returns the recording; `gradients` then has the gradient of each
        leaf that can have one, None where none arrived. `as_method`: by `output.backward()`, which
        a reentrant checkpoint asks for; `.grad` is put back afterwards.

        A node is `stale` where it had saved a tensor that was changed since. Raises `RefusedError`,
        a RuntimeError too, where torch therefore refuses; what it did before stays to be seen.
        """
        _run_backward(self, output, upstream, _by_method if as_method else _by_function)
        return self


def _run_backward(
    recording: Recording,
    output: torch.Tensor,
    upstream: torch.Tensor | Sequence[Any] | float | None,
    go: Callable[..., Sequence[torch.Tensor | None]],
) -> None:
    """What `Recording.backward` does; see there."""
    if not isinstance(output, torch.Tensor):
        raise RecordError(
            f"backward starts from a tensor of the recording, got {describe(output)}."
        )
    recorder = recording._recorder
    if recorder is not None:
        recorder.quiet += 1
    try:
        with unseen():
            node, index = recording.node_of(output)
            seed = _seed(output, upstream)
            _forget(recording)
            recording.output, recording.output_index = node.name, index
            recording.seed = Value.of(seed)
            node.upstream[index] = recording.seed
            leaves = [(name, kept()) for name, kept in recording._leaves.items()]
        alive = [(name, leaf) for name, leaf in leaves if leaf is not None and leaf.requires_grad]
        found: Sequence[torch.Tensor | None] = ()
        if output.requires_grad and alive:
            with unseen():
                recording.saved.check(output.grad_fn, recording.tensor)
            recording.listening = True
            found = go(output, [leaf for _, leaf in alive], seed)
    except RuntimeError as error:
        recording.order = _ordered(recording)
        said = refusal(recording.nodes, error)
        if said is None:
            raise
        recording.refused = said[0]
        raise RefusedError(said[1]) from error
    finally:
        recording.listening = False
        if recorder is not None:
            recorder.quiet -= 1
    recording.gradients = {name: None for name, _ in leaves}
    with unseen():
        for (name, _), gradient in zip(alive, found, strict=False):
            value = None if gradient is None else Value.of(gradient)
            recording.gradients[name] = recording.nodes[name].upstream[0] = value
    recording.order = _ordered(recording)


def _by_function(
    output: torch.Tensor, leaves: list[torch.Tensor], seed: torch.Tensor
) -> Sequence[torch.Tensor | None]:
    return sent_to(leaves, output, seed, retain_graph=True)


def _by_method(
    output: torch.Tensor, leaves: list[torch.Tensor], seed: torch.Tensor
) -> Sequence[torch.Tensor | None]:
    before = [leaf.grad if leaf.is_leaf else None for leaf in leaves]
    for leaf in leaves:
        if not leaf.is_leaf:
            leaf.retain_grad()
        leaf.grad = None
    try:
        torch.autograd.backward(output, seed, retain_graph=True)
        return [leaf.grad for leaf in leaves]
    finally:
        for leaf, gradient in zip(leaves, before, strict=True):
            leaf.grad = gradient


def _seed(output: torch.Tensor, upstream: Any) -> torch.Tensor:
    if upstream is None:
        return torch.ones_like(output)
    try:
        given = torch.as_tensor(upstream, dtype=output.dtype, device=output.device)
        return given.expand(output.shape) if given.dim() == 0 else given.reshape(output.shape)
    except (TypeError, ValueError, RuntimeError) as error:
        raise RecordError(
            f"the upstream gradient does not fit the output. Got {describe(upstream)}, expected "
            f"one number, or numbers of shape {tuple(output.shape)}."
        ) from error


def _forget(recording: Recording) -> None:
    recording.order, recording.refused = [], None
    for node in recording:
        node.upstream, node.stale = [None] * len(node.outputs), ()
        for edge in node.operands:
            edge.gradient = edge.offered = None


def _ordered(recording: Recording) -> list[str]:
    """The ops in autograd's order: as each first got a gradient, but after all that it waits for.

    For an op that is one autograd node the second clause changes nothing.
    """
    first: dict[str, int] = {}
    for name in recording.order:
        first.setdefault(name, len(first))
    waiting = Counter(
        edge.producer.name for name in first for edge in recording.nodes[name].operands
        if edge.producer.name in first
    )  # fmt: skip
    ready = [(place, name) for name, place in first.items() if not waiting[name]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, name = heapq.heappop(ready)
        order.append(name)
        for edge in recording.nodes[name].operands:
            producer = edge.producer.name
            if producer in first:
                waiting[producer] -= 1
                if not waiting[producer]:
                    heapq.heappush(ready, (first[producer], producer))
    return order
