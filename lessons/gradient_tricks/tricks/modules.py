"""The tricks of plain.py and shape.py as `nn.Module`s, to drop into an `nn.Sequential`.

They hold settings, no weights. A setting given as a tensor becomes a buffer: it moves with
`.to()` and is in the `state_dict`. Numbers are plain attributes and may be changed between
steps, as a schedule does; a buffer is changed with `fill_` or by assigning a tensor. Copying
and pickling work where no lambda is held.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from .plain import forward_backward, stop_gradient, straight_through
from .shape import clip_gradient, clip_gradient_norm, flip_gradient, scale_gradient


class _Trick(nn.Module):
    def _set(self, **settings: Any) -> None:
        for name, value in settings.items():
            if isinstance(value, torch.Tensor):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)
        self._names = tuple(settings)

    def extra_repr(self) -> str:
        settings = ((n, getattr(self, n)) for n in self._names)
        shown = ((n, v) for n, v in settings if not isinstance(v, nn.Module))
        return ", ".join(f"{n}={getattr(v, '__name__', v)}" for n, v in shown)


class StopGradient(_Trick):
    """`stop_gradient` as a module: what stands before it gets no gradient through it.

    >>> x = torch.ones(2, requires_grad=True)
    >>> nn.Sequential(nn.Tanh(), StopGradient())(x).requires_grad
    False
    """

    def __init__(self) -> None:
        super().__init__()
        self._set()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return stop_gradient(x)


class ForwardBackward(_Trick):
    """`forward_backward(f, g)` as a module, any number of inputs.

    `f` and `g` may be modules; their parameters are this module's, and `g`'s get gradients.

    >>> ForwardBackward(torch.sign, torch.tanh)
    ForwardBackward(f=sign, g=tanh)
    """

    f: Callable[..., torch.Tensor]
    g: Callable[..., torch.Tensor]

    def __init__(self, f: Callable[..., torch.Tensor], g: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self._set(f=f, g=g)

    def forward(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        return forward_backward(self.f, self.g)(*args, **kwargs)


class StraightThrough(_Trick):
    """`straight_through(f)` as a module.

    >>> x = torch.tensor([0.4], requires_grad=True)
    >>> StraightThrough(torch.round)(x).backward(); x.grad
    tensor([1.])
    """

    f: Callable[..., torch.Tensor]

    def __init__(self, f: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self._set(f=f)

    def forward(self, x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return straight_through(self.f)(x, *args, **kwargs)


class FlipGradient(_Trick):
    """`flip_gradient` as a module; assign `scale` between steps for a schedule.

    >>> FlipGradient(0.5)
    FlipGradient(scale=0.5)
    """

    scale: float | torch.Tensor

    def __init__(self, scale: float | torch.Tensor = 1.0) -> None:
        super().__init__()
        self._set(scale=scale)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return flip_gradient(x, self.scale)


class ScaleGradient(_Trick):
    """`scale_gradient` as a module.

    >>> ScaleGradient(2.0)
    ScaleGradient(factor=2.0)
    """

    factor: float | torch.Tensor

    def __init__(self, factor: float | torch.Tensor) -> None:
        super().__init__()
        self._set(factor=factor)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return scale_gradient(x, self.factor)


class ClipGradient(_Trick):
    """`clip_gradient` as a module.

    >>> ClipGradient(-0.1, 0.1)
    ClipGradient(low=-0.1, high=0.1)
    """

    low: float | torch.Tensor
    high: float | torch.Tensor

    def __init__(self, low: float | torch.Tensor, high: float | torch.Tensor) -> None:
        super().__init__()
        self._set(low=low, high=high)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return clip_gradient(x, self.low, self.high)


class ClipGradientNorm(_Trick):
    """`clip_gradient_norm` as a module.

    >>> ClipGradientNorm(1.0)
    ClipGradientNorm(max_norm=1.0)
    """

    max_norm: float | torch.Tensor

    def __init__(self, max_norm: float | torch.Tensor) -> None:
        super().__init__()
        self._set(max_norm=max_norm)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return clip_gradient_norm(x, self.max_norm)
