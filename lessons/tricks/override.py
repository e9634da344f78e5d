"""TensorFlow 1's `gradient_override_map` on torch: a gradient rule for an op type, in a block.

A `TorchFunctionMode`, which torch keeps per thread, sees each outermost torch call. lookup.py
says which op type it is; if the map has a rule for the type, overridden.py runs the op with that
rule as its gradient. Nothing global is touched and no torch function is patched.
"""

import functools
import inspect
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode_stack,
    _pop_mode,
    _push_mode,
)

from lessons.tricks.errors import TrickError, describe, listed
from lessons.tricks.keys import read_map
from lessons.tricks.lookup import SPELLINGS, Spelling
from lessons.tricks.optypes import OP_TYPES
from lessons.tricks.overridden import (
    Binding,
    reentrant_checkpoints,
    refuse_compiling,
    run_overridden,
)


class OverrideReport:
    """What a map saw: `ran` and `overridden` count ops by torch's op type, nested maps' too.

    Only types of `op_types()` (and callables given as keys) are listed, and only the outermost
    torch call is seen: `nn.Linear` is `linear`, not the `matmul` inside.
    """

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()
        self.overridden: Counter[str] = Counter()

        self._passed_on: tuple[Counter[str], Counter[str]] = Counter(), Counter()

    def _add(self, inner: "OverrideReport") -> None:
        """Count what an inner map saw since the last time; a generator's leaves many times."""
        self.ran.update(inner.ran - inner._passed_on[0])
        self.overridden.update(inner.overridden - inner._passed_on[1])
        inner._passed_on = inner.ran.copy(), inner.overridden.copy()

    def __repr__(self) -> str:
        seen = (f"{t} {n} ({self.overridden[t]} overridden)" for t, n in self.ran.items())
        return f"ran: {listed(seen)}"


class _Map(TorchFunctionMode):
    """One entry into a map, in one thread: its rules and those of the maps around it."""

    def __init__(self, owner: object, bindings: dict[str, Binding]) -> None:
        super().__init__()
        self.owner = owner
        self.bindings = bindings
        self.spellings: Mapping[Hashable, Spelling] = SPELLINGS
        self.report = OverrideReport()
        self.covered = 0  # > 0: an inner map has already seen the call, or a rule is running
        self.outer: _Map | None = None
        self.keys: dict[Any, list[str]] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if torch.compiler.is_compiling():
            refuse_compiling()
        kwargs = kwargs or {}
        spelling = None if self.covered else self.spellings.get(func)
        if spelling is None:
            return func(*args, **kwargs)
        op_type = spelling.choose(args, kwargs) if spelling.choose else spelling.type
        if op_type is None:
            return func(*args, **kwargs)
        ran = self.report.ran
        ran[op_type] = number = ran.get(op_type, 0) + 1
        binding = self.bindings.get(op_type)
        if binding is None:
            return func(*args, **kwargs)
        self.report.overridden[op_type] += 1
        name = op_type if number == 1 else f"{op_type}_{number - 1}"
        return run_overridden(func, spelling, op_type, name, binding, args, kwargs)

    def start(self) -> None:
        self.outer = _current()
        if self.outer is not None:
            self.outer.covered += 1
        self.__enter__()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """Leave, even if a generator left its maps out of order: take out this very entry."""
        above = []
        while _get_current_function_mode_stack()[-1] is not self:  # type: ignore[no-untyped-call]
            above.append(_pop_mode())  # type: ignore[no-untyped-call]
        self.__exit__(None, None, None)
        for mode in reversed(above):
            if isinstance(mode, _Map):
                self.report._add(mode.report)
            _push_mode(mode)  # type: ignore[no-untyped-call]
        if self.outer is not None:
            self.outer.covered -= 1
            self.outer.report._add(self.report)

    def warn(self) -> None:
        for key, types in self.keys.items():
            if not any(self.report.ran[op_type] for op_type in types):
                name = repr(key) if isinstance(key, str) else describe(key)
                warnings.warn(
                    f"gradient_override_map: the key {name} (torch's {' / '.join(types)}) matched "
                    f"no op in this block. Op types that ran: {listed(self.report.ran)}. Only the "
                    "outermost torch call is seen: nn.Linear is linear, not matmul.",
                    stacklevel=3,
                )


