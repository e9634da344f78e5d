"""A trick of plain.py or shape.py as an `nn.Module`, to drop into an `nn.Sequential`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from .plain import forward_backward, straight_through


class Trick(nn.Module):
    """A function of a tensor and its settings as a module: `flip_gradient`, or one of your own.

    It has settings, no weights. A setting given as a tensor becomes a buffer: it moves with
    `.to()` and is in the `state_dict`. Numbers are plain attributes and may be changed between
    steps, as a schedule does; a buffer is changed with `fill_` or by assigning a tensor. Copying
    and pickling work where no lambda is held.

    `straight_through` and `forward_backward` have functions as settings. These may be modules;
    their parameters are this module's, and those of `g` get gradients.

    >>> half = Trick(torch.mul, other=0.5)
    >>> half.other = 0.25
    >>> nn.Sequential(half, Trick(straight_through, f=torch.round))
    Sequential(
      (0): Trick(mul, other=0.25)
      (1): Trick(straight_through, f=round)
    )
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def __init__(self, function: Callable[..., Any], /, **settings: Any) -> None:
        super().__init__()
        self.function = function
        self._names = tuple(settings)
        for name, value in settings.items():
            if isinstance(value, torch.Tensor):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def extra_repr(self) -> str:
        settings = ((n, getattr(self, n)) for n in self._names)
        shown = [f"{n}={_name(v)}" for n, v in settings if not isinstance(v, nn.Module)]
        return ", ".join([_name(self.function), *shown])

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        settings = {name: getattr(self, name) for name in self._names}
        if self.function in (straight_through, forward_backward):
            return self.function(**settings)(*args, **kwargs)
        return self.function(*args, **kwargs, **settings)


def _name(value: Any) -> str:
    return getattr(value, "__name__", str(value))
