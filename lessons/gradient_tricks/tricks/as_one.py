"""Lets a recorder around the code see a trick, or an overridden op, as the one op it stands for.

A `TorchFunctionMode` sees torch calls, not the `autograd.Function`s that the tricks are. A mode
with a method `see(call, run)` is told of them here; `run` takes the call's arguments. Without one
nothing is added but a look at torch's stack of modes, which belongs to the thread.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

import torch

from .torch_private import count_function_modes, function_modes

P = ParamSpec("P")
T = TypeVar("T")


class Call(NamedTuple):
    """One call as a person wrote it; `swapped` where the first two arguments are: `2 - w`."""

    type: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    swapped: bool = False


def run_as_one_op(call: Call, run: Callable[..., Any]) -> Any:
    """`run(*call.args, **call.kwargs)`, through this thread's innermost mode with a `see`."""
    if not torch.compiler.is_compiling() and count_function_modes():
        for mode in reversed(function_modes()):
            see = getattr(mode, "see", None)
            if see is not None:
                return see(call, run)
    return run(*call.args, **call.kwargs)


def one_op(op_type: str, operands: int | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorates a trick: a recorder sees each call as one op of this type, and none inside it.

    `operands`: so many arguments, the first ones, are the op's; None is all of them. The others
    are not drawn and cannot be cut: the targets of a loss, say, which get no gradient.
    """

    def decorate(trick: Callable[P, T]) -> Callable[P, T]:
        run: Callable[..., T] = trick

        @functools.wraps(trick)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if torch.compiler.is_compiling() or not count_function_modes():
                return trick(*args, **kwargs)
            if operands is None:
                seen: T = run_as_one_op(Call(op_type, args, kwargs), run)
                return seen
            others = args[operands:]
            own = Call(op_type, args[:operands], {})
            seen = run_as_one_op(own, lambda *first: run(*first, *others, **kwargs))
            return seen  # noqa: RET504  (typed here: run_as_one_op returns Any)

        return call

    return decorate
