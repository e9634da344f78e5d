"""Where a program switched gradients off, and how: read off the call stack at that moment."""

import ast
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Literal

import torch

from ... import tricks
from .variables import Where, outside, parsed, where

_TORCH = Path(torch.__file__).parent
_SWITCHES = torch.no_grad.__enter__.__code__.co_filename
_NAMES = ("no_grad", "inference_mode", "set_grad_enabled")


@dataclass(frozen=True)
class Off:
    """The switch: `name` is torch's word for it, `where` the line in the program.

    `how`: a with-block or a plain call; the decorator of `function`; the `sample` of a distribution
    called `function`; a `function` of `torch` that does so; or `before` the recording began.
    """

    how: Literal["block", "decorator", "sample", "torch", "before"]
    name: str
    where: Where | None
    function: str = ""


class Switch:
    """Follows what a program does to torch's grad mode, in one thread."""

    def __init__(self) -> None:
        on = torch.is_grad_enabled()
        self._off = None if on else _around() or Off("before", "no_grad", None)
        self._before: dict[int, Off | None] = {}  # what each open block or switch found

    def set(self, enabled: bool) -> None:
        """Note a call of `set_grad_enabled`, before it happens."""
        switching = sys._getframe(2)
        # Torch's methods call each other; the first one says who switches.
        while (caller := switching.f_back) and caller.f_code.co_filename == _SWITCHES:
            switching = caller
        context, method = switching.f_locals.get("self"), switching.f_code.co_name
        if method in ("__exit__", "__call__"):
            self._off = self._before.pop(id(context), None)
            return
        if method == "__init__" or not isinstance(context, torch.set_grad_enabled):
            self._before[id(context)] = self._off
        self._off = None if enabled else self._off or _switched(switching)

    def why_off(self) -> Off | None:
        """Why gradients are off now; None where they are on, or an `autograd.Function` runs."""
        if torch.is_grad_enabled():
            return None
        if self._off is None and torch.is_inference_mode_enabled():
            return _around() or Off("before", "inference_mode", None)
        return self._off or (None if applied_at() else Off("torch", "no_grad", None))


def applied_at() -> Where | None:
    """Find where the program applied the `autograd.Function` whose forward pass runs now."""
    codes = set(_codes(torch.autograd.Function))
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code not in codes:
        frame = frame.f_back
    return None if frame is None else where(outside(frame.f_back))


def _codes(function: type[torch.autograd.Function]) -> Iterator[CodeType]:
    """Yield the code that `apply` runs; `apply` itself has no frame in torch 2.15.

    The tricks' own functions are left out: the recorder sees the ops that they run.
    """
    own = function.__module__.startswith(tricks.__name__)
    for method in () if own else (function.forward, function.setup_context):
        if isinstance(code := getattr(method, "__code__", None), CodeType):
            yield code
    for one in function.__subclasses__():
        yield from _codes(one)


def _switched(switching: FrameType) -> Off:
    """Find the caller of the method of `no_grad` or `set_grad_enabled` in this frame."""
    name = type(switching.f_locals.get("self")).__name__
    name = name if name in _NAMES else "set_grad_enabled"
    caller = switching.f_back
    program = outside(caller)
    if caller is None or caller is program:
        return Off("block", name, where(program))
    decorated = _decorated(caller)
    if decorated is not None and decorated.where is not None:
        in_torch = Path(decorated.where[0]).is_relative_to(_TORCH)
        return Off("torch", name, where(program), decorated.function) if in_torch else decorated
    file = Path(caller.f_code.co_filename)
    if file.is_relative_to(_TORCH / "distributions"):
        kind = type(caller.f_locals.get("self")).__name__
        return Off("sample", name, where(program), kind)
    return Off("torch", name, where(program), caller.f_code.co_name)


def _decorated(frame: FrameType) -> Off | None:
    """The function that torch's decorator wraps in this frame."""
    function: Any = frame.f_locals.get("func")
    code = getattr(function, "__code__", None)
    factory = frame.f_locals.get("ctx_factory")
    in_torch = Path(frame.f_code.co_filename).is_relative_to(_TORCH)
    if not in_torch or code is None or factory is None:
        return None
    maker = getattr(factory, "__self__", factory)  # the clone of the decorator
    name = type(maker).__name__
    name = name if name in _NAMES else "no_grad"
    place = (code.co_firstlineno, code.co_firstlineno, 0, 0)
    return Off("decorator", name, (code.co_filename, place), function.__name__)


def _around() -> Off | None:
    """The innermost block or decorator of _NAMES around what runs now."""
    for frame, line in traceback.walk_stack(sys._getframe(1)):
        found = _decorated(frame)
        if found is None and frame is outside(frame):
            found = _block(frame.f_code.co_filename, line)
        if found is not None:
            return found
    return None


@lru_cache(512)
def _block(path: str, line: int) -> Off | None:
    """The innermost with-block around a line that has one of _NAMES in its head."""
    found: Off | None = None
    for node in ast.walk(parsed(path)):  # an outer block comes before those in it
        if not isinstance(node, (ast.With, ast.AsyncWith)):
            continue
        for item in node.items:
            words = {getattr(one, "attr", getattr(one, "id", "")) for one in ast.walk(item)}
            name = next((one for one in _NAMES if one in words), None)
            if name is not None and node.lineno <= line <= (node.end_lineno or node.lineno):
                place = (node.lineno, node.lineno, node.col_offset, node.col_offset)
                found = Off("block", name, (path, place))
    return found
