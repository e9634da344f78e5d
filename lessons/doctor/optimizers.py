"""What a program does with its gradients: steps of its optimizers, what cleared or clipped them."""

import gc
import itertools
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import torch
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from ..recorder import Node, Recording
from ..recorder.recording.saved import memory
from ..recorder.recording.torch_calls import attribute
from ..recorder.recording.variables import Where, outside
from ..recorder.torch_private import CLEARS, unseen
from .leaves import here, is_from, spelled

_OURS = __name__.partition("doctor")[0]
_CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_")
_CHANGES = {
    **dict.fromkeys(CLEARS, "cleared"),
    "clamp_": "clipped",
    "_amp_foreach_non_finite_check_and_unscale_": "unscaled",
}
"""What a call does to the gradients that it is given first."""


class Event(NamedTuple):
    """What happened to a parameter's gradient, and when.

    It "came" from the loss at `place` in the backward() at `by`; or the program "cleared",
    "clipped" or "read" it, a GradScaler "unscaled" it, or an optimizer used it in a "step".
    """

    time: int
    what: str
    place: Where | None
    by: Where | None = None


@dataclass
class Step:
    """One step of one optimizer.

    `held` are its parameters by `id`, `grads` those of them that had a gradient, and `events` what
    happened to each gradient since the step before. `kept`: nothing cleared a gradient since this
    optimizer's last step. `has_closure`: the loss was computed within the step. `count` is how many
    nodes there were.
    """

    name: str
    kind: str
    place: Where | None
    time: int
    count: int
    held: dict[int, torch.Tensor]
    has_closure: bool
    grads: set[int] = field(default_factory=set)
    events: dict[int, list[Event]] = field(default_factory=dict)
    kept: bool = False


