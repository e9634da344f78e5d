"""Tricks that leave a value alone and stop, keep or replace its gradient.

`identity` and `py_func` are op types for a rule in an override map; the others need no map. Beside
this file they need as_one.py, by which a recorder sees a trick as one op, and errors.py. Tricks
that rescale a gradient live in shape.py, the map in override_map.py.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import handle_torch_function, has_torch_function

from .as_one import one_op
from .errors import TrickError, describe, require_tensor
from .torch_private import count_function_modes, is_view, under_transforms


def stop_gradient(x: torch.Tensor) -> torch.Tensor:
    """The value of `x`, and no gradient: forward identity, backward nothing.

    Any shape, any dtype. The result shares memory with `x`, as `Tensor.detach` does (both are
    the op type `stop_gradient`). It stops a path; the *value* can still be read by later local
    derivatives. Source: `tf.stop_gradient`, `jax.lax.stop_gradient`.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(stop_gradient(x) * x, x)
    (tensor(3.),)
    """
    return require_tensor("stop_gradient", x).detach()


def run_function(function: type[torch.autograd.Function], *args: Any) -> torch.Tensor:
    """`function.apply(*args)` at the price of a plain one, outside `torch.func`.

    torch's `apply` inspects the signature of a `forward` that has a `setup_context` at each
    call: some 20 µs that only `torch.func` needs.
    """
    if not torch.is_grad_enabled():
        # A view made without gradients would still call itself requires_grad.
        output: torch.Tensor = function.forward(*args).detach()
    elif under_transforms() or torch.compiler.is_compiling():
        output = function.apply(*args)
    else:
        output = super(torch.autograd.Function, function).apply(*args)  # type: ignore[misc]
    return output


class _Identity(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> torch.Tensor:
        return upstream


def identity(x: torch.Tensor) -> torch.Tensor:
    """The value of `x`, the gradient unchanged: an op of its own type to hang a rule on.

    Any shape, any dtype. `nn.Identity` runs no op at all, so no map can see it; this one is the
    op type `identity` (TensorFlow's `Identity`). The result is a view of `x`; torch refuses to
    change it in place. Raises `TrickError` if `x` is not a tensor.

    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> torch.autograd.grad(identity(x).sum(), x)
    (tensor([1.]),)
    """
    if _seen_first((x,)):
        return handle_torch_function(identity, (x,), x)
    return run_function(_Identity, require_tensor("identity", x))


def py_func(func: Callable[..., Any], *inputs: torch.Tensor) -> Any:
    """Run `func(*inputs)` as one op of type `py_func`, whatever it is made of, with no gradient.

    `func` takes tensors and returns a tensor, or a tuple or list of them. Only a rule in an
    override map gives it a gradient: this is how an op with any number of inputs and outputs
    is made. Source: `tf.py_func`, whose op type `PyFunc` has no gradient either.

    >>> a, b = torch.ones(2, requires_grad=True), torch.ones(2)
    >>> [y.requires_grad for y in py_func(lambda a, b: (a + b, a * b, a - b), a, b)]
    [False, False, False]
    """
    if _seen_first(inputs):
        return handle_torch_function(py_func, inputs, func, *inputs)
    with torch.no_grad():
        outputs = func(*inputs)
    if isinstance(outputs, (tuple, list)):
        return type(outputs)(require_tensor("py_func", y).detach() for y in outputs)
    return require_tensor("py_func", outputs).detach()


class _ValueOfGradientOf(torch.autograd.Function):
    """The bits of `value`; the upstream gradient goes to `surrogate` alone."""

    generate_vmap_rule = True

    @staticmethod
    def forward(value: torch.Tensor, surrogate: torch.Tensor) -> torch.Tensor:
        return value.detach()  # not a view: the result may be changed in place

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.dtype = inputs[1].dtype

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[None, torch.Tensor]:
        return None, upstream.to(ctx.dtype)


def _join(
    trick: str, value: torch.Tensor, surrogate: torch.Tensor, inputs: tuple[Any, ...]
) -> torch.Tensor:
    require_tensor(trick, value)
    require_tensor(trick, surrogate)
    if not (value.is_floating_point() or value.is_complex()):
        raise TrickError(
            f"{trick}: the value is {describe(value)}, and only floating point can carry a "
            "gradient. Convert it inside the function, for example with .to(x.dtype)."
        )
    if value.shape != surrogate.shape or value.device != surrogate.device:
        raise TrickError(
            f"{trick}: the value is {describe(value)}, but the gradient would go to "
            f"{describe(surrogate)}. Both need one shape and one device."
        )
    # An f that hands back its input, or a view, must not lend the caller that input's memory.
    if not torch.compiler.is_compiling() and (
        is_view(value) or any(value is given for given in inputs)
    ):
        value = value.clone()
    return run_function(_ValueOfGradientOf, value, surrogate)


def forward_backward(
    f: Callable[..., torch.Tensor], g: Callable[..., torch.Tensor]
) -> Callable[..., torch.Tensor]:
    """A function with the value of `f`, bit for bit, and the gradient of `g`.

    `f` and `g` take the same inputs, any number, keywords too, and return one floating point
    tensor of one shape; dtypes may differ (the gradient is cast). `f` runs without a graph.
    What `g` reads besides its inputs (a parameter, say) gets its gradient too. Unlike
    `g(x) + stop_gradient(f(x) - g(x))` nothing is rounded, and infinities stay infinities.
    Raises `TrickError` for integer or boolean values and for unequal shapes.
    Source: the general form in the answer https://stackoverflow.com/a/36480182.

    >>> hard_sign = forward_backward(torch.sign, torch.tanh)
    >>> x = torch.tensor([0.0, 1e8], requires_grad=True)
    >>> y = hard_sign(x)
    >>> y.tolist(), torch.autograd.grad(y.sum(), x)
    ([0.0, 1.0], (tensor([1., 0.]),))
    """

    @functools.wraps(f, updated=())
    @one_op("forward_backward")
    def trick(*args: Any, **kwargs: Any) -> torch.Tensor:
        surrogate = g(*args, **kwargs)
        with torch.no_grad():
            value = f(*args, **kwargs)
        return _join("forward_backward", value, surrogate, (*args, *kwargs.values(), surrogate))

    return trick


def straight_through(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """A function with the value of `f`, bit for bit, and gradient 1.

    The gradient goes to the first input, which `f(x, ...)` must match in shape; further inputs
    are `f`'s own and get none. Later local derivatives are taken at the value of `f`. Where
    `x + stop_gradient(f(x) - x)` rounds the sign of 1e8 in float32 to 0, this keeps 1.
    Raises `TrickError` for integer or boolean values and for another shape.
    Source: Bengio, Léonard, Courville 2013, https://arxiv.org/abs/1308.3432.

    >>> x = torch.tensor([0.4, 1.6], requires_grad=True)
    >>> y = straight_through(torch.round)(x)
    >>> y.tolist(), torch.autograd.grad((y * y).sum(), x)
    ([0.0, 2.0], (tensor([0., 4.]),))
    """

    @functools.wraps(f, updated=())
    @one_op("straight_through")
    def trick(x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        require_tensor("straight_through", x)
        with torch.no_grad():
            value = f(x, *args, **kwargs)
        return _join("straight_through", value, x, (x, *args, *kwargs.values()))

    return trick


def _seen_first(inputs: tuple[Any, ...]) -> bool:
    """Whether something around this call, an override map say, is to see it before it runs."""
    if torch.compiler.is_compiling() and count_function_modes():
        # Tracing takes the answer below to be no; raising leaves the op to run eagerly.
        raise TrickError("identity and py_func do not compile inside an override map.")
    return has_torch_function(inputs)
