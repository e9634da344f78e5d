"""`record`: every op of a torch program, with its values, as it runs; and `named`.

A `TorchFunctionMode`, which torch keeps per thread, sees each outermost torch call; the engine
tells it of its tricks and of overridden ops (lessons/tricks/as_one.py). The program runs as it
always does: nothing is put into its graph, so no number can change.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from ...tricks.errors import describe
from ...tricks.torch_private import function_modes
from ..torch_private import unseen
from .nodes import RecordError
from .recorder import Recorder
from .recording import Recording

_NAME = re.compile(r"[^\s:]+")


@contextmanager
def record(
    inputs: Mapping[str, torch.Tensor] | None = None,
    *,
    cuts: Iterable[tuple[str, int]] = (),
    keep: bool = False,
) -> Iterator[Recording]:
    """Within the block, every op is written down; `with record({"x": x}) as recording:`.

    `inputs` names the tensors that the program starts from. `cuts`, pairs (op name, operand
    index), are the edges where the gradient stops: forward values stay, and every backward pass
    through this graph, later ones too, sends nothing there. `keep` keeps the tensors themselves
    in `recording.tensors`; otherwise they are only copied, at most LIMIT numbers each,
    and the recording holds none once the block has ended.

    Works around or inside `gradient_override_map`, in any thread, with in-place ops and any
    number of outputs. Ops run inside another torch call are not seen, nor those that a trick
    runs; an `autograd.Function` of one's own is one op. Under `torch.func` and `torch.compile`
    nothing is recorded. Raises `RecordError` on entry for inputs or cuts of the wrong form, on
    exit for a cut that names no edge.

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
        _check_name(name)
        if not isinstance(tensor, torch.Tensor):
            raise RecordError(f"the input {name!r} must be a tensor, got {describe(tensor)}.")
    recorder = Recorder(Recording(_checked_cuts(cuts), keep))
    with unseen():
        for name, tensor in inputs.items():
            recorder.leaf(tensor, name)
    try:
        with recorder:
            yield recorder.recording
    finally:
        recorder.close()
    _check_cuts(recorder.recording)


def named(tensor: torch.Tensor, name: str) -> torch.Tensor:
    """`tensor` itself; in a recording, the op that made it gets this name, and its cuts.

    A name that is taken gets a number, as in TensorFlow. Outside a recording nothing happens.
    Raises `RecordError` for a name with a space or colon in it.
    """
    _check_name(name)
    for mode in reversed(function_modes()):
        rename = getattr(mode, "rename", None)  # a Recorder, or the mode of `cut`
        if rename is not None:
            with unseen():
                rename(tensor, name)
            break
    return tensor


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RecordError(f"a name is a word without spaces and colons, got {name!r}.")


def _checked_cuts(cuts: Iterable[Any]) -> frozenset[tuple[str, int]]:
    checked = []
    for cut in cuts:
        fits = isinstance(cut, (tuple, list)) and len(cut) == 2
        if not fits or not isinstance(cut[0], str) or not isinstance(cut[1], int):
            raise RecordError(
                f'a cut is a pair (op name, operand index) such as ("mul", 1), got {cut!r}.'
            )
        checked.append((cut[0], int(cut[1])))
    return frozenset(checked)


def _check_cuts(recording: Recording) -> None:
    known = {(edge.consumer.name, edge.operand) for edge in recording.edges}
    missing = sorted(recording.cuts - known)
    if missing:
        raise RecordError(
            f"no edge to cut at {', '.join(map(str, missing))}. The program has the edges "
            f"{', '.join(map(str, sorted(known))) or '(none)'}: operands count from 0."
        )
