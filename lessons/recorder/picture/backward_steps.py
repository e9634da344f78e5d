"""The backward pass as a list of steps, in autograd's own order, for one chosen component.

Each step is one op, or a leaf whose gradient is complete: what came, what goes along each edge,
which sums still wait for another path. The numbers are those autograd sent; sentences.py says in
words what happened.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ..derivatives.along_edge import rule, terms
from ..recording.nodes import Edge, Node, RecordError
from ..recording.plain_tensor import NOT_KEPT, place
from ..recording.recording import Recording
from .sentences import sentence_of
from .step import Part, Step, Sum


def backward_steps(
    recording: Recording, index: Sequence[int] = (), only: Collection[str] | None = None
) -> list[Step]:
    """The last backward pass of `recording`, for the chosen component.

    `index` is matched to each tensor's shape as broadcasting does (`values.place`). The last
    step of each leaf holds its gradient, which is what `torch.autograd.grad` gives. Of a long
    recording `only` gives the steps of these ops alone, the edges between them, and no sums. Raises
    `RecordError` before a backward pass.
    """
    if recording.output is None:
        raise RecordError("no backward pass yet: call recording.backward(output) first.")
    steps = _steps(recording, index) if only is None else _some(recording, only, index)
    return [step._replace(sentence=sentence_of(recording, step, index)) for step in steps]


def _some(recording: Recording, names: Collection[str], index: Sequence[int]) -> Iterator[Step]:
    for name in recording.order:
        if name in names:
            node = recording.nodes[name]
            edges = [one for one in node.operands if one.producer.name in names and _shown(one)]
            parts = tuple(_part(edge, index) for edge in edges)
            yield Step("op", name, _upstream(node, index), parts)


def _steps(recording: Recording, index: Sequence[int]) -> Iterator[Step]:
    sums = _Sums(recording, index)
    end = recording.nodes[recording.output or ""]
    seed = recording.seed.component(index) if recording.seed else None
    sums.start(end, recording.output_index, seed)
    yield Step("start", end.name, seed, waiting=sums.waiting())
    if end.leaf and end.requires_grad:
        yield Step("leaf", end.name, sums.gradient(end))
    halts = _halts(recording)
    yield from (Step("stopped", node.name, None) for node in halts.get("", []))
    for name in recording.order:
        node = recording.nodes[name]
        parts = tuple(_part(edge, index) for edge in node.operands if _shown(edge))
        done = sums.send(node)
        arrived = tuple(sums.sum(*key) for key in done if key in sums.several)
        yield Step("op", name, _upstream(node, index), parts, arrived, sums.waiting())
        yield from (Step("stopped", node.name, None) for node in halts.get(name, []))
        for producer, _ in done:
            if producer not in recording.order and producer in recording.gradients:
                leaf = recording.nodes[producer]
                last = sums.sum(producer, 0)
                both = (last,) if len(last.parts) > 1 else ()
                yield Step("leaf", producer, sums.gradient(leaf), arrived=both)
    if recording.refused is not None:
        yield Step(
            "stopped", recording.refused, _upstream(recording.nodes[recording.refused], index)
        )


def _shown(edge: Edge) -> bool:
    return edge.producer.requires_grad and (edge.flows or edge.consumer.kind == "stopped")


def _upstream(node: Node, index: Sequence[int]) -> Any:
    """The upstream gradient at the component; that of the first output that got one."""
    return next((value.component(index) for value in node.upstream if value is not None), None)


def _part(edge: Edge, index: Sequence[int]) -> Part:
    node = edge.consumer
    upstream, stated = _upstream(node, index), rule(edge, index)
    found = terms(edge, index) if node.outputs[0].shape != edge.value.shape else []
    products: tuple[tuple[Any, float], ...] = ()
    left_out = 0
    if len(found) > 1 and node.upstream[0] is not None:
        products = tuple((node.upstream[0].component(position), local) for position, local in found)
        if any(came is NOT_KEPT for came, _ in products):
            products = ()
    if products:
        left_out = max(node.outputs[0].size // max(edge.value.size, 1) - len(found), 0)
    return Part(
        edge=edge.name,
        to=edge.producer.name,
        state=edge.state,
        upstream=upstream,
        local=stated.local,
        gradient=None if edge.gradient is None else edge.gradient.component(index),
        offered=None if edge.offered is None else edge.offered.component(index),
        latex=stated.latex,
        terms=products,
        terms_left_out=left_out,
    )


def _halts(recording: Recording) -> dict[str, list[Node]]:
    """Ops that send nothing back, by the op after whose step that is seen ("" for the output)."""
    places = {name: n for n, name in enumerate(recording.order)}
    found: dict[str, list[Node]] = {}
    for node in recording:
        if node.kind != "stopped" or not any(e.producer.requires_grad for e in node.operands):
            continue
        readers = [e.consumer.name for e in recording.consumers(node) if e.consumer.name in places]
        if readers:
            found.setdefault(max(readers, key=places.__getitem__), []).append(node)
        elif node.name == recording.output:
            found.setdefault("", []).append(node)
    return found


Key = tuple[str, int]


class _Sums:
    """What has arrived where, as the steps go by, at one component."""

    def __init__(self, recording: Recording, index: Sequence[int]) -> None:
        self.recording, self.index = recording, index
        self.parts: dict[Key, dict[str, Any]] = {}
        for name in recording.order:
            for edge in recording.nodes[name].operands:
                if edge.gradient is not None:
                    self.parts.setdefault(self._key(edge), {})[edge.name] = None
        self.several = {key for key, parts in self.parts.items() if len(parts) > 1}
        self.open: dict[Key, None] = {}

    @staticmethod
    def _key(edge: Edge) -> Key:
        return edge.producer.name, edge.output

    def start(self, node: Node, output: int, seed: Any) -> None:
        """The seed is a part too where the output is read by other ops of the pass."""
        key = node.name, output
        if key in self.parts:
            self.parts[key] = {"": seed, **self.parts[key]}
            self.several.add(key)
            self.open[key] = None

    def send(self, node: Node) -> list[Key]:
        """Note what `node` sends; the sums that are complete by it."""
        touched: dict[Key, None] = {}
        for edge in node.operands:
            if edge.gradient is not None:
                self.parts[self._key(edge)][edge.name] = edge.gradient.component(self.index)
                touched[self._key(edge)] = None
        done = [key for key in touched if None not in self.parts[key].values()]
        self.open |= {key: None for key in touched if key in self.several}
        for key in done:
            self.open.pop(key, None)
        return done

    def sum(self, name: str, output: int) -> Sum:
        parts = tuple(self.parts.get((name, output), {}).items())
        upstream = self.recording.nodes[name].upstream
        value = upstream[output] if output < len(upstream) else None
        return Sum(name, parts, None if value is None else value.component(self.index))

    def gradient(self, leaf: Node) -> Any:
        value = self.recording.gradients.get(leaf.name)
        return None if value is None else value.component(place(self.index, value.shape))

    def waiting(self) -> tuple[Sum, ...]:
        """Sums of which a part has come and another has not."""
        return tuple(self.sum(*key) for key in self.open)
