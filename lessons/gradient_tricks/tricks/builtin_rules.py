"""The built-in gradient of an op type as a rule, for maps such as {"Identity": "Square"}.

TensorFlow keeps built-in gradients and registered ones in one registry, so a map may name any op
type. Some of its built-ins read the op's output, not its input; those are written out below.
The rest run the named op on the operands and take its vector-Jacobian product.
"""

from collections.abc import Callable
from typing import Any

import torch

from .errors import TrickError
from .lookup import SPELLINGS
from .registry import Rule
from .rule import Op, put_back, take_out

_FromOutput = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""The gradient from an op's output and its upstream gradient."""


def _no_gradient(op: Op, *upstream: Any) -> tuple[None, ...]:
    return (None,) * len(op.inputs)


def _identity(op: Op, upstream: torch.Tensor) -> torch.Tensor:
    return upstream


def _reading_output(op_type: str, gradient: _FromOutput) -> Rule:
    def rule(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return gradient(op.outputs[0], upstream)

    rule.__name__ = f"built-in gradient of {op_type}"
    return rule


_OF_OUTPUT: dict[str, _FromOutput] = {
    "relu": lambda y, upstream: torch.where(y > 0, upstream, 0.0),
    "relu6": lambda y, upstream: torch.where((y > 0) & (y < 6), upstream, 0.0),
    "sigmoid": lambda y, upstream: upstream * y * (1 - y),
    "tanh": lambda y, upstream: upstream * (1 - y**2),
    "exp": lambda y, upstream: upstream * y,
    "sqrt": lambda y, upstream: upstream * 0.5 / y,
    "rsqrt": lambda y, upstream: upstream * -0.5 * y**3,
    "reciprocal": lambda y, upstream: -upstream * y**2,
    "elu": lambda y, upstream: torch.where(y > 0, upstream, upstream * (y + 1)),
    "softmax": lambda y, upstream: (upstream - (upstream * y).sum(-1, keepdim=True)) * y,
    "log_softmax": lambda y, upstream: upstream - y.exp() * upstream.sum(-1, keepdim=True),
}

_WRITTEN_OUT: dict[str, Rule] = {
    **dict.fromkeys(("stop_gradient", "py_func", "round", "floor", "ceil"), _no_gradient),
    "identity": _identity,
    **{name: _reading_output(name, gradient) for name, gradient in _OF_OUTPUT.items()},
}


def builtin_rule(op_type: str) -> Rule:
    """The rule that gives any op the built-in gradient of `op_type`.

    >>> x = torch.tensor([3.0])
    >>> op = Op("identity", "identity", [x], [x], ((x,), {}))
    >>> with torch.no_grad():  # as in a backward pass
    ...     builtin_rule("square")(op, torch.ones(1))
    (tensor([6.]),)
    """
    if op_type in _WRITTEN_OUT:
        return _WRITTEN_OUT[op_type]
    function: Any = next(
        f
        for f, s in SPELLINGS.items()
        if s == (op_type, False, None, s.choose) and f not in _MODULES
    )

    def rule(op: Op, *upstream: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        again = torch.is_grad_enabled()
        operands = [_fresh(x, again) for x in op.inputs]
        slots: list[torch.Tensor] = []
        args = take_out(op.args, slots)
        kwargs = {name: take_out(v, slots) for name, v in op.kwargs.items() if name != "inplace"}
        try:
            with torch.enable_grad():
                y = function(
                    *put_back(args, operands),
                    **{name: put_back(value, operands) for name, value in kwargs.items()},
                )
        except (TypeError, RuntimeError) as error:
            raise TrickError(
                f"the built-in gradient of {op_type} does not fit op {op.name!r} of type "
                f"{op.type}: {op_type} cannot be run on its arguments ({error})."
            ) from error
        outputs = [y] if isinstance(y, torch.Tensor) else list(y)
        pairs = [(o, u) for o, u in zip(outputs, upstream, strict=False) if o.requires_grad]
        if any(u is None or o.shape != u.shape for o, u in pairs) or len(outputs) != len(upstream):
            raise TrickError(
                f"the built-in gradient of {op_type} does not fit op {op.name!r} of type "
                f"{op.type}: their outputs differ in number or shape."
            )
        wanted = [x for x in operands if x.requires_grad]
        if not pairs or not wanted:
            return (None,) * len(operands)
        found = iter(
            torch.autograd.grad(
                [o for o, _ in pairs],
                wanted,
                [u for _, u in pairs],
                create_graph=again,
                allow_unused=True,
            )
        )
        return tuple(next(found) if x.requires_grad else None for x in operands)

    rule.__name__ = f"built-in gradient of {op_type}"
    return rule


def _fresh(x: torch.Tensor, again: bool) -> torch.Tensor:
    """`x` to differentiate by: joined to the graph where derivatives of derivatives are due."""
    if not (x.is_floating_point() or x.is_complex()):
        return x
    if again and x.requires_grad:
        return x.view_as(x)
    return x.detach().requires_grad_()


_MODULES = frozenset(f for f in SPELLINGS if isinstance(f, type))
