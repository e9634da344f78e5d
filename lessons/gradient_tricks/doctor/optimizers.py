"""What a program does with its gradients: steps of its optimizers, what cleared or clipped them."""

import gc
import itertools
import math
import sys
import traceback
import types
import weakref
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

from ..recorder import Node, Recording, Where, memory, unflat
from ..recorder.recording.torch_calls import attribute
from ..recorder.recording.variables import outside
from ..recorder.torch_private import CLEARS, hooks_of, unseen
from .leaves import here, is_from, spelled

_OURS = __name__.partition("doctor")[0]
_CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_")
_BY_HAND = ("mul_", "__imul__", "masked_fill_", "__setitem__")
_CHANGES = {
    **dict.fromkeys(_BY_HAND, "changed"),
    **dict.fromkeys(CLEARS, "cleared"),
    "clamp_": "clipped",
    "_amp_foreach_non_finite_check_and_unscale_": "unscaled",
}
"""What a call does to the gradients that it is given first."""
_HAVE_TWINS = frozenset(one for one in dir(torch.Tensor) if hasattr(torch.Tensor, f"{one}_"))
"""Methods that leave their tensor as it is, while one with an underscore changes it."""


class Event(NamedTuple):
    """What happened to a parameter's gradient, and when.

    It "came" from the loss at `place` in the backward() at `by`, and `met` one that was there; or
    the program "cleared", "clipped", "changed" or "read" it, a GradScaler "unscaled" it, or an
    optimizer used it in a "step".
    """

    time: int
    what: str
    place: Where | None
    by: Where | None = None
    met: bool = False

    @property
    def is_change(self) -> bool:
        """Whether the gradient came or went."""
        return self.what in ("came", "cleared")


class Mark(NamedTuple):
    """A number of a weight and its place, where the gradient was `size`."""

    place: tuple[int, ...]
    number: Any
    size: float

    @classmethod
    def at(cls, weight: torch.Tensor, chosen: torch.Tensor) -> "Mark | None":
        """Mark a weight where `chosen` is largest; not where that is nowhere above 0."""
        first = int(chosen.argmax())
        place, size = unflat(first, weight.shape), float(chosen.reshape(-1)[first])
        return cls(place, weight.detach()[place].item(), size) if size > 0 else None

    def moved(self, weight: torch.Tensor) -> bool:
        """Whether the number is another one now."""
        return bool(self.number != weight.detach()[self.place].item())


@dataclass
class Made:
    """An optimizer that the program made while it was watched, and the `id`s of what it holds."""

    optimizer: weakref.ref[Optimizer]
    kind: str
    place: Where | None
    held: set[int] = field(default_factory=set)
    stepped: bool = False


@dataclass
class Step:
    """One step of one optimizer.

    `held` are its parameters by `id`, `grads` those of them that had a gradient, and `events` what
    happened to each gradient since the step before. `kept`: backward() added to a gradient that
    this optimizer's last step had used. `has_closure`: the loss was computed within the step.
    `count` is how many nodes there were.

    Of the weights with a gradient, the step left those in `still` as they were, and made NaN or ∞
    of those in `broken`; of those in `undone` it moved what the program had taken out of the
    gradient, or frozen. `rates` has the learning rate of each group, with the parameters' `id`s.
    """

    optimizer: Optimizer
    name: str
    place: Where | None
    time: int
    count: int
    held: dict[int, torch.Tensor]
    has_closure: bool
    grads: set[int] = field(default_factory=set)
    events: dict[int, list[Event]] = field(default_factory=dict)
    passes: int = 0  # how many backward passes ran since the step before, recorded or not
    kept: bool = False
    still: set[int] = field(default_factory=set)
    broken: set[int] = field(default_factory=set)
    undone: set[int] = field(default_factory=set)
    rates: list[tuple[float, set[int]]] = field(default_factory=list)
    counts: list[float] = field(default_factory=list)  # the optimizer's own numbers

    @property
    def kind(self) -> str:
        return type(self.optimizer).__name__

    @property
    def came(self) -> set[int]:
        """The parameters, by `id`, that got a gradient since the step before."""
        return {one for one, events in self.events.items() if came(events)}


