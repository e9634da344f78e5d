"""`record`: every op of a torch program, with its values, as it runs; and `named`.

A `TorchFunctionMode`, which torch keeps per thread, sees each outermost torch call; the engine
tells it of its tricks and of overridden ops (tricks/as_one.py). The program runs as it
always does: nothing is put into its graph, so no number can change.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import torch

from ...tricks.errors import describe
from ...tricks.torch_private import function_modes
from ..torch_private import unseen
from .nodes import RecordError
from .recorder import Recorder
from .recording import Recording
from .torch_calls import untraceable

_NAME = re.compile(r"[^\s:]+")


@contextmanager
def record(
    inputs: Mapping[str, torch.Tensor] | None = None,
    *,
    cuts: Iterable[tuple[str, int]] = (),
) -> Iterator[Recording]:
    """Within the block, every op is written down; `with record({"x": x}) as recording:`.

    `inputs` names the tensors that the program starts from. `cuts`, pairs (op name, operand
    index), are the edges where the gradient stops: forward values stay, and every backward pass
    through this graph, later ones too, sends nothing there. Tensors are copied, at most LIMIT
    numbers of each, and the recording holds none once the block has ended.

    Works around or inside `gradient_override_map`, in any thread, with in-place ops and any
    number of outputs. Ops run inside another torch call are not seen, nor those that a trick
    runs; an `autograd.Function` of one's own is one op. Under `torch.func` and `torch.compile`
    nothing is recorded. Raises `RecordError` on entry for inputs of the wrong form, on exit for a
    cut that names no edge.

    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> with record({"x": x}) as recording:
    ...     y = x * x
    >>> recording.backward(y).gradients["x"]
    Value(shape=(1,), dtype='float32', numbers=[6.0])
    >>> [(edge.name, edge.gradient.numbers) for edge in recording.edges]
    [('mul:0', [3.0]), ('mul:1', [3.0])]
    """

    inputs = dict(inputs or {})
    for name, tensor in inputs.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise RecordError(f"a name is a word without spaces and colons, got {name!r}.")
        if not isinstance(tensor, torch.Tensor):
            raise RecordError(f"the input {name!r} must be a tensor, got {describe(tensor)}.")
    recording = Recording(frozenset(cuts))
    recorder = Recorder(recording)
    with unseen():
        for name, tensor in inputs.items():
            recorder.leaf(tensor, name)
    try:
        with recorder:
            yield recording
    finally:
        recorder.close()
    known = {(edge.consumer.name, edge.operand) for edge in recording.edges}
    missing = sorted(map(str, recording.cuts - known))
    if missing:
        raise RecordError(
            f"no edge to cut at {', '.join(missing)}. A cut is a pair of an op's name and an "
            "operand, counted from 0. The program has the edges "
            f"{', '.join(map(str, sorted(known))) or '(none)'}."
        )


def named(tensor: torch.Tensor, label: str) -> torch.Tensor:
    """`tensor` itself; in a recording its node gets this label, as from a variable in the source.

    Outside a recording nothing happens.
    """
    recorder = next((one for one in reversed(function_modes()) if isinstance(one, Recorder)), None)
    if recorder is not None and not (recorder.recording.quiet or untraceable()):
        node, _ = recorder.recording.node_of(tensor)
        node.variable = label
    return tensor
