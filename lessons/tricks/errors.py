"""The one error family of the engine, and the words its messages share."""

from collections.abc import Iterable

import torch


class TrickError(Exception):
    """A gradient trick was asked for something it cannot do truthfully.

    The message says which op type and which op, what came, what was expected, and what to do.
    TensorFlow stays silent in most of these cases; the engine does not.

    >>> from lessons.tricks import gradient_override_map
    >>> with gradient_override_map({"Matmul": lambda op, upstream: upstream}):
    ...     pass
    Traceback (most recent call last):
    ...
    lessons.tricks.errors.TrickError: unknown op type 'Matmul': did you mean matmul / MatMul? \
TensorFlow would ignore it without a word; op_types() lists every type.
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


def listed(names: Iterable[object]) -> str:
    """Names joined for a message, or the word "nothing".

    >>> listed(["mul", "relu"]), listed([])
    ('mul, relu', 'nothing')
    """
    return ", ".join(str(name) for name in names) or "nothing"
