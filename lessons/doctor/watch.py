"""A training step of somebody's program, watched: its graph, its modules, its optimizers.

The program runs as it always does. Torch's hooks for all modules say which ops are whose, and
nothing is put on a tensor of the program.
"""

import os
import re
import threading
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from ..recorder import Recording
from ..recorder.recording.recording import Listener
from ..recorder.recording.switches import Off
from ..recorder.recording.torch_calls import meaning, tensors_in
from ..recorder.recording.variables import Where, line_of
from ..recorder.torch_private import unseen
from ..text import visible
from .errors import TraceError, shortened
from .leaves import Leaves, here
from .optimizers import Optimizers
from .target import Target

PASSES = 4
"""Backward passes before one step that are recorded; the others are counted."""
TURNS = 4
"""Steps beyond those asked for in which an optimizer may take its turn, as a GAN's generator."""
UNHEARD = 64
"""Backward passes without any step after which a script is not waited for."""
CHECKPOINT = "None of the inputs have requires_grad"
"""What torch warns of a reentrant checkpoint that keeps gradients from what it runs."""
WITHOUT_GRAPH = "does not require grad and does not have a grad_fn"
"""What torch says where a backward pass begins at a tensor that has no graph."""
OF_GRADIENTS = re.compile("grad|autograd|backward|in-?place|[Ii]nference tensor", re.IGNORECASE)
"""An error of a forward pass that says one of these is one that the page explains."""

Shape = tuple[int, ...]


@dataclass
class Gradient:
    """Of a leaf that wants one, the whole of it: `norm` is None where none came."""

    shape: Shape
    count: int
    norm: float | None = None
    nonfinite: int = 0
    zero: bool = False


@dataclass
class Call:
    """One call of one module: the nodes of the recording from `first` to before `end` are its."""

    path: str
    kind: str
    first: int
    end: int
    shapes: list[str] = field(default_factory=list)


@dataclass
class Run:
    """What was seen. `result` the tensor that the first backward pass starts from, if one did.

    `returned` says what came back, where that is no tensor. `gradients` has each leaf by name,
    `frozen` those parameters that want none, the last of them since `frozen_at`. `said` is the
    error that the program raised, shortened: `refused` where torch would not go back, `failed`
    where gradients are missing because of it.
    """

    name: str
    watch: "Watch"
    recording: Recording
    given: list[str]
    frozen: list[str]
    gradients: dict[str, Gradient]
    calls: list[Call]
    weights: int
    result: torch.Tensor | None = None
    returned: str = ""
    refused: str = ""
    failed: str = ""
    warned: list[str] = field(default_factory=list)
    is_model: bool = False
    said: str = ""
    frozen_at: Where | None = None

    def module_of(self, node: str) -> str:
        """The path of the innermost module in whose forward pass the node ran; empty for none."""
        if self._owners is None:
            names = list(self.recording.nodes)
            self._owners = {}
            for call in self.calls:  # an outer one begins before what it calls
                self._owners |= dict.fromkeys(names[call.first : call.end], call.path)
        return self._owners.get(node, "")

    _owners: dict[str, str] | None = None


_WATCHING: "weakref.WeakSet[Watch]" = weakref.WeakSet()


def _in_child() -> None:
    """A process that the program forks, such as a loader of its data, is not watched."""
    for one in _WATCHING:
        one.recording.pause()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


