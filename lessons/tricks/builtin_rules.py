"""The built-in gradient of an op type as a rule, for maps such as {"Identity": "Square"}.

TensorFlow keeps built-in gradients and registered ones in one registry, so a map may name any op
type. Some of its built-ins read the op's output, not its input; those are written out below.
The rest run the named op on the operands and take its vector-Jacobian product.
"""

from typing import Any

import torch

from .errors import TrickError
from .lookup import SPELLINGS
from .registry import Rule
from .rule import Op, put_back, take_out


def _no_gradient(op: Op, *upstream: Any) -> tuple[None, ...]:
    return (None,) * len(op.inputs)


def _identity(op: Op, upstream: torch.Tensor) -> Any:
    return upstream


def _relu(op: Op, upstream: torch.Tensor) -> Any:
    return torch.where(op.outputs[0] > 0, upstream, 0.0)


def _relu6(op: Op, upstream: torch.Tensor) -> Any:
    y = op.outputs[0]
    return torch.where((y > 0) & (y < 6), upstream, 0.0)


def _sigmoid(op: Op, upstream: torch.Tensor) -> Any:
    return upstream * op.outputs[0] * (1 - op.outputs[0])


def _tanh(op: Op, upstream: torch.Tensor) -> Any:
    return upstream * (1 - op.outputs[0] ** 2)


def _exp(op: Op, upstream: torch.Tensor) -> Any:
    return upstream * op.outputs[0]


def _sqrt(op: Op, upstream: torch.Tensor) -> Any:
    return upstream * 0.5 / op.outputs[0]


def _rsqrt(op: Op, upstream: torch.Tensor) -> Any:
    return upstream * -0.5 * op.outputs[0] ** 3


def _reciprocal(op: Op, upstream: torch.Tensor) -> Any:
    return -upstream * op.outputs[0] ** 2


def _elu(op: Op, upstream: torch.Tensor) -> Any:
    return torch.where(op.outputs[0] > 0, upstream, upstream * (op.outputs[0] + 1))


def _softmax(op: Op, upstream: torch.Tensor) -> Any:
    y = op.outputs[0]
    return (upstream - (upstream * y).sum(-1, keepdim=True)) * y


def _log_softmax(op: Op, upstream: torch.Tensor) -> Any:
    return upstream - op.outputs[0].exp() * upstream.sum(-1, keepdim=True)


_WRITTEN_OUT: dict[str, Rule] = {
    **dict.fromkeys(("stop_gradient", "py_func", "round", "floor", "ceil"), _no_gradient),
    "identity": _identity,
    "relu": _relu,
    "relu6": _relu6,
    "sigmoid": _sigmoid,
    "tanh": _tanh,
    "exp": _exp,
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "reciprocal": _reciprocal,
    "elu": _elu,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
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
                f"{op.type}: "
                f"{op_type} cannot be run on its arguments ({error})."
            ) from error
        outputs = [y] if isinstance(y, torch.Tensor) else list(y)
        pairs = [(o, u) for o, u in zip(outputs, upstream, strict=False) if o.requires_grad]
        if any(u is None or o.shape != u.shape for o, u in pairs) or len(outputs) != len(upstream):
            raise TrickError(
                f"the built-in gradient of {op_type} does not fit op {op.name!r} of type "
                f"{op.type}: "
                "their outputs differ in number or shape."
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
