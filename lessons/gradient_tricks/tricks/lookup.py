"""What a key and a torch call mean: the table of optypes.py turned into look-ups.

`resolve` reads what a user wrote as a key; `SPELLINGS` tells, for a callable that torch reports,
which op type ran. Some calls decide their type by their arguments (`_BY_ARGUMENTS`).
"""

import difflib
import operator
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn

from .errors import TrickError, describe
from .optypes import OP_TYPES
from .plain import identity, py_func, stop_gradient


class Spelling(NamedTuple):
    """How one torch callable spells an op type."""

    type: str
    swapped: bool = False  # `2 - w` arrives as __rsub__(w, 2)
    functional: Callable[..., Any] | None = None  # the out-of-place form, for `mul_`
    choose: Callable[..., str | None] | None = None  # the type, read off the arguments


def _argument(args: tuple[Any, ...], kwargs: Mapping[str, Any], place: int, name: str) -> Any:
    return args[place] if len(args) > place else kwargs.get(name)


def _extremum(reduction: str, elementwise: str) -> Callable[..., str]:
    def choose(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        other = _argument(args, kwargs, 1, "other")
        return elementwise if isinstance(other, torch.Tensor) else reduction

    return choose


def _division(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    mode = kwargs.get("rounding_mode")
    return "div" if mode is None else "floor_divide" if mode == "floor" else None


def _hardtanh(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    limits = _argument(args, kwargs, 1, "min_val"), _argument(args, kwargs, 2, "max_val")
    return "relu6" if limits == (0, 6) else "hardtanh"


def _where(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    return "where" if len(args) + len(kwargs) > 1 else None  # where(c) only lists indices


def _cast(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """No op where nothing changes, as in TensorFlow: torch hands back the tensor itself."""
    x, given = args[0], [*args[1:], *kwargs.values()]
    for wanted in given:
        if isinstance(wanted, torch.Tensor):
            given += [wanted.dtype, wanted.device]
    dtypes = [d for d in given if isinstance(d, torch.dtype)]
    devices = [torch.device(d) for d in given if isinstance(d, (str, torch.device))]
    moved = any(d.type != x.device.type or d.index not in (None, x.device.index) for d in devices)
    return "to" if moved or any(d != x.dtype for d in dtypes) else None


def _cast_to(dtype: torch.dtype) -> Callable[..., str | None]:
    return lambda args, kwargs: "to" if args[0].dtype != dtype else None


def _move_to(kind: str) -> Callable[..., str | None]:
    return lambda args, kwargs: "to" if args[0].device.type != kind else None


_BY_ARGUMENTS: dict[str, Callable[..., str | None]] = {
    "max": _extremum("max", "maximum"),
    "min": _extremum("min", "minimum"),
    "div": _division,
    "divide": _division,
    "hardtanh": _hardtanh,
    "where": _where,
    "to": _cast,
    "float": _cast_to(torch.float32),
    "double": _cast_to(torch.float64),
    "half": _cast_to(torch.float16),
    "bfloat16": _cast_to(torch.bfloat16),
    "cpu": _move_to("cpu"),
    "cuda": _move_to("cuda"),
}


def _spellings() -> dict[Hashable, Spelling]:
    places = (
        torch, torch.Tensor, nn.functional, torch.special, torch.linalg, nn, operator,
    )  # fmt: skip
    found: dict[Hashable, Spelling] = {
        identity: Spelling("identity"),
        stop_gradient: Spelling("stop_gradient"),
        py_func: Spelling("py_func"),
    }
    for row in OP_TYPES.values():
        for word in row.spellings:
            if word.startswith("."):
                found[getattr(torch.Tensor, word[1:]).__get__] = Spelling(row.name)
                continue
            word, swapped = word.lstrip("~"), word.startswith("~")
            inplace = f"__i{word[2:]}" if word.startswith("__") else f"{word}_"
            for place in places:
                plain = getattr(place, word, None)
                if callable(plain) and not isinstance(plain, torch.dtype):
                    found[plain] = Spelling(row.name, swapped, None, _BY_ARGUMENTS.get(word))
                changing = getattr(place, inplace, None)
                if callable(changing) and callable(plain) and not swapped:
                    choose = _BY_ARGUMENTS.get(word)
                    found[changing] = Spelling(row.name, False, plain, choose)
    return found


SPELLINGS = _spellings()


def _by_name() -> dict[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for row in OP_TYPES.values():
        for word in row.tensorflow:
            names[word] = (*names.get(word, ()), row.name)
    for row in OP_TYPES.values():
        names |= {
            word: (row.name,) for word in row.spellings if word.islower() and word[0].isalpha()
        }
    return names | {name: (name,) for name in OP_TYPES}


NAMES = _by_name()


def nearest(word: str) -> str:
    """The names nearest to `word`, for an error message, torch's beside TensorFlow's.

    >>> nearest("Matmul"), nearest("Multiply"), nearest("")
    ('matmul / MatMul', 'mul / Mul', '')
    """
    folded = {name.lower(): name for name in NAMES}
    close = difflib.get_close_matches(word.lower(), folded, n=3, cutoff=0.6)
    close = [word.lower()] if word.lower() in folded else close
    pairs: dict[str, None] = {}
    for match in close:
        for name in NAMES[folded[match]]:
            pairs[" / ".join([name, *OP_TYPES[name].tensorflow[:1]])] = None
    return ", ".join(pairs)


def resolve(key: object) -> tuple[str, ...]:
    """The op types a key stands for: a torch name, a TensorFlow name, or a torch callable.

    Raises `TrickError` for an unknown name, with the nearest known ones.

    >>> resolve("Mul"), resolve(torch.multiply), resolve("Reshape")
    (('mul',), ('mul',), ('reshape', 'view', 'flatten'))
    """
    if isinstance(key, str):
        if key in NAMES:
            return NAMES[key]
        hint = nearest(key)
        raise TrickError(
            f"unknown op type {key!r}: "
            + (f"did you mean {hint}? " if hint else "")
            + "TensorFlow would ignore it without a word; op_types() lists every type."
        )
    if isinstance(key, Hashable) and key in SPELLINGS:
        return (SPELLINGS[key].type,)
    raise TrickError(
        f"unknown op type {describe(key)}: expected torch's name, TensorFlow's name, or the torch "
        "callable itself. op_types() lists every type."
    )