def came(events: list[Event]) -> list[Event]:
    """Select the events in which a gradient arrived."""
    return [one for one in events if one.what == "came"]


class Optimizers:
    """Follows the gradients of a program from its backward passes to its optimizers."""

    def __init__(self, recording: Recording, turned_on: set[int]) -> None:
        self.recording, self.turned_on = recording, turned_on
        self.steps: list[Step] = []
        self.read: dict[int, tuple[torch.Tensor, Where | None]] = {}  # .grad of no leaf
        self.none: torch.Tensor | None = None  # the last tensor whose .grad was read and is None
        self.frozen: dict[int, Where | None] = {}  # where requires_grad = False was set, by `id`
        self.events: dict[int, list[Event]] = {}  # by the parameter's `id`
        self.made: list[Made] = []
        self.first: dict[int, Mark | None] = {}  # by the leaf's `id`, when its first gradient came
        self.known_held: set[int] = set()  # `id`s of tensors that an optimizer was seen to hold
        self.over = False
        self.unseen = 0  # steps in other threads
        self._clock = itertools.count(1)
        self.copies: set[tuple[str, Where | None]] = set()
        """Methods that took a copy of a leaf's numbers or gradient, or detached; and where."""
        self._whose: dict[int, torch.Tensor] = {}  # the leaf, by its memory or its gradient's
        self._inside: list[bool] = []  # for each step that runs, whether it has a closure
        self._marks: dict[int, tuple[Mark | None, Mark | None]] = {}
        """For each weight before a step: where its gradient is largest, and where it is 0."""
        self._fixed: dict[int, torch.Tensor] = {}
        """Weights before a step that are frozen, or whose gradient the program has set to 0."""

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

        safely = self.recording.safely
        stack.callback(register_optimizer_step_pre_hook(partial(safely, before)).remove)
        stack.callback(register_optimizer_step_post_hook(partial(safely, after)).remove)

    def heard(self, function: Any, args: tuple[Any, ...]) -> None:
        """Note a call that clears, clips, unscales or reads a gradient, or freezes a tensor."""
        name = getattr(function, "__name__", "")
        if name in ("__set__", "__get__", "__delete__"):
            self._accessed(attribute(function), name, args)
        elif name == "requires_grad_":
            self._switched(args[0], args[1] if len(args) > 1 else True)
        elif name in _HAVE_TWINS and isinstance(args[0], torch.Tensor):
            leaf = self._whose.get(memory(args[0]))
            own = () if leaf is None else (memory(leaf), _gradient_memory(leaf))
            if memory(args[0]) in own or (name == "detach" and args[0].requires_grad):
                self.copies.add((name, here()))
        elif name in _CHANGES and not (name in _BY_HAND and _in_torch()):
            for one in [args[0]] if isinstance(args[0], torch.Tensor) else args[0]:
                leaf = self._whose.get(memory(one))
                # Memory that a gradient has given back may be an activation's by now.
                if leaf is not None and memory(one) == _gradient_memory(leaf):
                    self._happened(id(leaf), _CHANGES[name], here())

    def _accessed(self, what: str, name: str, args: tuple[Any, ...]) -> None:
        tensor = args[0]
        if what == "requires_grad" and name == "__set__":
            self._switched(tensor, args[1])
        elif what == "grad" and name != "__get__":
            new, old = args[1] if name == "__set__" else None, tensor.grad
            if new is None or old is None or memory(new) != memory(old):  # not by an op in place
                self._happened(id(tensor), "cleared", here())
            if new is not None:
                self._happened(id(tensor), "changed", here())
        elif what == "is_leaf":
            self._taken(tensor)
        elif what == "grad" and not (tensor.is_leaf or tensor.retains_grad):
            self.read.setdefault(id(tensor), (tensor, here()))
        elif what == "data" and type(tensor) is torch.nn.Parameter:
            self._whose[memory(tensor)] = tensor
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
        if not _in_torch():
            self._happened(id(tensor), "read", None)
        elif calls := [one for one in _calls() if one.f_code.co_name in _CLIPS]:
            # Without a bound it is only asked for the norm.
            bounds = [one.f_locals.get("max_norm") for one in calls]
            self._happened(id(tensor), "read" if math.inf in bounds else "clipped", here())

    def _taken(self, tensor: torch.Tensor) -> None:
        """Note the optimizer that is asking whether a tensor is a leaf, since it will hold it."""
        adding = (one for one in _calls() if one.f_code.co_name == "add_param_group")
        optimizer = next((one.f_locals.get("self") for one in adding), None)
        if isinstance(optimizer, Optimizer):
            made = self.made_of(optimizer)
            if made is None:
                made = Made(weakref.ref(optimizer), type(optimizer).__name__, here())
                self.made.append(made)
            made.held.add(id(tensor))

    def made_of(self, optimizer: Optimizer) -> Made | None:
        """Where and how the program made an optimizer; None if it was there before."""
        return next((one for one in self.made if one.optimizer() is optimizer), None)

    def _happened(self, number: int, what: str, place: Where | None, *more: Any) -> None:
        self.events.setdefault(number, []).append(Event(next(self._clock), what, place, *more))

    def arrived(self, tensor: torch.Tensor, gradient: torch.Tensor) -> None:
        """Note that a backward pass brings this leaf a gradient."""
        passes = self.recording.passes
        root = self.recording.nodes.get(passes[-1].node) if passes else None
        by = passes[-1].place if passes else None
        met = tensor.grad is not None and bool(dense(tensor.grad).any())
        self._happened(id(tensor), "came", root.place if root else None, by, met)
        if id(tensor) not in self.first and _is_plain(tensor, gradient):
            self.first[id(tensor)] = Mark.at(tensor, gradient.detach().abs())

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
            return partial(self._recorded, optimizer, one) if callable(one) else one

        return tuple(map(swapped, args)), {name: swapped(one) for name, one in kwargs.items()}

    def _recorded(self, optimizer: Optimizer, closure: Callable[[], Any]) -> Any:
        """Run a closure, which computes the loss within the step, as a part of the recording."""
        for one in held_by(optimizer):  # the step may have moved it already
            self.recording.saved.may_change(one)
        self.recording.quiet -= 1
        try:
            return closure()
        finally:
            self.recording.quiet += 1

    def _note(self, optimizer: Optimizer) -> None:
        """Write down a step before it runs: its weights, and what happened to their gradients."""
        if self.over or len(self._inside) > 1:  # an optimizer that steps within another's step
            return
        held = {id(one): one for one in held_by(optimizer)}
        last = next((one for one in self.steps[::-1] if one.optimizer is optimizer), None)
        time, place = next(self._clock), here()
        name = last.name if last else spelled(optimizer)
        count = len(self.recording.nodes)
        step = Step(optimizer, name, place, time, count, held, self._inside[-1])
        for number, one in held.items():
            step.events[number] = events = self._since(number)
            changes = [event.what for event in events if event.is_change]
            is_zero = one.grad is None or not bool(dense(one.grad).any())
            if one.grad is not None and not (is_zero and changes[-1:] == ["cleared"]):
                step.grads.add(number)
            if last is not None and number in last.grads:
                since = [event for event in self.events[number] if event.time > last.time]
                came = next((event for event in since if event.what == "came"), None)
                cleared = any(event.what == "cleared" for event in since)
                step.kept |= came is not None and came.met and not cleared
            is_stopped = (is_zero and changes == ["came", "cleared"]) or not one.requires_grad
            if one.grad is not None and is_stopped and not self._inside[-1]:
                self._fixed[number] = one.detach().clone()
            is_changed = any(event.what == "changed" for event in events)
            self._mark(one, is_changed or bool(hooks_of(one)))
        for group in optimizer.param_groups:
            values = [*vars(optimizer).values(), *group.values()]
            step.counts += [one for one in values if type(one) in (int, float)]
            rate = group.get("lr")
            if isinstance(rate, (int, float, torch.Tensor)):
                step.rates.append((float(rate), {id(one) for one in group["params"]}))
        self.steps.append(step)
        if made := self.made_of(optimizer):
            made.stepped = True
        for number in held:
            self._happened(number, "step", place)

    def _mark(self, weight: torch.Tensor, is_changed: bool) -> None:
        """Keep two numbers of a weight, to see after the step whether it moved them."""
        gradient = weight.grad
        if gradient is not None and _is_plain(weight, gradient) and not self._inside[-1]:
            size = gradient.detach().abs()
            if bool(weight.detach().isfinite().all() & size.isfinite().all()):
                masked = Mark.at(weight, (size == 0).to(torch.uint8)) if is_changed else None
                self._marks[id(weight)] = Mark.at(weight, size), masked

    def _measure(self, step: Step) -> None:
        """Compare the weights with what they were before the step.

        A gradient far below the largest, as that of a bias before a norm, may be too small to move.
        """
        least = max((one.size for one, _ in self._marks.values() if one), default=0.0) * 1e-3
        for number, (largest, masked) in self._marks.items():
            weight = step.held[number]
            if not bool(weight.detach().isfinite().all()):
                step.broken.add(number)
            elif largest is not None and not largest.moved(weight):
                step.still |= {number} if largest.size >= least else set()
            elif masked is not None and masked.moved(weight):
                step.undone.add(number)
        for number, before in self._fixed.items():
            if number not in step.came or step.held[number].requires_grad:
                step.undone |= set() if step.held[number].equal(before) else {number}

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
            self._measure(step)
        self._marks.clear()
        self._fixed.clear()
        return True

    def tensors(self) -> list[torch.Tensor]:
        """List the tensors in the optimizers that the program made."""
        every = (one.optimizer() for one in self.made)
        return [one for optimizer in every if optimizer is not None for one in held_by(optimizer)]

    def all_held(self) -> set[int]:
        """The parameters of every optimizer that there is, stepped or not, by `id`.

        A script that has ended has no optimizers any more, so those count that were seen before.
        """
        self.known_held |= {
            id(one) for optimizer in every_optimizer() for one in held_by(optimizer)
        }
        return self.known_held.union(*(step.held for step in self.steps))

    def idle(self) -> set[int]:
        """The parameters, by `id`, whose optimizers have not made a step."""
        return self.all_held().difference(*(step.held for step in self.steps))


