"""What the recorder needs of torch that torch does not promise to keep: here, and nowhere else.

The engine has a file of the same kind, lessons/gradient_tricks/tricks/torch_private.py.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from operator import methodcaller
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

unseen: Callable[[], AbstractContextManager[None]] = torch._C.DisableTorchFunction
"""Within `with unseen():` no mode sees torch's calls: a recorder's own must not be recorded."""

transforms: Callable[[], int] = torch._C._functorch.get_dynamic_layer_stack_depth
"""How many of `torch.func`'s transforms are around what runs now."""


class CountedOps(TorchDispatchMode):
    """Counts the ops that torch runs in its block, those of backward passes too."""

    count = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else torch loads its compiler, which takes over a second

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += 1
        return func(*args, **(kwargs or {}))


def can_compile() -> bool:
    """Whether the program may have compiled something: its compiler is loaded, which takes long."""
    return "torch._dynamo" in sys.modules


def version(tensor: torch.Tensor) -> int:
    """How often the tensor was changed in place; 0 in inference mode, where nobody counts."""
    try:
        return tensor._version
    except RuntimeError:
        return 0


next_number: Callable[[], int] = torch._C._autograd._get_sequence_nr
"""The number that the next autograd node of this thread gets."""

number_of: Callable[[Any], int] = methodcaller("_sequence_nr")
"""The number of an autograd node: they count up as they are made."""

_engine: Any = torch.autograd.Variable._execution_engine


def sent_to(
    leaves: Sequence[torch.Tensor],
    output: torch.Tensor,
    upstream: torch.Tensor,
    *,
    retain_graph: bool = False,
) -> Sequence[torch.Tensor | None]:
    """As `torch.autograd.grad(output, leaves, upstream, allow_unused=True)`.

    `upstream` has the shape and the dtype of `output`, which are not looked at again: of a small
    graph that takes longer than the way back. Where a mode watches, torch's own function is called.
    """
    if torch._C._len_torch_function_stack() or transforms():
        return torch.autograd.grad(
            output, leaves, upstream, retain_graph=retain_graph, allow_unused=True
        )
    found: Sequence[torch.Tensor | None] = _engine.run_backward(
        (output,), (upstream,), retain_graph, False, tuple(leaves), True, accumulate_grad=False
    )
    return found


def hooks_of(thing: torch.Tensor | torch.nn.Module) -> list[Any]:
    """The code of each Python function that is registered as a hook on a tensor or module."""
    kinds = ("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks")
    found = [hook for one in kinds for hook in (getattr(thing, one, None) or {}).values()]
    codes = (getattr(one, "__code__", None) for one in found)
    return [code for code in codes if code is not None]


CLEARS = frozenset(("zero_", "_foreach_zero_"))
"""Calls by which `zero_grad` clears gradients that it keeps."""

SWITCH = "_set_grad_enabled"
"""The function that no_grad, enable_grad and set_grad_enabled all call."""

PICKLED = "_reduce_ex_internal"
"""The method of a tensor that copies it for pickle."""

REFUSED = "modified by an inplace operation"
"""Part of torch's error about a saved tensor that was changed in place."""


def hooks_on_saved() -> bool:
    """Whether what an op saves goes through somebody's hooks: to read it would run them."""
    return torch._C._autograd._top_saved_tensors_default_hooks(True) is not None


@lru_cache(1024)
def _saved_names(kind: Any) -> tuple[str, ...]:
    if hasattr(kind, "saved_tensors"):  # an autograd.Function
        return ("saved_tensors",)
    names = [name for name in dir(kind) if name.startswith("_saved_")]
    # Batch norm keeps its running statistics, which it changes itself and, training, never reads.
    return tuple(name for name in names if "_sym_" not in name and "_running_" not in name)


def saved_tensors(autograd_node: Any) -> list[tuple[str, torch.Tensor | None]]:
    """What an autograd node keeps for its backward pass, by name; None where torch refuses.

    Torch refuses what was changed in place since. A node whose graph was freed keeps nothing.
    """
    kind: Any = type(autograd_node)
    found: list[tuple[str, torch.Tensor | None]] = []
    for name in _saved_names(kind):
        try:
            kept = getattr(autograd_node, name)
        except RuntimeError as error:
            found += [(name.removeprefix("_saved_"), None)] if REFUSED in str(error) else []
            continue
        if isinstance(kept, torch.Tensor):
            found.append((name.removeprefix("_saved_"), kept))
        elif isinstance(kept, (tuple, list)):
            several = (one for one in kept if isinstance(one, torch.Tensor))
            found += [(name.removeprefix("_saved_"), one) for one in several]
    return found
