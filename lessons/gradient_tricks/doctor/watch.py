"""A training step of somebody's program, watched: its graph, its modules, its optimizers.

The program runs as it always does. Torch's hooks for all modules say which ops are whose, and
nothing is put on a tensor of the program.
"""

import os
import re
import sys
import threading
import traceback
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from ..recorder import Listener, Off, Recording, Where, in_line, tensors_in
from ..recorder.recording.torch_calls import is_in_place, meaning
from ..recorder.torch_private import can_compile, next_number, unseen
from .errors import OURS, TraceError, sentences
from .leaves import Leaves, here
from .optimizers import Optimizers, dense

PASSES = 4
"""Recorded backward passes before a step; further ones are only counted."""
TURNS = 4
"""Steps beyond those asked for in which an optimizer may take its turn, as a GAN's generator."""
UNHEARD = 64
"""Backward passes without a step after which the watch stops waiting for one."""
CHECKPOINT = "None of the inputs have requires_grad"
"""Torch's warning that a reentrant checkpoint stops the gradients of what it runs."""
WITHOUT_GRAPH = "does not require grad and does not have a grad_fn"
"""Torch's error if a backward pass begins at a tensor that has no graph."""
FOR_OUR_HOOKS = "Using `torch.compile\\(module\\)` when there are global hooks"
"""Torch's warning because the watch has hooks for all modules."""
OURS_FAILED = "The doctor itself failed here, not your program, which runs on without the doctor."
OF_GRADIENTS = re.compile("grad|autograd|backward|in-?place|[Ii]nference tensor", re.IGNORECASE)
"""The page explains an error of a forward pass whose message has one of these words."""


@dataclass
class Gradient:
    """The whole gradient of a leaf that wants one: `norm` is None if none came."""

    shape: tuple[int, ...]
    norm: float | None = None
    nonfinite: int = 0
    zero: bool = False


@dataclass
class Call:
    """One call of the module `path`: it ran the recording's nodes from `first` to before `end`."""

    path: str
    first: int
    end: int


_WATCHING: "weakref.WeakSet[Watch]" = weakref.WeakSet()


def _in_child() -> None:
    """Stop watching in a process that the program forks, such as a data loader's worker."""
    for one in _WATCHING:
        one.recording.quiet += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


