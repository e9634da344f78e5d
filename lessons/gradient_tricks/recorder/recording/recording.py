"""A program that ran, and its backward pass: autograd runs, the hooks of wiring.py take notes."""

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import torch

from ...tricks.errors import describe
from ..torch_private import REFUSED, next_number, sent_to, unseen
from .nodes import Edge, Left, Node, RecordError
from .plain_tensor import Value, added
from .saved import RefusedError, Saved, refused_words, refusing
from .switches import Switch
from .variables import Where

_T = TypeVar("_T")


class Pass(NamedTuple):
    """A backward pass: from which node, and where the program began it.

    `before` is how many nodes there were by then. `by_itself`: the upstream gradient that the
    program gave is what it went backward from.
    """

    node: str
    before: int
    place: Where | None
    by_itself: bool = False


class Listener:
    """Methods that the doctor overrides to follow more than ops; they do nothing here."""

    def name(self, tensor: torch.Tensor) -> str | None:
        """Name a leaf that an op reads for the first time, if it has a name already."""

    def found(self, tensor: torch.Tensor) -> str | None:
        """The name that the running program has for a leaf that is made of nothing recorded."""

    def heard(self, function: Any, args: tuple[Any, ...]) -> None:
        """A call is coming: an op, or what is none, such as setting `.grad`."""

    def opaque(self, what: str) -> None:
        """Code runs whose ops nobody sees."""

    def back(self, root: torch.Tensor, run: Callable[[], Any], given: torch.Tensor | None) -> Any:
        """The program goes backward from `root` by `run`, with a `given` upstream gradient."""
        return run()

    def gradient(self, names: list[str], leaf: torch.Tensor, gradient: torch.Tensor) -> None:
        """A backward pass that is listened to brought a leaf, the nodes `names`, its gradient."""

    def failed(self, error: Exception) -> None:
        """The recorder itself raised an error; the program runs on unrecorded."""


