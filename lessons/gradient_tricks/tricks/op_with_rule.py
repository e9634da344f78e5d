"""One op run with a rule in place of its built-in gradient.

The op itself runs as it always does, so its value keeps every bit; only the backward is ours.
Which ops come here is decided in entry.py.
"""

import sys
from typing import Any, NamedTuple

import torch
from torch.utils.checkpoint import CheckpointFunction

from .errors import TrickError
from .lookup import Spelling
from .registry import Rule
from .rule import Missing, Op, Operand, checked_gradients, put_back, take_out
from .torch_private import function_modes, under_transforms


class Binding(NamedTuple):
    """A rule as a map holds it, with how many reentrant checkpoints its map was entered under."""

    rule: Rule
    checkpoints: int


class _Call:
    """One call of a torch function, its tensors left out: they belong to autograd."""

    def __init__(self, func: Any, spelling: Spelling, op_type: str, name: str, rule: Rule) -> None:
        self.func, self.swapped, self.type, self.name = func, spelling.swapped, op_type, name
        self.rule = rule
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.operands: list[Operand] = []
        self.floating: list[bool] = []
        self.container: type | None = None

    def run(self, tensors: tuple[torch.Tensor, ...]) -> Any:
        args = [put_back(value, tensors) for value in self.args]
        kwargs = {name: put_back(value, tensors) for name, value in self.kwargs.items()}
        outputs = self.func(*(swap(args) if self.swapped else args), **kwargs)
        if isinstance(outputs, torch.Tensor):
            # Some ops return their input, as dropout does in eval mode; autograd refuses that here.
            returned = any(outputs is x for x in tensors)
            return outputs.view_as(outputs) if returned else outputs
        self.container = type(outputs)
        return tuple(outputs)


class _Overridden(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(call: _Call, *operands: torch.Tensor) -> Any:
        return call.run(operands)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        call, *operands = inputs
        outputs = output if isinstance(output, tuple) else (output,)
        ctx.call = call
        call.operands = [Operand(x.shape, x.dtype, x.device) for x in operands]
        call.floating = [y.is_floating_point() or y.is_complex() for y in outputs]
        whole = [y for y, floats in zip(outputs, call.floating, strict=True) if not floats]
        ctx.mark_non_differentiable(*whole)
        ctx.save_for_backward(*operands, *outputs)

    @staticmethod
    def backward(ctx: Any, *upstream: Any) -> Any:
        call: _Call = ctx.call
        count = len(call.operands)
        try:
            saved = ctx.saved_tensors
        except RuntimeError as error:
            if "modified by an inplace operation" not in str(error):
                raise
            # Only a rule that reads them needs them; the plain op may not have saved any.
            gone = Missing(
                f"op {call.name!r} of type {call.type}: its inputs or outputs were changed in "
                f"place after it ran, so a rule cannot read them. torch says: {error}"
            )
            saved = (gone,) * (count + len(call.floating))
        op = Op(call.type, call.name, saved[:count], saved[count:], (call.args, call.kwargs))
        upstream = tuple(
            u if floats else None for u, floats in zip(upstream, call.floating, strict=True)
        )
        with maps_suspended():
            returned = call.rule(op, *upstream)
        return (None, *checked_gradients(call.rule, op, returned, call.operands))


def run_overridden(
    func: Any,
    spelling: Spelling,
    op_type: str,
    name: str,
    binding: Binding,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """`func(*args, **kwargs)` with `binding`'s rule as its gradient."""
    refuse_compiling()
    operands: list[torch.Tensor] = []
    call = _Call(func, spelling, op_type, name, binding.rule)
    call.args = tuple(take_out(v, operands) for v in (swap(args) if spelling.swapped else args))
    call.kwargs = {key: take_out(v, operands) for key, v in kwargs.items()}
    if not torch.is_grad_enabled():
        if reentrant_checkpoints() > binding.checkpoints:
            raise TrickError(
                f"op {name!r} of type {op_type} is overridden and runs inside a reentrant "
                "torch.utils.checkpoint, which would run it again outside this map and give the "
                "plain gradient. Use checkpoint(..., use_reentrant=False, "
                "context_fn=checkpoint_context), or enter the map inside the checkpointed function."
            )
        return func(*args, **kwargs)
    # Under torch.func a tensor's own level decides, not its requires_grad.
    if not (any(x.requires_grad for x in operands) or under_transforms()):
        return func(*args, **kwargs)
    if kwargs.get("out") is not None:
        raise TrickError(
            f"op {name!r} of type {op_type} is overridden and was called with out=, which has no "
            "gradient in torch. Call it without out=."
        )
    if spelling.functional is not None or kwargs.get("inplace"):
        return _run_in_place(call, spelling, operands)
    return _apply(call, operands)


def _apply(call: _Call, operands: list[torch.Tensor]) -> Any:
    refuse_compiling()
    # As in plain.run_function, but in a frame of its own: torch.compile must leave this one alone.
    if under_transforms():
        apply: Any = _Overridden.apply
    else:
        apply = super(torch.autograd.Function, _Overridden).apply
    outputs = apply(call, *operands)
    if call.container is None:
        return outputs
    return call.container(outputs)


def _run_in_place(call: _Call, spelling: Spelling, operands: list[torch.Tensor]) -> torch.Tensor:
    """The out-of-place op on a copy, written back: the rule then still sees the old value."""
    target = operands[0]
    before = target.clone()
    written = call.func
    if spelling.functional is not None:
        call.func = spelling.functional
    else:
        call.kwargs["inplace"] = False
    result = _apply(call, [before if x is target else x for x in operands])
    if result.shape != target.shape:
        raise TrickError(
            f"op {call.name!r} of type {call.type} is overridden and its in-place form "
            f"{getattr(written, '__name__', written)} changes the shape. Use "
            f"{call.type}, which returns a new tensor."
        )
    return target.copy_(result)


def refuse_compiling() -> None:
    """Raise while torch.compile traces: it then leaves the code to run eagerly, as it must."""
    if torch.compiler.is_compiling():
        raise TrickError(
            "gradient_override_map does not compile: inside it torch.compile falls back to eager, "
            "and with fullgraph=True it cannot. Mark this part with torch.compiler.disable."
        )


def swap(args: Any) -> Any:
    """The arguments of `__rsub__(w, 2)` in the order of the expression `2 - w`, and back."""
    return type(args)((args[1], args[0])) + args[2:] if len(args) > 1 else args


def reentrant_checkpoints() -> int:
    """How many reentrant checkpoints this thread is running the forward of."""
    frame, found = sys._getframe(), 0
    code = CheckpointFunction.forward.__code__
    while frame is not None:
        found += frame.f_code is code
        frame = frame.f_back  # type: ignore[assignment]
    return found


class maps_suspended:  # noqa: N801 - used as a word in a `with`
    """While a rule runs, the maps around the backward call are not its maps.

    A rule belongs to the op that ran forward. On CUDA it runs in another thread anyway; without
    this a CPU run could differ. A map the rule itself enters works as usual.
    """

    def __enter__(self) -> None:
        self._maps: list[Any] = [mode for mode in function_modes() if hasattr(mode, "covered")]
        for mode in self._maps:
            mode.covered += 1

    def __exit__(self, *error: object) -> None:
        for mode in self._maps:
            mode.covered -= 1
