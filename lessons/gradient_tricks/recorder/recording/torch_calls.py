"""What a torch call is to the recorder: which op type, which plain arguments, or no op at all."""

from functools import lru_cache
from typing import Any

import torch

from ...tricks.lookup import SPELLINGS, Spelling
from ...tricks.optypes import OP_TYPES
from ...tricks.rule import Slot
from ..torch_private import PICKLED, SWITCH, transforms
from .nodes import Kind

KINDS: dict[str, Kind] = {
    "stop_gradient": "stopped",
    "py_func": "stopped",
    "flip_gradient": "reversed",
    "scale_gradient": "scaled",
    "clip_gradient": "clipped",
    "clip_gradient_norm": "clipped",
    "straight_through": "surrogate",
    "forward_backward": "surrogate",
}
LEAVES_TORCH = frozenset(("item", "tolist", "numpy", "__array__", "__float__", "__int__"))
"""Calls that hand a tensor's numbers to Python or numpy, where autograd does not follow."""

_NO_OPS = frozenset((
    SWITCH,
    *("backward", "grad", "retain_grad", "register_hook"),
    *("register_post_accumulate_grad_hook", "requires_grad_"),
    *("share_memory_", "rename_", "__deepcopy__", "__reduce_ex__"),
    *(PICKLED, "__setstate__", "__hash__", "as_subclass", "data_ptr"),
    *("__set__", "__delete__", "__format__", "__repr__", "__len__"),
    *("size", "dim", "stride", "numel"), *LEAVES_TORCH,
))  # fmt: skip

LETS_OTHERS_WRITE = frozenset((
    *("numpy", "__array__", "__dlpack__", "data_ptr", "untyped_storage", "__set__"),
))  # fmt: skip
"""Calls after which a tensor's memory may change, or is another, and no version counts it."""

_IN_PLACE = frozenset((
    *("__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__"),
    *("__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__", "__setitem__"),
))  # fmt: skip


@lru_cache(2048)
def meaning(func: Any) -> Spelling | None:
    """How a torch callable spells an op type, the engine's or its own name; None for no op."""
    spelling = SPELLINGS.get(func)
    if spelling is not None:
        return spelling
    name = getattr(func, "__name__", type(func).__name__)
    if name == "__get__":
        word = attribute(func)
        if word == "data":  # the old spelling of detach
            return Spelling("stop_gradient")
        return Spelling(word) if word in ("real", "imag", "H", "mH") else None
    return None if name in _NO_OPS else Spelling(name.strip("_") or "op")


def attribute(func: Any) -> str:
    """Which attribute of a tensor is read or set."""
    word: str = getattr(getattr(func, "__self__", None), "__name__", "")
    return word


def op_type_of(spelling: Spelling, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The op type of this very call, for a recording and for a cut."""
    op_type = spelling.choose(args, kwargs) if spelling.choose else spelling.type
    # The table of the engine leaves out a division that truncates, where(c), and a needless cast.
    return op_type or {"div": "div_trunc", "where": "nonzero"}.get(spelling.type, spelling.type)


@lru_cache(256)
def op_type_of_node(name: str) -> str:
    """The op type that leaves an autograd node of this name behind; the name itself for others.

    >>> op_type_of_node("Unbind"), op_type_of_node("MyFunction")
    ('unbind', 'MyFunction')
    """
    return next((row.name for row in OP_TYPES.values() if name in row.nodes), name)


def is_in_place(name: str) -> bool:
    """Whether a call of this name changes its first operand."""
    return name.endswith("_") and (not name.startswith("__") or name in _IN_PLACE)


def untraceable(around: int = 0) -> bool:
    """Under `torch.func` and `torch.compile` tensors have no numbers to copy.

    Args:
        around: so many transforms were there before: `vmap` of a program that is watched.
    """
    return transforms() > around or torch.compiler.is_compiling()


def tensors_in(result: Any) -> list[torch.Tensor]:
    """The tensors that a call returned, those in tuples and lists too."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [tensor for item in result for tensor in tensors_in(item)]
    return []


def as_data(value: Any) -> Any:
    """An argument as plain data: slots, numbers and words stay, the rest is named."""
    if value is None or isinstance(value, (Slot, bool, int, float, complex, str, torch.dtype)):
        return value
    if isinstance(value, (tuple, list)):
        return [as_data(item) for item in value]
    return getattr(value, "__name__", None) or str(value)