class Recording:
    """A program that ran: its nodes in the order they ran, and the last backward pass through it.

    `nodes` by name; `order` the names in the order in which autograd went backward; `output` the
    name of the node it started from, with an upstream gradient of ones; `refused` names the op
    where torch would not go on. While it `keeps` them, `tensors` gets each node's tensors. With
    `dead_ends`, a drawing shows the ops too that do not lead to the output.
    """

    def __init__(self, cuts: frozenset[tuple[str, int]]) -> None:
        self.nodes: dict[str, Node] = {}
        self.cuts = cuts
        self.keeps = False
        self.tensors: dict[str, list[torch.Tensor]] = {}
        self.order: list[str] = []
        self.output: str | None = None
        self.output_index = 0
        self.gradients: dict[str, Value | None] = {}
        self.listening = False
        self.dead_ends = False
        self.saved = Saved()
        self.left: list[Left] = []
        self.asked: list[tuple[torch.Tensor, list[torch.Tensor], list[torch.Tensor]]] = []
        """For each `torch.autograd.grad`: an output, the tensors it went back to, the gradients."""
        self.used: set[str] = set()
        """The nodes that the program gave to `torch.autograd.grad`, or wrote as text."""
        self.turned: dict[str, Where] = {}
        """Where requires_grad was switched on, by node."""
        self.refused: str | None = None
        self.passes: list[Pass] = []
        self.made: set[int] = set()  # memory of what was made of no tensor
        self.births: dict[int, tuple[weakref.ref[torch.Tensor], Where | None]] = {}
        self.listener = Listener()
        self.quiet = 0  # > 0: ops run unrecorded, within a trick, say
        self.waiting = False
        self.failed: Exception | None = None  # an error of ours: nothing is recorded after it
        self.first = next_number()
        """Autograd's number of the first op; what has a smaller one was made before."""
        self.gap = 0  # by this number of autograd's the last ops ran that were left unrecorded
        self.switch = Switch()
        self.origin: Callable[[torch.Tensor], tuple[Node, int]] | None = None
        """Finds or makes the node of any tensor, while the block runs."""
        self.known: dict[int, tuple[weakref.ref[torch.Tensor], Node, int]] = {}
        """Each tensor that the block has met, by `id`: its node, and which output of it."""
        self._leaves: dict[str, weakref.ref[torch.Tensor]] = {}

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

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
        if self.origin is not None:
            with unseen():
                return self.origin(tensor)
        entry = self.known.get(id(tensor))
        if entry is None or entry[0]() is not tensor:
            raise RecordError(
                f"a tensor of shape {tuple(tensor.shape)} was not made in this recording, or by "
                "an autograd.Function of your own that nothing read. Give a result of the block, "
                'or call named(tensor, "result") at the end of the block.'
            )
        return entry[1], entry[2]

    def tensor(self, number: int) -> torch.Tensor | None:
        """The tensor of this recording that has this `id`, if somebody still holds it."""
        entry = self.known.get(number)
        return None if entry is None else entry[0]()

    def rename(self, node: Node, name: str) -> None:
        """Give `node` another name, which must be free."""
        old, node.name = node.name, name
        self.nodes = {node.name: node for node in self.nodes.values()}
        if old in self._leaves:
            self._leaves[name] = self._leaves.pop(old)
        by_name: tuple[dict[str, Any], ...] = (self.tensors, self.gradients, self.turned)
        for one in by_name:
            if old in one:
                one[name] = one.pop(old)
        self.left = [replace(one, node=name) if one.node == old else one for one in self.left]

    def mark_cuts(self, node: Node) -> None:
        """Set `cut` on the edges of `node`, whose name has just been found."""
        for edge in node.operands:
            edge.cut = (node.name, edge.operand) in self.cuts

    def leaves(self) -> dict[str, torch.Tensor]:
        """The leaves that can have a gradient and that somebody still holds, by name."""
        kept = ((name, one()) for name, one in self._leaves.items())
        return {name: leaf for name, leaf in kept if leaf is not None and leaf.requires_grad}

    def born(self, tensor: torch.Tensor) -> Where | None:
        """Where a tensor was made before the first op, if that was seen."""
        kept, place = self.births.get(id(tensor), (None, None))
        return place if kept is not None and kept() is tensor else None

    def wait(self, on: bool = True) -> None:
        """Record no op yet, only where tensors are made; with `on=False` record from here on."""
        self.waiting, self.first = on, next_number()

    def fail(self, error: Exception) -> None:
        """Record nothing more, since the recorder itself raised this error."""
        if self.failed is None:
            self.failed = error
            self.listener.failed(error)

    def safely(self, note: Callable[..., _T], *given: Any) -> _T | None:
        """Call a function of ours within the program; an error in it never ends the program."""
        if self.failed is None:
            try:
                return note(*given)
            except Exception as error:
                self.fail(error)
        return None

    @contextmanager
    def listen(
        self, root: torch.Tensor, place: Where | None = None, by_itself: bool = False
    ) -> Iterator[None]:
        """Within the block somebody goes backward from `root`: note the gradients.

        They are added to those of the passes before. An error goes on as it is; `refused` has the
        op then, if torch found a saved tensor changed.
        """
        with unseen():
            node, index = self.node_of(root)
            self.passes.append(Pass(node.name, len(self.nodes), place, by_itself))
            if self.output is None:
                self.output, self.output_index = node.name, index
            ones = Value.of(torch.ones_like(root))
            for name in self._leaves:
                self.gradients.setdefault(name, None)
            leaves = {id(one): one for one in self.leaves().values()}
            handles = [self._hear(leaf) for leaf in leaves.values()]
            if root.grad_fn is not None:
                self.saved.check(root.grad_fn, self.tensor)
        earlier, self.order = self.order, []
        self.listening = True
        self.quiet += 1
        try:
            yield
        except RuntimeError as error:
            if REFUSED in str(error):
                self.refused = refusing(self, self.order)
            raise
        finally:
            self.listening = False
            self.quiet -= 1
            node.upstream[index] = node.upstream[index] or ones
            self.order = _ordered(self.nodes, [*earlier, *self.order])
            for handle, _ in handles:
                handle.remove()

    def _hear(self, leaf: torch.Tensor) -> tuple[Any, Any]:
        """Note the gradient of a leaf as it comes: no hook on the tensor, which is not ours.

        A leaf whose numbers were replaced is several nodes.

        Returns the hook's handle, and what must be kept: a checkpoint makes its graph only later,
        and until then nothing else holds the place where the leaf's gradient is summed.
        """
        place = torch.autograd.graph.get_gradient_edge(leaf)
        nodes = [self.nodes[name] for name, one in self._leaves.items() if one() is leaf]

        def note(gradient: torch.Tensor) -> None:
            with unseen():
                for node in nodes:
                    node.upstream[0] = added(node.upstream[0], Value.of(gradient))
                    self.gradients[node.name] = node.upstream[0]
                self.listener.gradient([node.name for node in nodes], leaf, gradient)

        def arrived(gradients: tuple[torch.Tensor | None, ...]) -> None:
            if gradients[place.output_nr] is not None:
                self.safely(note, gradients[place.output_nr])

        return place.node.register_prehook(arrived), place

    def backward(self, output: torch.Tensor) -> "Recording":
        """Run autograd backward from the sum of `output` and note every gradient on the way.

        May be called within the block or after it, and again: the graph is retained and `.grad` is
        left alone; torch refuses once a `loss.backward()` has freed the graph. Where no gradient
        leads to `output` nothing flows and nothing is raised. Returns the recording; `gradients`
        then has the gradient of each leaf that can have one, None where none arrived.

        A node is `stale` where it had saved a tensor that was changed since. Raises `RefusedError`,
        a RuntimeError too, where torch therefore refuses; what it did before stays to be seen.
        """
        if not isinstance(output, torch.Tensor):
            raise RecordError(
                f"backward starts from a tensor of the recording, got {describe(output)}."
            )
        self.node_of(output)  # raises for a tensor that is not of this recording
        self.passes, self.order, self.gradients, self.output, self.refused = [], [], {}, None, None
        for one in self:
            one.upstream, one.stale = [None] * len(one.outputs), ()
            for edge in one.operands:
                edge.gradient = edge.offered = None
        alive = self.leaves()
        found: Sequence[torch.Tensor | None] = ()
        try:
            with self.listen(output):
                if output.requires_grad and alive:
                    ones = torch.ones_like(output)
                    found = sent_to([*alive.values()], output, ones, retain_graph=True)
        except RuntimeError as error:
            if REFUSED not in str(error):
                raise
            said = refused_words(self.nodes[self.refused]) if self.refused else str(error)
            raise RefusedError(said) from error
        with unseen():
            for name, gradient in zip(alive, found, strict=False):
                value = None if gradient is None else Value.of(gradient)
                self.gradients[name] = self.nodes[name].upstream[0] = value
        return self


def _ordered(nodes: Mapping[str, Node], met: Iterable[str]) -> list[str]:
    """The ops that autograd `met`, in its order, but each after all that it waits for.

    Only an op that is several autograd nodes can be met too early.
    """
    readers: dict[str, list[str]] = {name: [] for name in met}
    for name in readers:
        for edge in nodes[name].operands:
            if edge.producer.name in readers:
                readers[edge.producer.name].append(name)
    order, waiting = dict[str, None](), [*reversed(readers)]
    while waiting:
        missing = [one for one in readers[waiting[-1]] if one not in order]
        if missing:
            waiting += missing
        else:
            order[waiting.pop()] = None
    return list(order)
