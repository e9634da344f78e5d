"""The one error family of the engine, and the words its messages share."""

from collections.abc import Iterable

import torch


class TrickError(Exception):
    """A gradient trick was asked for something it cannot do truthfully.

    The message says which op type and op, which argument it got, what it expected, what to do.
    TensorFlow stays silent in most of these cases; the engine does not.

    >>> try:
    ...     require_tensor("stop_gradient", 3.0)  # as stop_gradient(3.0) does
    ... except TrickError as error:
    ...     print(error)
    stop_gradient: expected a tensor, got float 3.0. Use torch.tensor(...).
    """


def describe(value: object) -> str:
    """`value` in a few words for an error message: type, and for a tensor shape and dtype.

    >>> describe(torch.zeros(2, 3))
    'a tensor of shape (2, 3), torch.float32, on cpu'
    >>> describe(0.5)
    'float 0.5'
    """
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}, {value.dtype}, on {value.device}"
    text = repr(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    return text if value is None else f"{type(value).__name__} {text}"


def require_tensor(trick: str, x: torch.Tensor) -> torch.Tensor:
    """Return `x` if it is a tensor; otherwise raise a `TrickError` that describes it."""
    if not isinstance(x, torch.Tensor):
        raise TrickError(f"{trick}: expected a tensor, got {describe(x)}. Use torch.tensor(...).")
    return x


def listed(names: Iterable[object]) -> str:
    """Names joined for a message, or the word "nothing".

    >>> listed(["mul", "relu"]), listed([])
    ('mul, relu', 'nothing')
    """
    return ", ".join(str(name) for name in names) or "nothing"
