"""How gradients are read without touching the graph: hooks on the nodes that autograd made.

Nothing is put between the ops. One op may be several autograd nodes; those whose edges lead out of
it, to its operands, are its frontier. A hook there sees what the op sends along each edge; a hook
on an output's node sees the gradient that arrives there. To cut an edge, its hook returns None:
autograd then sends nothing along that edge, as if the operand had been stopped.
"""

import weakref
from collections.abc import Callable, Container
from typing import Any, NamedTuple

import torch

from ...tricks.rule import rule_name
from ..torch_private import unseen
from .nodes import Edge, Node
from .plain_tensor import Value, added
from .recording import Recording

Key = tuple[Any, int]
"""A place where gradients are summed: an autograd node and which of its outputs."""


def gradient_key(tensor: torch.Tensor) -> Key:
    """Where autograd sums the gradient of a tensor that requires one."""
    edge = torch.autograd.graph.get_gradient_edge(tensor)
    return edge.node, edge.output_nr


def node_name(autograd_node: Any) -> str:
    """`MulBackward0` as `Mul`, `_OverriddenBackward` as `_Overridden`."""
    name: str = autograd_node.name()
    return name.rpartition("::")[2].rstrip("0123456789").removesuffix("Backward")


class Exit(NamedTuple):
    """An edge that leads out of an op: the autograd node, which of its edges, and where to."""

    node: Any
    place: int
    key: Key


def frontier(
    roots: list[Any], known: Container[Any], operands: Container[Key]
) -> tuple[list[Exit], list[Any]]:
    """The edges that lead out of the op whose outputs are `roots`, and all its autograd nodes.

    A node inside the op is one that is neither `known` (another op's) nor a leaf's, and the key
    of no operand.
    """
    exits: list[Exit] = []
    inside: list[Any] = list(dict.fromkeys(roots))
    for node in inside:  # grows while it is walked
        for place, key in enumerate(node.next_functions):
            target = key[0]
            if target is None:
                continue
            if key in operands or target in known or hasattr(target, "variable"):
                exits.append(Exit(node, place, key))
            elif target not in inside:
                inside.append(target)
    return exits, inside


class Hook:
    """Sits on one autograd node of one op; notes gradients while a recording listens; cuts."""

    __slots__ = ("arrivals", "cuts", "recording", "sends")

    def __init__(self, recording: Recording) -> None:
        self.recording = weakref.ref(recording)  # the graph must not keep it alive
        self.cuts = bool(recording.cuts)
        self.sends: list[tuple[int, Edge]] = []
        self.arrivals: list[tuple[int, Node, int]] = []

    def __call__(self, sent: tuple[Any, ...], upstream: tuple[Any, ...]) -> tuple[Any, ...] | None:
        # Past a cut nothing comes. A custom function would make zeros of that, and of them more.
        nothing = self.cuts and all(gradient is None for gradient in upstream)
        if nothing:
            return (None,) * len(sent)
        recording = self.recording()
        if recording is not None and recording.listening:
            recording.safely(self._note, recording, sent, upstream)
        if not any(edge.cut for _, edge in self.sends):
            return None
        closed = {place for place, edge in self.sends if edge.cut}
        return tuple(None if i in closed else gradient for i, gradient in enumerate(sent))

    def _note(self, recording: Recording, sent: tuple[Any, ...], upstream: tuple[Any, ...]) -> None:
        with unseen():
            for place, node, output in self.arrivals:
                gradient = upstream[place]
                if gradient is not None:
                    node.upstream[output] = added(node.upstream[output], Value.of(gradient))
                    recording.order.append(node.name)
            for place, edge in self.sends:
                gradient = sent[place]
                if gradient is not None:
                    edge.offered = added(edge.offered, Value.of(gradient))
                    if not edge.cut:
                        edge.gradient = edge.offered


class Wiring:
    """The hooks of one recording, and whose autograd node is whose, while the block runs."""

    def __init__(
        self, recording: Recording, origin: Callable[[torch.Tensor], tuple[Node, int]]
    ) -> None:
        self.recording = recording
        self.origin = origin
        self.outputs: dict[Key, tuple[Node, int]] = {}
        self.owners: dict[Any, Node] = {}
        self._hooks: dict[Any, Hook] = {}

    def wire(self, node: Node, outputs: list[torch.Tensor], keys: list[Key | None]) -> list[Any]:
        """Find which autograd nodes the op is made of, put hooks on them, and return them.

        `keys` is where the gradient of each operand was summed before the op ran; None for an
        operand that gets none.
        """
        made = [(y.grad_fn, y.output_nr, place) for place, y in enumerate(outputs)]
        roots = [root for root, _, _ in made if root is not None and root not in self.owners]
        if not roots:
            return []
        places: dict[Key, list[int]] = {}
        for place, key in enumerate(keys):
            if key is not None:
                places.setdefault(key, []).append(place)
        exits, inside = frontier(roots, self.owners, places)
        for autograd_node in inside:
            self.owners[autograd_node] = node
            if node_name(autograd_node) == "_Overridden" and autograd_node.call.type == node.type:
                node.kind, node.rule = "overridden", rule_name(autograd_node.call.rule).strip("'")
        for root, number, place in made:
            if root is not None:
                self.hook(root).arrivals.append((number, node, place))
        ways_to: dict[Key, list[Exit]] = {}
        for exit_ in exits:
            ways_to.setdefault(exit_.key, []).append(exit_)
        for key, ways in ways_to.items():
            self._connect(node, ways, places.get(key) or [self._implicit(node, key)])
        return inside

    def _connect(self, node: Node, ways: list[Exit], places: list[int]) -> None:
        """Which way out is which operand's; they differ in number in an op of many parts."""
        edges = [node.operands[place] for place in places]
        for edge in edges:
            edge.flows = True
        if len(ways) == len(edges):
            for way, edge in zip(ways, edges, strict=True):
                self.hook(way.node).sends.append((way.place, edge))
            return
        for edge in edges:
            edge.fixed |= len(edges) > 1
        for way in ways:
            self.hook(way.node).sends.append((way.place, edges[0]))

    def _implicit(self, node: Node, key: Key) -> int:
        """An operand that is no argument: what `forward_backward`'s g reads besides, say."""
        variable = getattr(key[0], "variable", None)
        if variable is not None:
            producer, output = self.origin(variable)
        else:
            producer, output = self.outputs.get(key) or (self.owners[key[0]], 0)
        place = len(node.operands)
        node.operands.append(
            Edge(node, place, producer, output, producer.outputs[output], fixed=True)
        )
        self.recording.mark_cuts(node)
        return place

    def hook(self, autograd_node: Any) -> Hook:
        """The hook on this autograd node, put there at the first call."""
        hook = self._hooks.get(autograd_node)
        if hook is None:
            hook = self._hooks[autograd_node] = Hook(self.recording)
            autograd_node.register_hook(hook)
        return hook
