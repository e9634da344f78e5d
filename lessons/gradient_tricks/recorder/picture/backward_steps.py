"""The backward pass as a list of steps, in autograd's own order, for one chosen component.

Each step is one op, or a leaf whose gradient is complete: the gradient that arrived, the gradient
along each edge, the sums that wait for another path. The numbers are those that autograd sent;
sentences.py says in words what happened.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ..derivatives import local_derivative, terms
from ..recording.nodes import Edge, Node, RecordError
from ..recording.plain_tensor import NOT_KEPT, component
from ..recording.recording import Recording
from .sentences import sentence_of
from .step import Part, Step, Sum

Key = tuple[str, int]
"""A node, and which of its outputs: where gradients are summed."""


def backward_steps(
    recording: Recording, index: Sequence[int] = (), only: Collection[str] | None = None
) -> list[Step]:
    """The last backward pass of `recording`, for the chosen component.

    `index` is matched to each tensor's shape as broadcasting does (`plain_tensor.place`). The last
    step of each leaf holds its gradient, which is what `torch.autograd.grad` gives. Of a long
    recording `only` gives the steps of these nodes alone, with the edges between them. Raises
    `RecordError` before a backward pass.
    """
    if recording.output is None:
        raise RecordError("no backward pass yet: call recording.backward(output) first.")
    steps = _steps(recording, recording.nodes if only is None else only, index)
    return [step._replace(sentence=sentence_of(recording, step, index)) for step in steps]


def _steps(recording: Recording, only: Collection[str], index: Sequence[int]) -> Iterator[Step]:
    """The steps without their sentences, in the order in which autograd ran them."""
    nodes = recording.nodes
    end = nodes[recording.output or ""]
    awaited = _awaited(recording)
    left = {key: sum(one is None for one in parts.values()) for key, parts in awaited.items()}

    def summed(key: Key) -> Sum:
        name, output = key
        total = component(nodes[name].upstream[output], index)
        return Sum(name, tuple(awaited[key].items()), total)

    def waiting() -> tuple[Sum, ...]:
        return tuple(summed(key) for key, more in left.items() if 0 < more < len(awaited[key]))

    def gradient(leaf: str) -> Any:
        return component(recording.gradients.get(leaf), index)

    if end.name in only:
        yield Step("start", end.name, 1.0, waiting=waiting())
        if end.leaf and end.requires_grad:
            yield Step("leaf", end.name, gradient(end.name))
    halts = _halts(recording, only)
    yield from (Step("stopped", node.name, None) for node in halts.get("", []))
    for name in recording.order:
        node = nodes[name]
        sent = dict[Key, None]()
        for edge in node.operands:
            if edge.gradient is not None:
                sent[_key(edge)] = None
                awaited[_key(edge)][edge.name] = edge.gradient.component(index)
                left[_key(edge)] -= 1
        done = [summed(key) for key in sent if not left[key]]
        arrived = tuple(one for one in done if len(one.parts) > 1)
        if name in only:
            edges = (one for one in node.operands if _shown(one) and one.producer.name in only)
            parts = tuple(_part(edge, index) for edge in edges)
            yield Step("op", name, component(node.gradient, index), parts, arrived, waiting())
        yield from (Step("stopped", node.name, None) for node in halts.get(name, []))
        for one in done:
            is_leaf = one.node in recording.gradients and one.node not in recording.order
            if is_leaf and one.node in only:
                both = (one,) if len(one.parts) > 1 else ()
                yield Step("leaf", one.node, gradient(one.node), arrived=both)
    if recording.refused is not None and recording.refused in only:
        upstream = component(nodes[recording.refused].gradient, index)
        yield Step("stopped", recording.refused, upstream)


def _key(edge: Edge) -> Key:
    return edge.producer.name, edge.output


def _awaited(recording: Recording) -> dict[Key, dict[str, Any]]:
    """Return each sum's edges, each with None until it sends. The 1 at the output has no edge."""
    start = recording.output or "", recording.output_index
    found: dict[Key, dict[str, Any]] = {start: {"": 1.0}}
    for name in recording.order:
        for edge in recording.nodes[name].operands:
            if edge.gradient is not None:
                found.setdefault(_key(edge), {})[edge.name] = None
    return found


def _shown(edge: Edge) -> bool:
    return edge.producer.requires_grad and (edge.flows or edge.consumer.kind == "stopped")


def _part(edge: Edge, index: Sequence[int]) -> Part:
    node = edge.consumer
    upstream = node.upstream[0] if node.outputs[0].shape != edge.value.shape else None
    found = terms(edge, index) if upstream is not None else []
    products = tuple((component(upstream, at), local) for at, local in found)
    if len(products) < 2 or any(one is NOT_KEPT for one, _ in products):
        products = ()
    summed = node.outputs[0].size // max(edge.value.size, 1)
    return Part(
        edge=edge.name,
        to=edge.producer.name,
        state=edge.state,
        upstream=component(node.gradient, index),
        local=local_derivative(edge, index),
        gradient=component(edge.gradient, index),
        offered=component(edge.offered, index),
        terms=products,
        terms_left_out=summed - len(products) if products else 0,
    )


def _halts(recording: Recording, only: Collection[str]) -> dict[str, list[Node]]:
    """Ops that stop the gradient, grouped by the op whose step they follow ("" for the output)."""
    places = {name: n for n, name in enumerate(recording.order)}
    found: dict[str, list[Node]] = {}
    for node in recording:
        if node.name not in only or node.kind != "stopped":
            continue
        if not any(e.producer.requires_grad for e in node.operands):
            continue
        readers = [e.consumer.name for e in recording.consumers(node) if e.consumer.name in places]
        if readers:
            found.setdefault(max(readers, key=places.__getitem__), []).append(node)
        elif node.name == recording.output:
            found.setdefault("", []).append(node)
    return found