class Watch(Listener):
    """Hears of all that a program does while it is recorded, and changes none of it.

    It listens until the optimizers have made `steps` steps; then it calls `finished`. The recording
    of a script begins with the first op through which a gradient flows.
    """

    def __init__(self, recording: Recording, steps: int = 2, is_script: bool = False) -> None:
        self.recording, self.limit = recording, steps
        recording.listener = self
        self.leaves = Leaves(recording)
        self.optimizers = Optimizers(recording, self.leaves.turned_on)
        self.optimizers.stepped = self._stepped
        self.calls: list[Call] = []
        self.facts: dict[str, Gradient] = {}
        self.hidden = ""  # the first code whose ops nobody sees
        self.warned: list[str] = []
        self.result: torch.Tensor | None = None
        self.error: BaseException | None = None
        self.in_pass = False  # the error was raised within a backward pass
        self.begins = self.is_script = is_script
        self.finished: Callable[[], None] = lambda: None
        self.dark: tuple[nn.Module, Where | None, Off | None] | None = None
        """What a script ran last without gradients before the recording began, where, and why."""
        self._dark_inside = 0
        self._open: list[Call] = []
        self._inside: list[nn.Module] = []
        self._passes = self._unheard = 0
        self._thread = threading.get_ident()
        self.optimizers.is_elsewhere = self._is_elsewhere

    @contextmanager
    def following(self) -> Iterator[None]:
        """Within the block modules, optimizers and warnings are followed."""
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("default", append=True)
            warnings.filterwarnings("always", CHECKPOINT)
            showing = warnings.showwarning

            def show(message: Warning | str, *place: Any, **more: Any) -> None:
                self.warned.append(" ".join(str(message).split()))
                showing(message, *place, **more)

            warnings.showwarning = show
            stack.enter_context(self.optimizers.followed())
            stack.callback(register_module_forward_pre_hook(self._enter).remove)
            stack.callback(register_module_forward_hook(self._leave).remove)
            _WATCHING.add(self)
            stack.callback(_WATCHING.discard, self)
            yield

    def name(self, tensor: torch.Tensor) -> str | None:
        return self.leaves.name(tensor)

    def found(self, tensor: torch.Tensor) -> str | None:
        return self.leaves.found(tensor, self._inside[-1] if self._inside else None)

    def heard(self, function: Any, args: tuple[Any, ...]) -> None:
        self.optimizers.heard(function, args)
        if self.begins and torch.is_grad_enabled():
            spelling = meaning(function)
            if spelling is None or spelling.type == "stop_gradient":
                return
            if any(one.requires_grad for one in tensors_in(args)):
                self._begin()

    def opaque(self, what: str) -> None:
        if not self.hidden:
            place = line_of(here())
            self.hidden = f"{what} in {place}" if place else what

    def _begin(self) -> None:
        self.begins = False
        self.recording.wait(False)

    def back(self, root: torch.Tensor, run: Callable[[], Any]) -> Any:
        if self.recording.paused:
            self._unheard += 1
            if self._unheard == UNHEARD and not self.optimizers.steps:
                self._finish()
            return run()
        if self.result is None:
            self.result = root
        self._passes += 1
        try:
            with self.recording.listen(root, here()):
                returned = run()
        except RuntimeError:
            self.in_pass = True
            raise
        if self._passes == PASSES:
            self.recording.pause()
        return returned

    def gradient(self, name: str, leaf: torch.Tensor, gradient: torch.Tensor) -> None:
        self.optimizers.arrived(leaf)
        fact = self.facts.setdefault(name, Gradient(tuple(leaf.shape), leaf.numel()))
        if fact.norm:
            return
        whole = gradient.detach().to_dense() if gradient.is_sparse else gradient.detach()
        fact.norm = float(torch.linalg.vector_norm(whole.to(torch.float64)))
        fact.nonfinite = int((~torch.isfinite(whole)).sum())
        fact.zero = whole.numel() > 0 and not bool(whole.any())

    def _stepped(self) -> None:
        if self._passes >= PASSES:
            self.recording.pause(-1)
        self._passes = self._unheard = 0
        made = Counter(frozenset(one.held) for one in self.optimizers.steps)
        enough = max(made.values()) >= self.limit  # several optimizers may take turns
        if enough and (len(self.optimizers.steps) > self.limit + TURNS or not self._waits()):
            self._finish()

    def _waits(self) -> bool:
        """Whether a weight that the program reads has an optimizer that made no step yet."""
        idle = self.optimizers.idle()
        return any(id(one) in idle for one in self.leaves.tensors.values())

    def _finish(self) -> None:
        self.optimizers.over = True
        self.recording.pause()
        self.finished()

    def _is_elsewhere(self) -> bool:
        """Whether this thread is another one than the one that is recorded."""
        if threading.get_ident() == self._thread:
            return False
        self.opaque("What runs in a thread of its own")
        return True

    def _enter(self, module: nn.Module, _: Any) -> None:
        if self._is_elsewhere():
            return
        if self.begins and torch.is_grad_enabled():
            self._begin()
        if self.begins:
            if not self._dark_inside:
                self.dark = module, here(), self.recording.off
            self._dark_inside += 1
        if self.recording.paused or self.begins:
            return
        with unseen():
            path = self.leaves.path(module, bool(self._open))
        if isinstance(module, torch.jit.ScriptModule):
            self.opaque(f"The scripted module {path}")
        count = len(self.recording.nodes)
        call = Call(path, type(module).__name__, count, count)
        self.calls.append(call)
        self._open.append(call)
        self._inside.append(module)

    def _leave(self, module: nn.Module, _: Any, output: Any) -> None:
        if self._is_elsewhere():
            return
        self._dark_inside -= self.begins
        if self._open and not self.recording.paused:
            call, _ = self._open.pop(), self._inside.pop()
            call.end = len(self.recording.nodes)
            call.shapes = [spelled_shape(one.shape) for one in _tensors(output)[:3]]

    def call(self, function: Callable[[], Any]) -> Any:
        """What the program returns; None where it raises, which `error` keeps."""
        try:
            return function()
        except TraceError:
            raise
        except (Exception, SystemExit) as error:
            self.error = error
            for call in self._open:
                call.end = len(self.recording.nodes)
            return None

    def go_back(self, result: torch.Tensor) -> None:
        """Go backward from what a program returned, and leave each `.grad` as it is."""
        leaves = [one for one in self.recording.leaves().values() if one.is_leaf]
        before = [one.grad for one in leaves]
        self.result = result
        try:
            for one in leaves:
                one.grad = None
            with self.recording.listen(result):
                if result.requires_grad:
                    torch.autograd.backward(result, torch.ones_like(result), retain_graph=True)
        except RuntimeError as error:
            self.error, self.in_pass = error, True
        finally:
            for one, grad in zip(leaves, before, strict=True):
                one.grad = grad

    def take_asked(self) -> None:
        """Where no pass was seen, take the gradients that the program asked `grad()` for."""
        for output, inputs, gradients in self.recording.asked if not self.recording.passes else ():
            self.result = self.result or output
            for leaf, gradient in zip(inputs, gradients, strict=False):
                name = self.leaves.called(leaf)
                if name is not None:
                    self.gradient(name, leaf, gradient)

    def run(
        self, name: str, given: list[str], folder: str | None = None, returned: str = ""
    ) -> Run:
        """What was seen."""
        leaves, frozen = self.leaves, list[str]()
        gradients: dict[str, Gradient] = {}
        holders = self.optimizers.all_held()
        new = self._on_the_way()
        for leaf, tensor in leaves.tensors.items():
            if tensor.requires_grad and (leaf not in new or id(tensor) in holders):
                empty = Gradient(tuple(tensor.shape), tensor.numel())
                gradients[leaf] = self.facts.get(leaf, empty)
            elif isinstance(tensor, nn.Parameter) and not tensor.requires_grad:
                frozen.append(leaf)
        weights = [one for one in leaves.tensors.values() if isinstance(one, nn.Parameter)]
        places = (self.optimizers.frozen.get(id(leaves.tensors[one])) for one in frozen[::-1])
        said = "" if self.error is None else shortened(self.error, folder)
        return Run(
            name, self, self.recording, given, frozen, gradients, self.calls,
            sum(one.numel() for one in weights), self.result, returned,
            refused=said if self.recording.refused else "",
            failed=said if self._is_cut_short() else "",
            warned=list(dict.fromkeys(self.warned)),
            is_model="" in leaves.modules, said=said,
            frozen_at=next((one for one in places if one), None),
        )  # fmt: skip

    def _is_cut_short(self) -> bool:
        """Whether an error kept gradients from coming, so that none missing says anything."""
        if self.error is None or (self.in_pass and WITHOUT_GRAPH in str(self.error)):
            return False
        return self.in_pass or not self.recording.passes or "NoneType" not in str(self.error)

    def _on_the_way(self) -> set[str]:
        """Leaves that the program makes anew for each step: no weights of its own.

        These are the ones that the second step, if there is one, does not read again.
        """
        steps, passes = self.optimizers.steps, self.recording.passes
        if not steps and not (self.is_script and passes):
            return set(self.leaves.new)
        first = steps[0].count if steps else passes[0].before
        later = [*self.recording][first:]
        again = {edge.producer.name for node in later for edge in node.operands}
        return set(self.leaves.met if self.is_script and again else self.leaves.new) - again


