"""The tensors and modules that a program is given: its arguments, and what those hold."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from .errors import TraceError
from .target import Target


def among_arguments(
    target: Target, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[dict[str, torch.Tensor], dict[str, nn.Module]]:
    """The tensors and the modules among the arguments, in lists and functions of theirs too."""
    try:
        arguments = target.signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TraceError(f"{target.name}{target.signature}: {error}.") from None
    flat: dict[str, Any] = {}
    for name, value in arguments.items():
        kind = target.signature.parameters[name].kind
        flat |= value if kind is kind.VAR_KEYWORD else {name: value}
    tensors: dict[str, torch.Tensor] = {}
    modules: dict[str, nn.Module] = {}
    for name, value in flat.items():
        for path, one in _within(name, value):
            if isinstance(one, nn.Module):
                modules.setdefault(path, one)
            elif not any(one is other for other in tensors.values()):
                tensors[path] = one
    return tensors, modules


def _within(name: str, value: Any, depth: int = 3) -> Iterator[tuple[str, Any]]:
    """Tensors and modules of an argument, each with a name: of a list those that it holds."""
    if isinstance(value, (torch.Tensor, nn.Module)):
        yield name, value
    elif isinstance(value, (list, tuple)) and depth:
        for place, one in enumerate(value):
            yield from _within(f"{name}_{place}", one, depth - 1)
