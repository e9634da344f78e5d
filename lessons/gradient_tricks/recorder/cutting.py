"""`cut`: a program with some of its edges cut open, where the gradient stops; torch and the engine.

An edge is an op's name, as the recorder gives it, and which of its tensor operands. The program
runs as it is, under a mode that counts its ops and hands the named operands over detached: forward
values stay bit for bit the same.
"""

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ..tricks.as_one import Call
from ..tricks.op_with_rule import swap
from ..tricks.rule import put_back, take_out
from .recording.switches import applied_at
from .recording.torch_calls import is_in_place, meaning, op_type_of, tensors_in, untraceable
from .torch_private import transforms, unseen, version

Cut = tuple[str, int]
"""The name of an op, and which of its tensor operands."""


def cut(program: Callable[..., Any], cuts: Collection[Cut]) -> Callable[..., Any]:
    """`program` with the gradient stopped at these edges, pairs of op name and operand.

    Of a module's class it is the forward pass that is cut. A pair that names no edge does nothing.
    RuntimeError for the first operand of an in-place op on a view.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> square = cut(lambda x: x * x, [("mul", 0)])
    >>> torch.autograd.grad(square(x), x)
    (tensor(3.),)
    """
    if isinstance(program, type):
        parts = {"forward": cut(vars(program)["forward"], cuts), "__wrapped__": program}
        return type(program.__name__, (program,), parts)
    closed, signature = frozenset(cuts), inspect.signature(program)

    @functools.wraps(program)
    def cut_open(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        leaves = {name for name, value in given.items() if isinstance(value, torch.Tensor)}
        with _Scissors(closed, leaves):
            return program(*args, **kwargs)

    return cut_open


class _Scissors(TorchFunctionMode):
    """Counts the ops of one run as the recorder does, and detaches what is cut."""

    def __init__(self, closed: frozenset[Cut], leaves: set[str]) -> None:
        super().__init__()
        self.closed = closed
        self.names = leaves  # those of the ops are added as they run
        self.counts: Counter[str] = Counter()
        self.quiet = 0  # > 0: inside a trick
        self.around = transforms()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        spelling = None if self._sees_nothing() else meaning(func)
        if spelling is None:
            return func(*args, **kwargs)
        op_type = op_type_of(spelling, args, kwargs)
        changes = bool(kwargs.get("inplace")) or is_in_place(getattr(func, "__name__", ""))
        return self._run(Call(op_type, args, kwargs, spelling.swapped), func, changes)

    def see(self, call: Call, run: Callable[..., Any]) -> Any:
        """The engine's word that `run` is one op of its own kind (tricks/as_one.py)."""
        if self._sees_nothing():
            return run(*call.args, **call.kwargs)
        self.quiet += 1
        try:
            return self._run(call, run)
        finally:
            self.quiet -= 1

    def _sees_nothing(self) -> bool:
        if self.quiet or untraceable(self.around):
            return True
        return not torch.is_grad_enabled() and applied_at() is not None  # a Function is one op

    def _run(self, call: Call, run: Callable[..., Any], changes: bool = False) -> Any:
        """Run an op with the operands detached whose edges are cut, and take up its name."""
        with unseen():
            operands: list[torch.Tensor] = []
            order = swap(call.args) if call.swapped else call.args
            args = tuple(take_out(value, operands) for value in order)
            kwargs = {
                name: value if name == "out" else take_out(value, operands)
                for name, value in call.kwargs.items()
            }
            name, count = call.type, self.counts[call.type]
            while name in self.names:
                count += 1
                name = f"{call.type}_{count}"
            versions = [version(operand) for operand in operands]
            handed = [
                _detached(one, place == 0 and changes) if (name, place) in self.closed else one
                for place, one in enumerate(operands)
            ]
            args = tuple(put_back(value, handed) for value in args)
            kwargs = {key: put_back(value, handed) for key, value in kwargs.items()}
        result = run(*(swap(args) if call.swapped else args), **kwargs)
        if not operands:
            return result
        with unseen():
            outputs = tensors_in(result)
            changed = any(version(x) != old for x, old in zip(operands, versions, strict=True))
            if changed or not all(any(x is y for x in handed) for y in outputs):
                self.names.add(name)
                self.counts[call.type] = count
        return result


def _detached(operand: torch.Tensor, in_place: bool) -> torch.Tensor:
    # An in-place op must get the same tensor, or other holders wouldn't see the write.
    return operand.detach_() if in_place and operand.requires_grad else operand.detach()
