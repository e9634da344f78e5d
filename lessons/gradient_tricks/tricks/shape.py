"""Tricks that leave a value alone and flip, scale or clip the gradient that comes back.

Each is one small `autograd.Function`: forward hands on a view, backward is the trick. They work
under `torch.func.grad` and `vmap`, and their backward can be differentiated again. Forward-mode
differentiation (`torch.func.jvp`) is not defined for a gradient that is no derivative; torch
raises there. Rules by op type live in override_map.py.
"""

import numbers
from typing import Any

import torch

from .as_one import one_op
from .errors import TrickError, describe, require_tensor
from .plain import run_function


class _Reshaped(torch.autograd.Function):
    """Forward hands on `x`; what a subclass's backward needs is kept, tensors by autograd."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor, *settings: Any) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        # All numbers or all tensors: clip_gradient sees to it where there are two.
        ctx.numbers = () if isinstance(inputs[1], torch.Tensor) else inputs[1:]
        if not ctx.numbers:
            ctx.save_for_backward(*inputs[1:])


class _FlipGradient(_Reshaped):
    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        (scale,) = ctx.numbers or ctx.saved_tensors
        return upstream * -scale, None


class _ScaleGradient(_Reshaped):
    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        (factor,) = ctx.numbers or ctx.saved_tensors
        return upstream * factor, None


class _ClipGradient(_Reshaped):
    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        low, high = ctx.numbers or ctx.saved_tensors
        return upstream.clamp(low, high), None, None


class _ClipGradientNorm(_Reshaped):
    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        (max_norm,) = ctx.numbers or ctx.saved_tensors
        # Half precision overflows when squared: its norm is taken in float32.
        narrow = upstream.dtype in (torch.float16, torch.bfloat16)
        norm = torch.linalg.vector_norm(upstream, dtype=torch.float32 if narrow else None)
        within = norm <= max_norm
        # The inner `where` keeps max_norm / 0 out of the second derivative.
        factor = torch.where(within, 1.0, max_norm / torch.where(within, 1.0, norm))
        # In the norm's format, rounded once: under vmap the factor would be rounded as well.
        return (upstream.to(norm.dtype) * factor).to(upstream.dtype), None


@one_op("flip_gradient")
def flip_gradient(x: torch.Tensor, scale: float | torch.Tensor = 1.0) -> torch.Tensor:
    """The value of `x`; the gradient times `-scale`: a gradient reversal.

    Any shape, floating point dtype. `scale` is a number or a tensor that broadcasts to `x` (a
    schedule); 0 and negative are allowed, and it gets no gradient itself. Raises `TrickError`
    where `scale` does not fit. Source: Ganin et al., JMLR 2016, https://arxiv.org/abs/1505.07818.

    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> torch.autograd.grad((flip_gradient(x, 0.5) ** 2).sum(), x)
    (tensor([-3.]),)
    """
    require_tensor("flip_gradient", x)
    return run_function(_FlipGradient, x, fitting("flip_gradient", "scale", scale, x))


@one_op("scale_gradient")
def scale_gradient(x: torch.Tensor, factor: float | torch.Tensor) -> torch.Tensor:
    """The value of `x`; the gradient times `factor`, a number or a tensor that broadcasts to `x`.

    Any shape, floating point dtype. Raises `TrickError` where `factor` does not fit.
    Source: `scale_gradient` in the pseudocode of Schrittwieser et al. 2020 (MuZero),
    https://arxiv.org/abs/1911.08265.

    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> torch.autograd.grad((scale_gradient(x, 0.5) ** 2).sum(), x)
    (tensor([3.]),)
    """
    require_tensor("scale_gradient", x)
    return run_function(_ScaleGradient, x, fitting("scale_gradient", "factor", factor, x))


@one_op("clip_gradient")
def clip_gradient(
    x: torch.Tensor, low: float | torch.Tensor, high: float | torch.Tensor
) -> torch.Tensor:
    """The value of `x`; each component of the gradient clamped to [`low`, `high`].

    Any shape, real floating point dtype. NaN passes; an infinity becomes the limit. The upstream
    gradients are summed first, then clipped. Raises `TrickError` for `low > high`, for a NaN
    limit and for a limit that does not fit.
    Source: clipping by value, as `tf.clip_by_value`; it can change the gradient's direction.

    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> torch.autograd.grad(clip_gradient(x, -0.1, 0.1).sum(), x)
    (tensor([0.1000]),)
    """
    require_tensor("clip_gradient", x)
    limits = fitting("clip_gradient", "low", low, x), fitting("clip_gradient", "high", high, x)
    if any(isinstance(limit, torch.Tensor) for limit in limits):
        low, high = (torch.as_tensor(limit, dtype=x.dtype, device=x.device) for limit in limits)
    else:
        low, high = limits
        if not low <= high:
            raise TrickError(f"clip_gradient: expected low <= high, got low={low}, high={high}.")
    return run_function(_ClipGradient, x, low, high)


@one_op("clip_gradient_norm")
def clip_gradient_norm(x: torch.Tensor, max_norm: float | torch.Tensor) -> torch.Tensor:
    """The value of `x`; the gradient shortened to length `max_norm` if it is longer.

    The length is the Euclidean norm over the whole tensor, in float32 for the half precisions.
    A gradient within the limit keeps its very bits; direction never changes. One infinity in the
    gradient gives NaN there and 0 elsewhere, one NaN gives NaN everywhere. Raises `TrickError`
    for a negative or NaN limit. Source: Pascanu, Mikolov, Bengio 2013,
    https://arxiv.org/abs/1211.5063.

    >>> x = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> torch.autograd.grad((clip_gradient_norm(x, 1.0) ** 2).sum(), x)
    (tensor([0.6000, 0.8000]),)
    """
    require_tensor("clip_gradient_norm", x)
    limit = fitting("clip_gradient_norm", "max_norm", max_norm, x)
    if isinstance(limit, torch.Tensor):
        if limit.numel() != 1:
            raise TrickError(f"clip_gradient_norm: max_norm is one number, got {describe(limit)}.")
        limit = limit.reshape(())
    elif not limit >= 0:
        raise TrickError(f"clip_gradient_norm: max_norm must be 0 or more, got {limit}.")
    return run_function(_ClipGradientNorm, x, limit)


def fitting(trick: str, name: str, value: Any, x: torch.Tensor) -> Any:
    """`value` as a float, or as the tensor it is if it broadcasts to `x` without growing it."""
    if type(value) is float:
        return value
    if isinstance(value, torch.Tensor):
        grown = [
            a for a, b in zip(value.shape[::-1], x.shape[::-1], strict=False) if a not in (1, b)
        ]
        if value.dim() > x.dim() or grown:
            raise TrickError(
                f"{trick}: {name} is {describe(value)} and does not broadcast to x, "
                f"which has shape {tuple(x.shape)}."
            )
        if value.dim() and value.device != x.device:
            raise TrickError(f"{trick}: {name} is on {value.device}, x on {x.device}.")
        return value
    if not isinstance(value, numbers.Real):
        raise TrickError(f"{trick}: {name} must be a number or a tensor, got {describe(value)}.")
    return float(value)
