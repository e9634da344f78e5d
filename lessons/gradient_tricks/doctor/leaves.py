"""The tensors and modules that take part in a run, each by the name that the program has for it."""

import contextlib
import sys
import traceback
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from ..recorder import Recording, Where, memory, reached
from ..recorder.recording.variables import outside, where
from ..text import visible

_OURS = __name__.rpartition(".")[0] + "."
_DEEP = 3
"""Names that lead to a tensor at most: `self`, `net` and `weight` in `self.net.weight`."""
_WIDE = 200
"""Entries of a list, dict or object that we look at; at each depth at most this number squared."""


class Leaves:
    """What wants a gradient, as the program reads it: nothing is looked for in its code.

    `tensors` and `modules` by name; the modules are those that no other module called. `strays`
    are parameters that are read within the call of a module that does not know them, `met` the
    parameters that no module has, and `new` the parameters in `met` that the run created.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.tensors: dict[str, torch.Tensor] = {}
        self.modules: dict[str, nn.Module] = {}
        self.strays: list[str] = []
        self.new: list[str] = []
        self.met: list[str] = []
        self.born: set[str] = set()  # by requires_grad_() on a result
        self.turned_on: set[int] = set()  # by requires_grad = True, while it runs
        self._names: dict[int, str] = {}
        self._paths: dict[int, str] = {}
        self._lazy: dict[int, tuple[str, torch.Tensor]] = {}

    def add(self, name: str, tensor: torch.Tensor) -> str:
        """Know a tensor by this name, or the one that it has already."""
        if id(tensor) not in self._names:
            self._names[id(tensor)] = name = self._free(name)
            self.tensors[name] = tensor
        return self._names[id(tensor)]

    def add_module(self, name: str, module: nn.Module) -> None:
        """Know a module with all that it holds."""
        self.modules.setdefault(name, module)
        for path, one in module.named_modules():
            self._paths.setdefault(id(one), f"{name}.{path}".strip("."))
        met = {id(leaf): node for node, leaf in self.recording.leaves().items()}
        for part, one in [*module.named_parameters(), *module.named_buffers()]:
            if not is_lazy(one) and not one.is_leaf:  # functional_call puts it there
                continue
            if is_lazy(one):  # it has no shape before its first pass
                self._lazy[id(one)] = f"{name}.{part}".strip("."), one
                continue
            is_new = id(one) not in self._names
            path = self.add(f"{name}.{part}".strip("."), one)
            if is_new and id(one) in met:  # read before the module ran, as parametrizations do
                self.recording.rename(self.recording.nodes[met[id(one)]], path)

    def path(self, module: nn.Module, inside: bool) -> str:
        """The path of a module that begins to run, `inside` another one's call or not."""
        if id(module) not in self._paths:
            name = _spelled(module) or type(module).__name__
            while name in self.modules:
                name += "_"
            known = len(self.tensors)
            self.add_module(name, module)
            self.strays += [*self.tensors][known:] if inside else []
        path = self._paths[id(module)]
        # Parameters may be lazy, or replaced before the module ran: by functional_call with a plain
        # tensor.
        for name, one in module.named_parameters(recurse=False):
            known = id(one) in self._names or not isinstance(one, nn.Parameter) or is_lazy(one)
            if not known and self.was_there(one):
                self.add(f"{path}.{name}".strip("."), one)
        return path

    def name(self, tensor: torch.Tensor) -> str | None:
        """The name of a tensor that is known, as it becomes a node of the recording."""
        if id(tensor) in self._lazy:
            self.add(*self._lazy.pop(id(tensor)))
        name = self._names.get(id(tensor))
        if name is not None and name in self.recording.nodes:  # an op has this name
            held, name = self.tensors.pop(name), self._free(name)
            self.tensors[name], self._names[id(tensor)] = held, name
        return name

    def found(self, tensor: torch.Tensor, inside: nn.Module | None) -> str | None:
        """The name of a tensor that is read for the first time, from the variables that hold it."""
        name = _spelled(tensor) if tensor.requires_grad else None
        if name is None:
            return None
        name = self.add(name, tensor)
        self.met.append(name)
        if not self.was_there(tensor):
            self.new.append(name)
        elif inside is not None and (
            isinstance(tensor, nn.Parameter) or any(one is tensor for one in vars(inside).values())
        ):
            self.strays.append(name)
        return name

    def meet(self, held: Iterable[torch.Tensor]) -> None:
        """Know each leaf that a backward pass may reach, and what is `held` by an optimizer."""
        recording = self.recording
        wanted = {id(one): one for one in held if one.requires_grad and not is_lazy(one)}
        for number, leaf in (
            {id(one): one for one in recording.leaves().values()} | wanted
        ).items():
            met = recording.tensor(number) is leaf
            if not leaf.is_leaf or (met and number in self._names):
                continue
            node = recording.node_of(leaf)[0]
            before = reached([node], lambda one: (edge.producer for edge in one.operands))[1:]
            hides = any(one.requires_grad for one in before) and number not in wanted
            if number not in self._names and not hides:
                name = self.add(_spelled(leaf) or node.variable or node.name, leaf)
                self.met.append(name)
                if before:
                    self.born.add(name)
                elif not self.was_there(leaf):
                    self.new.append(name)
                recording.rename(node, name)

    def was_there(self, tensor: torch.Tensor) -> bool:
        """Whether it is older than the run."""
        made = memory(tensor) in self.recording.made or id(tensor) in self.turned_on
        return not made or self.recording.born(tensor) is not None

    def called(self, tensor: torch.Tensor) -> str | None:
        """The name of a tensor; None for one that no op and no module has."""
        return self._names.get(id(tensor))

    def _free(self, name: str) -> str:
        word, count = name, 0
        while name in self.tensors or name in self.recording.nodes:
            count += 1
            name = f"{word}_{count}"
        return name