def every_optimizer() -> list[Optimizer]:
    """Every optimizer that there is, stepped or not."""
    return [one for one in gc.get_objects() if issubclass(type(one), Optimizer)]


def _calls() -> list[types.FrameType]:
    """The calls that run now, the innermost first, without ours."""
    frames = (one for one, _ in traceback.walk_stack(sys._getframe()))
    return [one for one in frames if not is_from(one, _OURS)]


def _in_torch() -> bool:
    """Whether a function of torch runs, called by the program."""
    calls = _calls()
    return bool(calls) and calls[0] is not outside(calls[0])


def _is_plain(*tensors: torch.Tensor) -> bool:
    """Whether single numbers of these can be read."""
    kinds = torch.Tensor, torch.nn.Parameter
    return all(
        type(one) in kinds and one.layout is torch.strided and not one.is_meta and one.numel()
        for one in tensors
    )


def _gradient_memory(leaf: torch.Tensor) -> int | None:
    """The memory of a leaf's gradient; None without one."""
    return None if leaf.grad is None else memory(leaf.grad)


def held_by(optimizer: Optimizer) -> list[torch.Tensor]:
    """The parameters of an optimizer; none of one whose constructor raised."""
    groups = vars(optimizer).get("param_groups", ())
    return [one for group in groups for one in group["params"]]


def dense(gradient: torch.Tensor) -> torch.Tensor:
    """The numbers of a gradient that may be sparse: those that are not given are 0."""
    whole = gradient.detach()
    if whole.layout is torch.sparse_coo:
        return whole.coalesce().values()
    return whole if whole.layout is torch.strided else whole.to_dense()
