"""What a gradient rule is handed (`op`) and what it must hand back (checked here)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from .errors import TrickError, describe, listed


class Slot(NamedTuple):
    """Stands in stored arguments for the tensor operand of that place."""

    place: int


class Missing(NamedTuple):
    """Stands for a tensor that cannot be had any more, with the reason."""

    reason: str


class Tensors(tuple[Any, ...]):
    """A tuple of tensors whose errors speak: past the end, or no longer there.

    >>> try:
    ...     Tensors([torch.ones(1)], "op 'mul' of type mul: inputs")[1]
    ... except TrickError as error:
    ...     print(error)
    op 'mul' of type mul: inputs[1] does not exist, there are only 1. Python numbers are no tensor \
operands: they stand in op.args.
    """

    name: str

    def __new__(cls, tensors: Iterable[Any], name: str) -> "Tensors":
        made = super().__new__(cls, tuple(tensors))
        made.name = name
        return made

    def __getitem__(self, index: Any) -> Any:
        try:
            found = super().__getitem__(index)
        except IndexError:
            raise TrickError(
                f"{self.name}[{index}] does not exist, there are only {len(self)}. Python "
                "numbers are no tensor operands: they stand in op.args."
            ) from None
        if isinstance(found, Missing):
            raise TrickError(found.reason)
        return Tensors(found, self.name) if isinstance(index, slice) else found

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))


class Op:
    """The op a rule is called for.

    `type` torch's op type, `name` unique in its block (`mul`, `mul_1`, …), `inputs` the tensor
    operands in order, those inside lists too, `outputs` the tensors it gave, `args` and `kwargs`
    as called, numbers among them (`2 - w` has the args `(2, w)`).
    """

    def __init__(
        self,
        type: str,
        name: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        call: tuple[tuple[Any, ...], dict[str, Any]],
    ) -> None:
        self.type, self.name = type, name
        self.inputs = Tensors(inputs, f"op {name!r} of type {type}: inputs")
        self.outputs = Tensors(outputs, f"op {name!r} of type {type}: outputs")
        self._call = call

    @property
    def args(self) -> tuple[Any, ...]:
        return tuple(put_back(value, self.inputs) for value in self._call[0])

    @property
    def kwargs(self) -> dict[str, Any]:
        return {name: put_back(value, self.inputs) for name, value in self._call[1].items()}

    def __repr__(self) -> str:
        return f"<op {self.name!r} of type {self.type}, {len(self.inputs)} tensor operands>"


def take_out(value: Any, operands: list[torch.Tensor]) -> Any:
    """`value` with each tensor in it, nested ones too, moved to `operands` and a slot left."""
    if isinstance(value, torch.Tensor):
        operands.append(value)
        return Slot(len(operands) - 1)
    if type(value) in (tuple, list):
        return type(value)(take_out(item, operands) for item in value)
    return value


def put_back(value: Any, operands: Sequence[torch.Tensor]) -> Any:
    """The inverse of `take_out`."""
    if isinstance(value, Slot):
        return operands[value.place]
    if type(value) in (tuple, list):
        return type(value)(put_back(item, operands) for item in value)
    return value


class Operand(NamedTuple):
    """The shape, dtype and device that an operand's gradient must have."""

    shape: torch.Size
    dtype: torch.dtype
    device: torch.device

    def __str__(self) -> str:
        return f"shape {tuple(self.shape)}, {self.dtype}, on {self.device}"


def checked_gradients(
    rule: Callable[..., Any], op: Op, returned: Any, operands: Sequence[Operand | None]
) -> tuple[torch.Tensor | None, ...]:
    """`returned` as one gradient or None for each operand; `TrickError` if it is anything else."""
    who = f"rule {rule_name(rule)} for op type {op.type} (op {op.name!r})"
    gradients = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
    if len(gradients) != len(operands):
        raise TrickError(
            f"{who}: wrong count of gradients. Got {len(gradients)}, expected {len(operands)}, "
            f"one for each tensor operand ({listed(f'[{i}] {o}' for i, o in enumerate(operands))})."
            " Return None for an operand that gets none; Python numbers count for nothing."
        )
    for index, (gradient, operand) in enumerate(zip(gradients, operands, strict=True)):
        if gradient is not None and operand is not None:
            _check(f"{who}: gradient {index}", gradient, operand)
    return gradients


def _check(what: str, gradient: Any, operand: Operand) -> None:
    if not isinstance(gradient, torch.Tensor):
        raise TrickError(
            f"{what} is not a tensor. Got {describe(gradient)}, expected a tensor of {operand}, "
            "or None for no gradient."
        )
    if not (operand.dtype.is_floating_point or operand.dtype.is_complex):
        raise TrickError(
            f"{what}: the operand is {operand.dtype} and can have no gradient. "
            f"Got {describe(gradient)}, expected None."
        )
    advice = {
        "shape": "Sum over what was broadcast, for example with .sum_to_size(shape).",
        "dtype": "Convert it, for example with .to(op.inputs[i].dtype).",
        "device": "Move it, for example with .to(op.inputs[i].device).",
    }
    for aspect, hint in advice.items():
        if getattr(gradient, aspect) != getattr(operand, aspect):
            raise TrickError(
                f"{what} has the wrong {aspect}. Got {describe(gradient)}, expected {operand}, "
                f"as the operand. {hint}"
            )


def rule_name(rule: object) -> str:
    """Return a rule's name for error messages."""
    return repr(getattr(rule, "__name__", type(rule).__name__))