def spelled(thing: Any, error: BaseException | None = None) -> str:
    """Find the program's name for an object, now or where it raised; else give its type."""
    frames = traceback.walk_tb(None if error is None else error.__traceback__)
    return _spelled(thing, [one for one, _ in frames if _is_program(one)]) or type(thing).__name__


def _spelled(thing: Any, frames: Sequence[types.FrameType] = ()) -> str | None:
    """The shortest name that leads to an object, in the outermost call that has one."""
    met: set[int] = set()
    for frame in frames or [*_outwards()][::-1]:
        scopes = [one for one in (frame.f_locals, frame.f_globals) if id(one) not in met]
        met.update(map(id, scopes))
        values = [pair for one in scopes for pair in one.items() if pair[0][:2] != "__"]
        name = _among(values, thing)
        if name is not None:
            return name
    return None


def _among(values: list[tuple[str, Any]], thing: Any) -> str | None:
    """The shortest name that leads from one of these values to an object."""
    met: set[int] = set()
    for _ in range(_DEEP):
        for name, value in values if isinstance(thing, (nn.Parameter, nn.Module)) else ():
            if issubclass(type(value), nn.Module):
                modules = isinstance(thing, nn.Module)
                parts = value.named_modules() if modules else value.named_parameters()
                path = next((path for path, one in parts if one is thing), None)
                if path is not None:
                    return f"{name}.{path}".strip(".")
        for name, value in values:
            if value is thing:
                return name
        deeper = [(name, value) for name, value in values if id(value) not in met]
        met.update(id(value) for _, value in deeper)
        values = [inner for pair in deeper for inner in _inside(*pair)][: _WIDE * _WIDE]
    return None


def here() -> Where | None:
    """Find the expression that the program runs, the innermost one outside torch and ours."""
    return where(next(_outwards(), None))


def _outwards() -> Iterator[types.FrameType]:
    """The calls of the program that runs, the innermost first."""
    frame, met = outside(sys._getframe(1)), False
    while frame is not None:
        if _is_program(frame):
            met = True
            yield frame
        elif met and is_from(frame, _OURS):
            return
        frame = outside(frame.f_back)


def is_from(frame: types.FrameType, package: str) -> bool:
    """Whether this package's code runs in the frame; its name ends with a dot."""
    return str(frame.f_globals.get("__name__")).startswith(package)


def _is_program(frame: types.FrameType) -> bool:
    return not is_from(frame, _OURS) and not frame.f_code.co_filename.startswith("<frozen")


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """List the entries of a container, or the attributes of an object of the program.

    A lazy object may raise for whatever is asked of it, its class too: only its type is asked.
    """
    kind, plain = type(value), (type, types.ModuleType, types.FunctionType, torch.Tensor)
    if issubclass(kind, (list, tuple)):
        yield from ((f"{name}[{place}]", one) for place, one in enumerate(value[:_WIDE]))
    elif issubclass(kind, dict):
        keys = (key for key in list(value)[:_WIDE] if type(key) in (str, int))
        yield from ((f"{name}[{visible(repr(key))}]", value[key]) for key in keys)
    elif not issubclass(kind, plain):
        with contextlib.suppress(Exception):
            held = object.__getattribute__(value, "__dict__")
            public = [pair for pair in held.items() if not pair[0].startswith("_")]
            yield from [(f"{name}.{key}", one) for key, one in public[:_WIDE]]