def watch(watching: Watch, target: Target, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Run:
    """Call the target and go backward from what it returns, summed if it is not one number.

    Called within the block of the recording that `watching` listens to.

    Raises:
        TraceError: the program raised before anything was said of gradients.
    """
    named, given = target.given(args, kwargs)
    for name, tensor in named.items():
        watching.leaves.add(name, tensor)
    for name, module in {**target.modules, **given}.items():
        watching.leaves.add_module(name, module)
    with watching.following():
        returned = watching.call(lambda: target.call(*args, **kwargs))
    error = watching.error
    if error is not None and not watching.recording.passes and not OF_GRADIENTS.search(str(error)):
        said = shortened(error, target.folder)
        raise TraceError(f"{target.name} raised:\n{said}") from error
    results = [] if watching.recording.passes or error else _losses_in(returned)
    for result in results:
        watching.go_back(result)
    if not results and not error:
        watching.take_asked()
    told = f"{type(returned).__name__} {visible(repr(returned), 60)}"
    return watching.run(target.name, [*named], target.folder, "" if results or error else told)


def _losses_in(returned: Any) -> list[torch.Tensor]:
    """The tensors to start from: the loss where one is known by its name or by being one number,
    else all that have a gradient, or the first.
    """
    loss = (
        returned.get("loss") if isinstance(returned, Mapping) else getattr(returned, "loss", None)
    )
    if isinstance(loss, torch.Tensor):
        return [loss]
    found = _tensors(returned)
    wanting = [one for one in found if one.requires_grad]
    alone = bool(found) and found[0].numel() == 1 and any(one.numel() > 1 for one in found)
    return found[:1] if alone or not wanting else wanting


def _tensors(output: Any) -> list[torch.Tensor]:
    """The tensors of an output, those in tuples and dictionaries too."""
    if isinstance(output, torch.Tensor):
        return [output]
    if not isinstance(output, (Mapping, tuple, list)):
        return []
    items = output.values() if isinstance(output, Mapping) else output
    return [tensor for one in items for tensor in _tensors(one)]


def spelled_shape(shape: Shape) -> str:
    """A shape as 2×3, that of a single number as scalar."""
    return "×".join(map(str, shape)) or "scalar"