def _current() -> _Map | None:
    """This thread's innermost map; None where a rule has suspended it."""
    stack = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    top = next((mode for mode in reversed(stack) if isinstance(mode, _Map)), None)
    return None if top is None or top.covered else top


class gradient_override_map:  # noqa: N801 - TensorFlow's own word
    """Within the block, ops of the given types get the given rules as their gradient.

    `{op_type: rule}`. A key is torch's op type (`"mul"`), TensorFlow's (`"Mul"`) or the torch
    callable (`torch.mul`); any other callable that follows torch's override protocol
    (`torch.overrides.handle_torch_function`) becomes a type of its own. A rule is
    `rule(op, *upstream)`, the name of a registered one, or the name of an op type: its built-in
    gradient. An op type mapped to itself gets its own gradient back. Use it as a context manager,
    which yields an `OverrideReport`, or as a decorator, generators included.

    As in TensorFlow: bound when the op runs forward; the inner map wins and nothing composes; the
    exit restores; upstream gradients are summed before the rule; an unused floating point output
    arrives as zeros, an integer one as None; higher derivatives differentiate the rule.
    Every dtype and device; in-place forms are handled, except those that change the shape. In a
    thread only that thread's maps hold. `torch.compile` leaves the block to run eagerly, with the
    same gradients; with `fullgraph=True` it raises. `torch.func.grad` and `vmap` work;
    forward-mode differentiation raises torch's own error.

    Raises `TrickError` on entry for an unknown op type or gradient name and for what is no rule,
    in the backward pass for gradients of wrong count, shape, dtype or device. Warns on exit of a
    key that matched no op. Source: `tf.Graph.gradient_override_map`.

    >>> from lessons.tricks import identity
    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> with gradient_override_map({"Identity": lambda op, upstream: 0.1 * upstream}) as report:
    ...     y = identity(x)
    >>> torch.autograd.grad(y.sum(), x), report
    ((tensor([0.1000]),), ran: identity 1 (1 overridden))
    """

    def __init__(self, op_type_map: Mapping[Any, Any]) -> None:
        self._given = op_type_map

    def __enter__(self) -> OverrideReport:
        entry = self._entry()
        entry.start()
        return entry.report

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        stack = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
        for entry in reversed(stack):
            if isinstance(entry, _Map) and entry.owner is self:
                entry.stop()
                if kind is None:
                    entry.warn()
                return
        raise TrickError("gradient_override_map: this thread is not inside this map.")

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate `function`: each call runs inside the map, entered anew."""
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise TrickError(
                "gradient_override_map: an async function would leave its map to other tasks of "
                "the thread. Enter the map inside it, around code that does not await."
            )
        if isinstance(function, type) or not callable(function):
            raise TrickError(
                f"gradient_override_map decorates functions, not {describe(function)}."
            )

        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def steps(*args: Any, **kwargs: Any) -> Any:
                return _stepwise(self._entry(), function(*args, **kwargs))

            return steps

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with gradient_override_map(self._given):
                return function(*args, **kwargs)

        return inside

    def _entry(self) -> _Map:
        refuse_compiling()
        outer, depth = _current(), reentrant_checkpoints()
        bindings = dict(outer.bindings) if outer else {}
        entry = _Map(self, bindings)
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


def _stepwise(entry: _Map, generator: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Run each step of `generator` inside the map, and none of its consumer's code."""
    resume, given = generator.send, None
    while True:
        entry.start()
        try:
            item = resume(given)
        except StopIteration as end:
            return end.value
        finally:
            entry.stop()
        try:
            resume, given = generator.send, (yield item)
        except GeneratorExit:
            generator.close()
            raise
        except BaseException as error:
            resume, given = generator.throw, error


class _Again(AbstractContextManager[None]):
    """Enters a copy of a map: what a checkpoint's second run needs."""

    def __init__(self, entry: _Map) -> None:
        self._entry = entry
        self._entered: list[_Map] = []

    def __enter__(self) -> None:
        again = _Map(self, self._entry.bindings)
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

    >>> from torch.utils.checkpoint import checkpoint
    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> with gradient_override_map({"Square": lambda op, upstream: upstream}):
    ...     y = checkpoint(torch.square, x, use_reentrant=False, context_fn=checkpoint_context)
    >>> torch.autograd.grad(y.sum(), x)
    (tensor([1.]),)
    """
    entry = _current()
    return nullcontext(), nullcontext() if entry is None else _Again(entry)
