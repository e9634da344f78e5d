"""What a recording is made of: nodes, edges and their numbers. Plain data.

recorder.py fills it as the program runs; the hooks of wiring.py add gradients in a backward pass.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from ...tricks.rule import Slot
from .plain_tensor import Value
from .switches import Off
from .variables import Where

_T = TypeVar("_T")
Kind = Literal[
    "input", "constant", "plain", "stopped", "overridden", "reversed", "scaled", "clipped",
    "surrogate",
]  # fmt: skip
"""What a node does to the gradient. `surrogate` is straight-through and forward_backward; an op
run without gradients (under no_grad) is `stopped`."""

State = Literal[
    "flowing", "cut", "stopped", "overridden", "reversed", "scaled", "clipped", "surrogate", "none"
]
"""What became of the gradient along an edge. `none`: there was nothing to send, or no way."""


class RecordError(Exception):
    """Something that a recording cannot do; says what it got, what was expected, what to do."""


@dataclass(frozen=True)
class Stale:
    """A tensor that an op saved for its backward pass, and that was changed afterwards.

    `operands` are those of the op that it is, `output` which of its outputs, None where it is none;
    `name` what a person calls it; `before` what it was when the op ran; `now` what it is as the
    backward pass begins, None where nobody holds it any more. `writer` is what changed it in place,
    where that was seen: an op, or the step of an optimizer, which has no name in the recording.
    `refused`: torch noticed, and will not go back through it.
    """

    operands: tuple[int, ...]
    output: int | None
    name: str
    before: Value
    now: Value | None
    writer: "Node | None" = None
    refused: bool = False


@dataclass(frozen=True)
class Left:
    """The numbers of a tensor that left torch: `node` made it, `call` is how, such as "item".

    `count` is how many nodes there were by then; `place` as of a node.
    """

    node: str
    call: str
    value: Value
    count: int
    place: Where | None


@dataclass(eq=False, slots=True)
class Node:
    """An op, or a leaf: an input, a parameter, a constant.

    `name` unique in its recording; `type` the engine's op type (`input`, `parameter` or `const`
    for a leaf); `variable` the name the program's source assigns it to; `outputs` its values;
    `operands` an edge for each tensor operand; `args` and `kwargs` the call, with a slot for each
    of them, and `function` what was called; `place` the file and the stretch of it that ran, where
    Python knows, and `caller` the call that this stands in; `rule` the name of an override's rule;
    `off` who had switched gradients off; `inplace` where its output is an operand, changed. After a
    backward pass `upstream` has the gradient that arrived at each output (the sum over its edges)
    or None; and `stale` the tensors that it had saved and that were changed before that pass.
    """

    name: str
    type: str
    kind: Kind
    outputs: list[Value] = field(default_factory=list)
    operands: "list[Edge]" = field(default_factory=list)
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""
    variable: str | None = None
    place: Where | None = None
    caller: Where | None = None
    rule: str | None = None
    off: Off | None = None
    inplace: bool = False
    requires_grad: bool = False
    upstream: list[Value | None] = field(default_factory=list)
    stale: tuple[Stale, ...] = ()

    @property
    def leaf(self) -> bool:
        return self.kind in ("input", "constant")

    @property
    def gradient(self) -> Value | None:
        """The gradient of the first output at which one arrived in the last backward pass."""
        return next((one for one in self.upstream if one is not None), None)

    @property
    def label(self) -> str:
        """The node's variable in the source, otherwise its name."""
        return self.variable or self.name

    @property
    def numbers(self) -> list[Any]:
        """The plain operands, those that are no tensors, in order."""
        given = [*self.args, *self.kwargs.values()]
        return [value for value in given if not _holds_slot(value)]


def _holds_slot(value: Any) -> bool:
    if isinstance(value, Slot):
        return True
    return isinstance(value, (tuple, list)) and any(_holds_slot(item) for item in value)


@dataclass(eq=False, slots=True)
class Edge:
    """One tensor operand of one op: `consumer`'s operand number `operand`, made by `producer`.

    `flows` where autograd could send a gradient along it. After a backward pass `gradient` is
    what was sent, in the operand's shape (summed over what was broadcast); None where nothing
    was. `offered` is what the op had to send: more than `gradient` only on a cut edge. `fixed`: no
    scissors reach it alone. It is no argument of a call of the program; or the same tensor is twice
    in an op of several parts, and the first edge has both shares.
    """

    consumer: Node
    operand: int
    producer: Node
    output: int
    value: Value
    flows: bool = False
    cut: bool = False
    fixed: bool = False
    gradient: Value | None = None
    offered: Value | None = None

    @property
    def name(self) -> str:
        """Unique in its recording: "op:operand"."""
        return f"{self.consumer.name}:{self.operand}"

    @property
    def cuttable(self) -> bool:
        """Whether `cutting.cut` can stop the gradient here, and here alone."""
        return self.flows and not self.fixed

    @property
    def stale(self) -> Stale | None:
        """What is known of its tensor where the op saved it and it was changed afterwards."""
        return next((one for one in self.consumer.stale if self.operand in one.operands), None)

    @property
    def state(self) -> State:
        """What became of the gradient in the last backward pass."""
        if self.cut:
            return "cut"
        kind = self.consumer.kind
        if kind == "stopped" and self.producer.requires_grad:
            return "stopped"
        if not self.flows or self.consumer.gradient is None:
            return "none"
        if kind == "plain":
            return "none" if self.gradient is None else "flowing"
        return cast(State, kind)


def reached(starts: Iterable[_T], further: Callable[[_T], Iterable[_T]]) -> list[_T]:
    """List these and all that `further` leads to, each once."""
    met = dict.fromkeys(starts)
    found = list(met)
    for one in found:  # grows while it is walked
        new = dict.fromkeys(near for near in further(one) if near not in met)
        met |= new
        found += new
    return found
