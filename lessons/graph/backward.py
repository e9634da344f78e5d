"""One backward pass through a recording: autograd runs, the hooks of wiring.py take notes."""

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch

from lessons.graph.nodes import RecordError, Recording
from lessons.graph.values import Value
from lessons.tricks.errors import describe


def run_backward(
    recording: Recording,
    output: torch.Tensor,
    upstream: torch.Tensor | Sequence[Any] | float | None,
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
        with torch._C.DisableTorchFunction():
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
            recording.listening = True
            found = torch.autograd.grad(
                output, [leaf for _, leaf in alive], seed, retain_graph=True, allow_unused=True
            )
    finally:
        recording.listening = False
        if recorder is not None:
            recorder.quiet -= 1
    recording.gradients = {name: None for name, _ in leaves}
    with torch._C.DisableTorchFunction():
        for (name, _), gradient in zip(alive, found, strict=False):
            value = None if gradient is None else Value.of(gradient)
            recording.gradients[name] = recording.nodes[name].upstream[0] = value
    recording.order = _ordered(recording)


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
    recording.order = []
    for node in recording:
        node.upstream = [None] * len(node.outputs)
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