class Watch(Listener):
    """Hears about everything that the recorded program does, and changes nothing.

    It listens until the optimizers have made `steps` steps; then it calls `finished`. The recording
    of a script begins with the first op through which a gradient flows.
    """

    def __init__(self, recording: Recording, steps: int = 2, is_script: bool = False) -> None:
        self.recording, self.limit = recording, steps
        recording.listener, recording.keeps = self, True
        self.leaves = Leaves(recording)
        self.optimizers = Optimizers(recording, self.leaves.turned_on)
        self.calls: list[Call] = []
        self.facts: dict[str, Gradient] = {}
        self.hidden = ""  # the first code whose ops nobody sees
        self.compiled = ""  # the first module that torch.compile made
        self.warned: list[tuple[str, Where | None]] = []
        self.result: torch.Tensor | None = None
        self.error: BaseException | None = None
        self.in_pass = False  # the error was raised within a backward pass
        self.is_script = is_script
        self.finished: Callable[[], None] = lambda: None
        self.dark: dict[int, tuple[nn.Parameter, Where | None, Off | None]] = {}
        """Parameters, by `id`, that were read without gradients; where; and why, or by .detach()
        before the recording of a script began."""
        self._open: list[tuple[Call, nn.Module]] = []
        self.backwards = 0  # how many backward passes began, listened to or not
        self._passes = self._unheard = 0
        self._thread = threading.get_ident()

    @property
    def begins(self) -> bool:
        """Whether this is a script whose recording is still to begin."""
        return self.is_script and self.recording.waiting

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follow modules, optimizers and warnings within the block.

        What torch.compile made runs op by op there, as its source says.
        """
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("default", append=True)
            warnings.filterwarnings("always", CHECKPOINT)
            warnings.filterwarnings("ignore", FOR_OUR_HOOKS)
            showing = warnings.showwarning

            def show(*given: Any, **more: Any) -> None:
                place, (message, kind, path, line, *rest) = here(), given
                self.warned.append((sentences(str(message), 300), place))
                if place and path.startswith(OURS):  # a call of the program's, through ours
                    path, line = place[0], place[1][0]
                showing(message, kind, path, line, *rest, **more)

            warnings.showwarning = show
            self.optimizers.follow(stack, self._stepped, self._is_elsewhere)
            safely = self.recording.safely
            enter, leave = partial(safely, self._enter), partial(safely, self._leave)
            stack.callback(register_module_forward_pre_hook(enter).remove)
            stack.callback(register_module_forward_hook(leave).remove)
            _WATCHING.add(self)
            stack.callback(_WATCHING.discard, self)
            if self.is_script or can_compile():
                stack.enter_context(torch.compiler.set_stance("force_eager"))
            yield

    def name(self, tensor: torch.Tensor) -> str | None:
        return self.leaves.name(tensor)

    def found(self, tensor: torch.Tensor) -> str | None:
        return self.leaves.found(tensor, self._open[-1][1] if self._open else None)

    def heard(self, function: Any, args: tuple[Any, ...]) -> None:
        self.optimizers.heard(function, args)
        spelling, on = meaning(function), torch.is_grad_enabled()
        if spelling is None or (on and not self.begins):
            return
        live = [one for one in tensors_in(args) if one.requires_grad]
        off = self.recording.switch.why_off() if live else None
        if on and live and spelling.type != "stop_gradient":
            self.recording.wait(False)
        elif (on or off) and not is_in_place(getattr(function, "__name__", "")):
            for one in live:
                if isinstance(one, nn.Parameter) and id(one) not in self.dark:
                    self.dark[id(one)] = one, here(), off

    def opaque(self, what: str) -> None:
        self.hidden = self.hidden or f"{what}{in_line(here())}"

    def back(self, root: torch.Tensor, run: Callable[[], Any], given: torch.Tensor | None) -> Any:
        self.backwards += 1
        if self.recording.quiet:
            self._unheard += 1
            if self._unheard == UNHEARD and not self.optimizers.steps:
                self._finish()
            return run()
        if self.result is None:
            self.result = root
        with unseen():
            self.leaves.meet(self.optimizers.tensors())
        self._passes += 1
        try:
            with self.recording.listen(root, here(), given is root and root.numel() == 1):
                returned = run()
        except RuntimeError:
            self.in_pass = True
            raise
        if self._passes == PASSES:
            self.recording.quiet += 1
        return returned

    def gradient(self, names: list[str], leaf: torch.Tensor, gradient: torch.Tensor) -> None:
        self.optimizers.arrived(leaf, gradient)
        fact = next((self.facts[one] for one in names if one in self.facts), None)
        fact = fact or Gradient(tuple(leaf.shape))
        self.facts |= dict.fromkeys(names, fact)
        if fact.norm:
            return
        whole = dense(gradient)
        fact.norm = float(torch.linalg.vector_norm(whole.to(torch.float64)))
        fact.nonfinite = int((~torch.isfinite(whole)).sum())
        fact.zero = whole.numel() > 0 and not bool(whole.any())

    def _stepped(self) -> None:
        if not self.optimizers.steps:  # all of them in other threads
            if self.optimizers.unseen > self.limit + TURNS:
                self._finish()
            return
        if self._passes >= PASSES:
            self.recording.quiet -= 1
            self.recording.gap = next_number()
        self.optimizers.steps[-1].passes = self._passes + self._unheard
        self._passes = self._unheard = 0
        made = Counter(id(one.optimizer) for one in self.optimizers.steps)
        enough = max(made.values()) >= self.limit
        idle = self.optimizers.idle()  # several optimizers may take turns
        waits = any(id(one) in idle for one in self.leaves.tensors.values())
        if enough and (len(self.optimizers.steps) > self.limit + TURNS or not waits):
            self._finish()

    def _finish(self) -> None:
        self.optimizers.over = True
        self.recording.quiet += 1
        self.finished()

    def _is_elsewhere(self) -> bool:
        """Whether this thread is not the one that is recorded."""
        if threading.get_ident() == self._thread:
            return False
        self.opaque("What runs in a thread of its own")
        return True

    def _enter(self, module: nn.Module, _: Any) -> None:
        if self._is_elsewhere():
            return
        if self.begins and torch.is_grad_enabled():
            self.recording.wait(False)
        if self.recording.quiet or self.begins:
            return
        with unseen():
            path = self.leaves.path(module, bool(self._open))
        if isinstance(module, torch.jit.ScriptModule):
            self.opaque(f"The scripted module {path}")
        if hasattr(module, "_orig_mod"):
            self.compiled = self.compiled or path
        count = len(self.recording.nodes)
        call = Call(path, count, count)
        self.calls.append(call)
        self._open.append((call, module))

    def _leave(self, *_: Any) -> None:
        if self._is_elsewhere():
            return
        if self._open and not self.recording.quiet:
            call = self._open.pop()[0]
            call.end = len(self.recording.nodes)

    def call(self, function: Callable[[], Any]) -> Any:
        """Call the program and return its result; if it raises, keep the error and return None."""
        try:
            return function()
        except TraceError:
            raise
        except (Exception, SystemExit) as error:
            self.error = error
            for call, _ in self._open:
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
                    # To check a gradient that it is given, torch loads sympy, for .27 s.
                    is_loss = result.numel() == 1 and result.is_floating_point()
                    ones = None if is_loss else torch.ones_like(result)
                    torch.autograd.backward(result, ones, retain_graph=True)
        except RuntimeError as error:
            self.error, self.in_pass = error, True
        finally:
            for one, grad in zip(leaves, before, strict=True):
                one.grad = grad

    def failed(self, error: Exception) -> None:
        """Say at once that the doctor failed; the program runs on without the watch."""
        traceback.print_exception(error)
        print(OURS_FAILED, file=sys.stderr)

    def take_asked(self) -> None:
        """Take the gradients that the program asked `grad()` for, if no backward pass was seen."""
        for output, inputs, gradients in self.recording.asked if not self.recording.passes else ():
            self.result = self.result or output
            for leaf, gradient in zip(inputs, gradients, strict=False):
                name = self.leaves.called(leaf)
                if name is not None:
                    self.gradient([name], leaf, gradient)

    def made_on_the_way(self) -> set[str]:
        """Leaves that the program makes again for each step, so they are no weights.

        The second step, if there is one, doesn't read them.
        """
        again = self.read_again()
        return set(self.leaves.met if self.is_script and again else self.leaves.new) - again

    def read_again(self) -> set[str]:
        """The nodes that were read after the first step; after the first pass, without a step."""
        steps, passes = self.optimizers.steps, self.recording.passes
        if not steps and not (self.is_script and passes):
            return set()
        first = steps[0].count if steps else passes[0].before
        later = [*self.recording][first:]
        return {edge.producer.name for node in later for edge in node.operands}
