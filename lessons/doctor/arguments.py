"""The arguments of a traced function, as they are written on the command line.

A value is a Python expression that may use torch's names: `x=-2,-1,1`, `x=[[1,2],[3,4]]`,
`x=randn(2,3):0`, drawn with the seed 0. After `@` comes a dtype, or whether a gradient is wanted:
`x=1,2@float64`, `m=randn(4)@constant`.
"""

import inspect
import re
from typing import Any

import torch

from ..text import visible
from .errors import TraceError

HELP = (
    "a Python expression that may use torch's names, such as x=-2,-1,1 or x=[[1,2],[3,4]] or "
    "x=randn(2,3):0, drawn with the seed 0. After @: a dtype, constant or grad (x=1,2@float64). "
    "python:… passes a plain value (n=python:3)"
)
_EMPTY = inspect.Parameter.empty
_PLAIN = {"int": int, "float": float, "str": str, "bool": bool}


def read(settings: list[str]) -> dict[str, str]:
    """`NAME=TEXT` pairs by name. Raises `TraceError` for one of another form, or a name twice."""
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.isidentifier():
            raise TraceError(f"--arg needs NAME=VALUE, such as x=-2,-1,1; got {visible(setting)}.")
        if name in given:
            raise TraceError(f"--arg {name} was given twice.")
        given[name] = text
    return given


def bound(
    called: str, signature: inspect.Signature, given: dict[str, str], grad: bool
) -> dict[str, Any]:
    """The arguments to call with. Raises `TraceError` for one that is missing or unknown."""
    known = {name: one.annotation for name, one in signature.parameters.items()}
    values = {
        name: value_of(name, text, known.get(name, _EMPTY), grad) for name, text in given.items()
    }
    try:
        signature.bind(**values)
    except TypeError as error:
        raise TraceError(
            f"{called}{signature}: {error}. Give each argument as --arg NAME=VALUE, such as "
            "--arg 'x=randn(2,3):0'."
        ) from None
    return values


def value_of(name: str, text: str, wanted: Any = _EMPTY, grad: bool = True) -> Any:
    """The value to pass as the argument `name`.

    Args:
        text: as it was typed.
        wanted: the parameter's annotation; for int, float, str and bool the value has this type.
        grad: whether floats want a gradient where the text does not say.

    Raises:
        TraceError: the text is no such value.
    """
    if text.startswith("python:"):
        return _evaluated(name, text.removeprefix("python:"))
    plain = wanted if isinstance(wanted, type) else _PLAIN.get(str(wanted))
    if plain is str:
        return text
    if plain in (int, float, bool):
        found = _evaluated(name, text)
        if not isinstance(found, (int, float)):
            raise TraceError(f"{name} is declared as {plain.__name__}; got {visible(text)}.")
        return plain(found)
    body, _, words = text.partition("@")
    expression, seed = re.fullmatch(r"(.*?)(?::(\d{1,9}))?\s*", body, re.DOTALL).groups()  # type: ignore[union-attr]
    found = _evaluated(name, expression, int(seed or 0))
    try:
        tensor = torch.as_tensor(found)
    except (TypeError, ValueError, RuntimeError):
        raise TraceError(f"{name}: {visible(text)} is no tensor. Give {HELP}.") from None
    if tensor is not found and tensor.dtype == torch.int64:  # whole numbers have no gradient
        tensor = tensor.to(torch.get_default_dtype())
    for word in re.findall(r"\w+", words):
        dtype = getattr(torch, word, None)
        if isinstance(dtype, torch.dtype):
            tensor = tensor.to(dtype)
        elif word in ("constant", "grad"):
            grad = word == "grad"
        else:
            raise TraceError(
                f"{name}: after @ stands a dtype such as float64, constant or grad; "
                f"got {visible(word)}."
            )
    return tensor.requires_grad_(grad and (tensor.is_floating_point() or tensor.is_complex()))


def _evaluated(name: str, text: str, seed: int = 0) -> Any:
    """The value of an expression; it comes from whoever also chose the program to run."""
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return eval(text, dict(vars(torch)))
    except Exception:
        raise TraceError(f"{name}: {visible(text)} is not understood. Give {HELP}.") from None
