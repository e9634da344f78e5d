"""One entry into an override map, in one thread: what sees each op, and what it counted.

A `TorchFunctionMode`, which torch keeps per thread, sees each outermost torch call. lookup.py
says which op type it is; if there is a rule for the type, op_with_rule.py runs the op with that
rule as its gradient. Nothing global is touched and no torch function is patched. How a map is
written and entered is in override_map.py.
"""

import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .as_one import Call, run_as_one_op
from .errors import describe, listed
from .lookup import SPELLINGS, Spelling
from .op_with_rule import Binding, refuse_compiling, run_overridden
from .torch_private import function_modes, pop_function_mode, push_function_mode


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
        """Count what an inner map saw, and nothing twice: a generator may end after this map."""
        self.ran.update(inner.ran - inner._passed_on[0])
        self.overridden.update(inner.overridden - inner._passed_on[1])
        inner._passed_on = inner.ran.copy(), inner.overridden.copy()

    def __repr__(self) -> str:
        seen = (f"{t} {n} ({self.overridden[t]} overridden)" for t, n in self.ran.items())
        return f"ran: {listed(seen)}"


class MapEntry(TorchFunctionMode):
    """One entry into a map, in one thread: its rules and those of the maps around it."""

    def __init__(self, owner: object, bindings: dict[str, Binding]) -> None:
        super().__init__()
        self.owner = owner
        self.bindings = bindings
        self.spellings: Mapping[Hashable, Spelling] = SPELLINGS
        self.report = OverrideReport()
        self.covered = 0  # > 0: an inner map has already seen the call, or a rule is running
        self.outer: MapEntry | None = None
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
        return run_as_one_op(
            Call(op_type, args, kwargs, spelling.swapped),
            lambda *args, **kwargs: run_overridden(
                func, spelling, op_type, name, binding, args, kwargs
            ),
        )

    def start(self) -> None:
        self.outer = current_map()
        if self.outer is not None:
            self.outer.covered += 1
        self.__enter__()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """Leave, even if a generator left its maps out of order: take out this very entry."""
        above = []
        while function_modes()[-1] is not self:
            above.append(pop_function_mode())
        self.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        for mode in reversed(above):
            if isinstance(mode, MapEntry):
                self.report._add(mode.report)
            push_function_mode(mode)
        if self.outer is not None:
            self.outer.covered -= 1
            self.outer.report._add(self.report)

    def warn(self) -> None:
        for key, types in self.keys.items():
            if not any(self.report.ran[op_type] for op_type in types):
                warnings.warn(unmatched(key, types, self.report.ran), stacklevel=3)


def unmatched(key: object, types: Iterable[str], ran: Iterable[str]) -> str:
    """What a map says of a key whose op types did not run in its block; `ran` are those that did.

    >>> unmatched("MatMul", ["matmul"], ["sin"])[:67]
    "gradient_override_map: the key 'MatMul' (torch's matmul) matched no"
    """
    name = repr(key) if isinstance(key, str) else describe(key)
    return (
        f"gradient_override_map: the key {name} (torch's {' / '.join(types)}) matched "
        f"no op in this block. Op types that ran: {listed(ran)}. Only the "
        "outermost torch call is seen: nn.Linear is linear, not matmul."
    )


def current_map() -> MapEntry | None:
    """This thread's innermost map; None where a rule has suspended it."""
    modes = reversed(function_modes())
    top = next((mode for mode in modes if isinstance(mode, MapEntry)), None)
    return None if top is None or top.covered else top
