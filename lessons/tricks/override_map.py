"""TensorFlow 1's `gradient_override_map` on torch: a gradient rule for an op type, in a block.

The map as one writes it: as a context manager, as a decorator, and for a checkpoint's second
run. keys.py reads it; entry.py is what then sees the ops.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .entry import MapEntry, OverrideReport, current_map
from .errors import TrickError, describe
from .keys import read_map
from .lookup import Spelling
from .op_with_rule import Binding, reentrant_checkpoints, refuse_compiling
from .optypes import OP_TYPES
from .torch_private import function_modes


class gradient_override_map:  # noqa: N801 - TensorFlow's own word
    """Within the block, ops of the given types get the given rules as their gradient.

    `{op_type: rule}`. A key is torch's op type (`"mul"`), TensorFlow's (`"Mul"`) or the torch
    callable (`torch.mul`); any other callable that follows torch's override protocol
    (`torch.overrides.handle_torch_function`) becomes a type of its own. A rule is
    `rule(op, *upstream)`, the name of a registered one, or the name of an op type: its built-in
    gradient. An op type mapped to itself gets its own gradient back. Use it as a context manager,
    which yields an `OverrideReport`, or as a decorator.

    As in TensorFlow: bound when the op runs forward; the inner map wins and nothing composes; the
    exit restores; upstream gradients are summed before the rule; an unused floating point output
    arrives as zeros, an integer one as None; higher derivatives differentiate the rule.
    Every dtype and device; in-place forms are handled, except those that change the shape. In a
    thread only that thread's maps hold. `torch.compile` leaves the block to run eagerly, with the
    same gradients; with `fullgraph=True` it raises. `torch.func.grad` and `vmap` work;
    forward-mode differentiation raises torch's own error.

    Raises `TrickError` on entry for an unknown op type or gradient name and for what is no rule,
    in the backward pass for gradients of wrong count, shape, dtype or device. Warns on exit of a
    key that matched no op, unless `warn` is False. Source: `tf.Graph.gradient_override_map`.

    >>> import torch
    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> with gradient_override_map({"Square": lambda op, upstream: 0.1 * upstream}) as report:
    ...     y = torch.square(x)
    >>> torch.autograd.grad(y.sum(), x), report
    ((tensor([0.1000]),), ran: square 1 (1 overridden))
    """

    def __init__(self, op_type_map: Mapping[Any, Any], *, warn: bool = True) -> None:
        self._given = op_type_map
        self._warn = warn

    def __enter__(self) -> OverrideReport:
        entry = self._entry()
        entry.start()
        return entry.report

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for entry in reversed(function_modes()):
            if isinstance(entry, MapEntry) and entry.owner is self:
                entry.stop()
                if kind is None and self._warn:
                    entry.warn()
                return
        raise TrickError("gradient_override_map: this thread is not inside this map.")

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate `function`: each call enters the map again."""
        if (
            inspect.isgeneratorfunction(function)
            or inspect.iscoroutinefunction(function)
            or inspect.isasyncgenfunction(function)
        ):
            raise TrickError(
                "gradient_override_map: while a generator or an async function waits, its map "
                "would apply to other code in the thread. Enter the map inside it, around code "
                "that does not yield or await."
            )
        if isinstance(function, type) or not callable(function):
            raise TrickError(
                f"gradient_override_map decorates functions, not {describe(function)}."
            )

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with gradient_override_map(self._given, warn=self._warn):
                return function(*args, **kwargs)

        return inside

    def _entry(self) -> MapEntry:
        refuse_compiling()
        outer, depth = current_map(), reentrant_checkpoints()
        bindings = dict(outer.bindings) if outer else {}
        entry = MapEntry(self, bindings)
        if outer:
            entry.spellings = outer.spellings
        for key, op_type, rule in read_map(self._given):
            entry.keys.setdefault(key, []).append(op_type)
            bindings.pop(op_type, None)
            if rule is not None:
                bindings[op_type] = Binding(rule, depth)
            if op_type not in OP_TYPES:
                entry.spellings = {**entry.spellings, key: Spelling(op_type)}
        return entry


class _Again(AbstractContextManager[None]):
    """Enters a copy of a map: what a checkpoint's second run needs."""

    def __init__(self, entry: MapEntry) -> None:
        self._entry = entry
        self._entered: list[MapEntry] = []

    def __enter__(self) -> None:
        again = MapEntry(self, self._entry.bindings)
        again.spellings = self._entry.spellings
        again.start()
        self._entered.append(again)

    def __exit__(self, *error: object) -> None:
        self._entered.pop().stop()


def checkpoint_context() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """For `torch.utils.checkpoint.checkpoint(..., use_reentrant=False, context_fn=...)`.

    The checkpoint runs its function a second time in the backward pass, when the map around it
    has been left; with this as its `context_fn` the second run happens inside the same map.
    Without it torch raises, since the two runs save different tensors. A reentrant checkpoint
    cannot be helped: an overridden op inside one raises `TrickError`.

    >>> import torch
    >>> from torch.utils.checkpoint import checkpoint
    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> with gradient_override_map({"Square": lambda op, upstream: upstream}):
    ...     y = checkpoint(torch.square, x, use_reentrant=False, context_fn=checkpoint_context)
    >>> torch.autograd.grad(y.sum(), x)
    (tensor([1.]),)
    """
    entry = current_map()
    return nullcontext(), nullcontext() if entry is None else _Again(entry)
