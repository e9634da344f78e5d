"""TensorFlow 1's `gradient_override_map` for torch: a gradient rule for an op type, in a block.

This module has the context manager, the decorator, and the context for a checkpoint. keys.py
reads the map; entry.py intercepts the ops.
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


class gradient_override_map:  # noqa: N801 - TensorFlow's own name
    """Inside the block, ops of the given types use the given rules as their gradients.

    The map is a dict `{op_type: rule}`. A key is torch's op type (`"mul"`), TensorFlow's (`"Mul"`)
    or the torch callable (`torch.mul`); any other callable that follows torch's override protocol
    (`torch.overrides.handle_torch_function`) becomes a type of its own. A rule is a function
    `rule(op, *upstream)`, the name of a registered rule, or the name of an op type, for that
    type's built-in gradient. An op type mapped to itself gets its own gradient back. Use the map
    as a decorator, or as a context manager, which yields an `OverrideReport`.

    As in TensorFlow, an op gets its rule when it runs forward. An inner map replaces the outer
    map's rule for a type, and leaving the block restores it. Autograd sums the upstream gradients
    before the rule runs. An unused output sends zeros if it is floating point, otherwise None.
    Higher derivatives differentiate the rule.
    The map works for every dtype and device, and for in-place ops that keep the shape. It applies
    only in the thread that entered it. `torch.compile` runs the block eagerly, with the same
    gradients; with `fullgraph=True` it raises. `torch.func.grad` and `vmap` work; forward-mode
    differentiation raises torch's own error.

    Raises `TrickError` on entry for an unknown op type, an unknown gradient name or an invalid
    rule, and in the backward pass if a rule returns the wrong number of gradients, or a wrong
    shape, dtype or device. On exit it warns about each key that matched no op, unless `warn` is
    False. Source: `tf.Graph.gradient_override_map`.

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
    """Enter a copy of a map for a checkpoint's second run."""

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
    """Return the `context_fn` contexts that keep a map active in a checkpoint's second run.

    A checkpoint runs its function again in the backward pass, after the block of the map has
    ended. Pass this function as `context_fn` to `torch.utils.checkpoint.checkpoint` with
    `use_reentrant=False`, and the second run uses the same map. Without it torch usually
    raises, since the two runs save different tensors; for a few op types, such as softsign, a rule
    gets wrong tensors. An overridden op in a reentrant checkpoint raises `TrickError`.

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