class Optimizers:
    """Follows the gradients of a program from its backward passes to its optimizers."""

    def __init__(self, recording: Recording, turned_on: set[int]) -> None:
        self.recording, self.turned_on = recording, turned_on
        self.steps: list[Step] = []
        self.read: dict[int, tuple[torch.Tensor, Where | None]] = {}  # .grad of no leaf
        self.none: torch.Tensor | None = None  # the last one whose .grad was read and is None
        self.frozen: dict[int, Where | None] = {}  # by requires_grad = False
        self.events: dict[int, list[Event]] = {}  # by the parameter's `id`
        self.over = False
        self.unseen = 0  # steps in other threads
        self._clock = itertools.count(1)
        self._whose: dict[int, torch.Tensor] = {}  # the leaf by the memory of its gradient
        self._inside: list[bool] = []  # for each step that runs, whether it has a closure

    def follow(
        self, stack: ExitStack, stepped: Callable[[], None], is_elsewhere: Callable[[], bool]
    ) -> None:
        """Note each step of each optimizer, by torch's own hooks, until the stack ends.

        Call `stepped` after each, in another thread too, where `is_elsewhere` and none is noted.
        """

        def before(optimizer: Optimizer, args: Any, kwargs: Any) -> Any:
            return None if is_elsewhere() else self._before(optimizer, args, kwargs)

        def after(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
            if is_elsewhere():
                self.unseen += 1
            elif not self._after(optimizer):
                return
            stepped()

        stack.callback(register_optimizer_step_pre_hook(before).remove)
        stack.callback(register_optimizer_step_post_hook(after).remove)

    def heard(self, function: Any, args: tuple[Any, ...]) -> None:
        """Note a call that clears, clips, unscales or reads a gradient, or freezes a tensor."""
        name = getattr(function, "__name__", "")
        if name in ("__set__", "__get__", "__delete__"):
            self._accessed(attribute(function), name, args)
        elif name == "requires_grad_":
            self._switched(args[0], args[1] if len(args) > 1 else True)
        elif name in _CHANGES:
            for one in [args[0]] if isinstance(args[0], torch.Tensor) else args[0]:
                leaf = self._whose.get(memory(one))
                # Memory that a gradient has given back may be an activation's by now.
                if leaf is not None and leaf.grad is not None and memory(leaf.grad) == memory(one):
                    self._happened(id(leaf), _CHANGES[name], here())

    def _accessed(self, what: str, name: str, args: tuple[Any, ...]) -> None:
        tensor = args[0]
        if what == "requires_grad" and name == "__set__":
            self._switched(tensor, args[1])
        elif what == "grad" and name != "__get__":
            self._happened(id(tensor), "cleared", here())
        elif what == "grad" and not (tensor.is_leaf or tensor.retains_grad):
            self.read.setdefault(id(tensor), (tensor, here()))
        elif what == "grad":
            if tensor.grad is None:
                self.none = tensor
            elif tensor.is_leaf:
                self._whose[memory(tensor.grad)] = tensor
            self._used(tensor)

    def _switched(self, tensor: torch.Tensor, on: bool) -> None:
        self.frozen.pop(id(tensor), None)
        if not on:
            self.frozen[id(tensor)] = here()
        elif not tensor.requires_grad:
            self.turned_on.add(id(tensor))

    def _used(self, tensor: torch.Tensor) -> None:
        """Note that the program reads a gradient, or that one of torch's functions clips it."""
        frames = (one for one, _ in traceback.walk_stack(sys._getframe()))
        calls = [one for one in frames if not is_from(one, _OURS)]
        if calls and calls[0] is outside(calls[0]):
            self._happened(id(tensor), "read", None)
        elif any(one.f_code.co_name in _CLIPS for one in calls):
            self._happened(id(tensor), "clipped", here())

    def _happened(
        self, number: int, what: str, place: Where | None, by: Where | None = None
    ) -> None:
        self.events.setdefault(number, []).append(Event(next(self._clock), what, place, by))

    def arrived(self, tensor: torch.Tensor) -> None:
        """Note that a backward pass brought this leaf a gradient."""
        passes = self.recording.passes
        root = self.recording.nodes.get(passes[-1].node) if passes else None
        by = passes[-1].place if passes else None
        self._happened(id(tensor), "came", root.place if root else None, by)

    def last(self, number: int, what: str) -> Event | None:
        """The last time that this happened to a parameter's gradient."""
        events = self.events.get(number, ())
        return next((one for one in reversed(events) if one.what == what), None)

    def _before(self, optimizer: Optimizer, args: Any, kwargs: Any) -> Any:
        self.recording.quiet += 1
        self._inside.append(any(map(callable, [*args, *kwargs.values()])))
        if not self._inside[-1]:
            self._note(optimizer)
            return None

        def swapped(one: Any) -> Any:
            return partial(self._recorded, one) if callable(one) else one

        return tuple(map(swapped, args)), {name: swapped(one) for name, one in kwargs.items()}

    def _recorded(self, closure: Callable[[], Any]) -> Any:
        """Run a closure, which computes the loss within the step, as a part of the recording."""
        self.recording.quiet -= 1
        try:
            return closure()
        finally:
            self.recording.quiet += 1

    def _note(self, optimizer: Optimizer) -> None:
        if self.over or len(self._inside) > 1:  # an optimizer that steps within another's step
            return
        held = {id(one): one for one in _held(optimizer)}
        last = next((one for one in self.steps[::-1] if one.held.keys() == held.keys()), None)
        time, place = next(self._clock), here()
        name = last.name if last else spelled(optimizer)
        kind, count = type(optimizer).__name__, len(self.recording.nodes)
        step = Step(name, kind, place, time, count, held, self._inside[-1])
        for number, one in held.items():
            step.events[number] = events = self._since(number)
            changes = [event.what for event in events if event.what in ("came", "cleared")]
            is_zero = one.grad is None or not bool(one.grad.count_nonzero())
            if one.grad is not None and not (is_zero and changes[-1:] == ["cleared"]):
                step.grads.add(number)
        cleared = [self.last(number, "cleared") for number in step.grads]
        times = [one.time if one else 0 for one in cleared]
        step.kept = last is not None and max(times, default=time) < last.time
        self.steps.append(step)
        for number in held:
            self._happened(number, "step", place)

    def _since(self, number: int) -> list[Event]:
        """List what happened to a gradient since the last step that could use it."""
        events = self.events.get(number, [])
        last = max((place for place, one in enumerate(events) if one.what == "step"), default=-1)
        return events[last + 1 :]

    def _after(self, optimizer: Optimizer) -> bool:
        """Note the end of a step; return whether to report it."""
        if self._inside[-1]:
            self._note(optimizer)
        self.recording.quiet -= 1
        self._inside.pop()
        if self._inside or self.over:
            return False
        step = self.steps[-1]
        node = Node("", f"{step.name}.step()", "plain", place=step.place)
        with unseen():
            self.recording.saved.wrote(node, list(step.held.values()))
        return True

    def all_held(self) -> set[int]:
        """The parameters of every optimizer that there is, stepped or not, by `id`."""
        optimizers = [one for one in gc.get_objects() if issubclass(type(one), Optimizer)]
        held = {id(one) for optimizer in optimizers for one in _held(optimizer)}
        return held.union(*(step.held for step in self.steps))

    def idle(self) -> set[int]:
        """The parameters, by `id`, whose optimizers have not made a step while others did."""
        idle = self.all_held().difference(*(step.held for step in self.steps))
        return idle if self.steps else set()


def _held(optimizer: Optimizer) -> list[torch.Tensor]:
    return [one for group in optimizer.param_groups for one in group["params"]]
