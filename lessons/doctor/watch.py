"""One forward and one backward pass of somebody's program, watched: the graph and its modules.

The program runs as it always does. Hooks on its modules say which ops are whose, hooks on its
parameters how large their gradients are; both are taken off again.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from ..recorder import Recording, RefusedError, record
from ..text import visible
from .errors import TraceError, shortened
from .given import among_arguments
from .target import Target

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
    """What was seen. `result` the tensor that the backward pass starts from, None without one.

    `returned` says what came back, where that is no tensor. `gradients` has each leaf by name,
    `frozen` those parameters that want none. `refused` or `failed` is why the backward pass ended.
    """

    name: str
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
    folder: str | None = None
    is_model: bool = False
    went: bool = False  # the program called backward() itself, and from there it was traced
    own: frozenset[int] = frozenset()  # of the parameters, by `id`: lazy ones have a shape only now

    def module_of(self, node: str) -> str:
        """The path of the innermost module in whose forward pass the node ran; empty for none."""
        if self._owners is None:
            names = list(self.recording.nodes)
            self._owners = {}
            for call in self.calls:  # an outer one begins before what it calls
                self._owners |= dict.fromkeys(names[call.first : call.end], call.path)
        return self._owners.get(node, "")

    _owners: dict[str, str] | None = None


def watch(target: Target, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Run:
    """Call the target and go backward from what it returns, summed if it is not one number.

    Raises:
        TraceError: the program raised, or returned nothing that could be differentiated.
    """
    named, given = among_arguments(target, args, kwargs)
    whole = {**target.modules, **given}
    parameters = {
        f"{prefix}.{name}".strip("."): one
        for prefix, module in whole.items()
        for name, one in module.named_parameters()
        if not is_lazy(one)  # it has no shape before its first pass
    }
    buffers = {
        f"{prefix}.{name}".strip("."): one
        for prefix, module in whole.items()
        for name, one in module.named_buffers()
        if not is_lazy(one)
    }
    leaves = {**named, **target.tensors, **parameters, **buffers}
    wanted = {name: one for name, one in leaves.items() if one.requires_grad}
    facts = {name: Gradient(tuple(one.shape), one.numel()) for name, one in wanted.items()}
    calls: list[Call] = []
    with ExitStack() as stack:
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        with record(leaves, keep=True) as recording:
            run = Run(
                target.name, recording, [*named, *target.tensors],
                [name for name, one in parameters.items() if not one.requires_grad],
                facts, calls, sum(one.numel() for one in parameters.values()),
                folder=target.folder, is_model="" in target.modules,
            )  # fmt: skip
            own = _OwnBackward(run, wanted)
            with _modules_watched(whole, recording, calls):
                returned = own.called(target, args, kwargs)
            result = _loss_in(returned) if run.result is None else None
            if result is not None:
                recording.node_of(result)  # what no op made is known from here on
        run.own = frozenset(id(one) for module in whole.values() for one in module.parameters())
        if result is not None:
            run.result = result
            _leave(run, result, wanted)
        elif run.result is None:
            run.returned = f"{type(returned).__name__} {visible(repr(returned), 60)}"
    run.warned = list(dict.fromkeys(" ".join(str(one.message).split()) for one in caught))
    return run


class _OwnBackward:
    """A program's own call of ``backward()``: the first one is the one that is traced.

    The program then goes on as it would, and is recorded no more.
    """

    def __init__(self, run: Run, wanted: Mapping[str, torch.Tensor]) -> None:
        self.run, self.wanted = run, wanted
        run.recording.at_backward = self.seen

    def seen(self, loss: torch.Tensor) -> None:
        """Called before torch goes backward."""
        self.run.recording.node_of(loss)
        self.run.result, self.run.went = loss, True
        _leave(self.run, loss, self.wanted)
        self.run.recording.pause()

    def called(self, target: Target, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What the target returns; None where it ends as it goes backward itself."""
        before = {name: leaf.grad for name, leaf in self.wanted.items() if leaf.is_leaf}
        try:
            returned = _called(target, args, kwargs)
        except TraceError as error:
            if self.run.went and "second time" in str(error):
                self.run.failed = str(error)
            elif not (self.run.refused or self.run.failed):
                raise
            return None
        missing = [name for name, one in self.run.gradients.items() if one.norm is None]
        for name in missing if self.run.went else []:
            grad = self.wanted[name].grad if self.wanted[name].is_leaf else None
            if grad is not None and grad is not before[name]:  # of another loss of the program
                del self.run.gradients[name]
        return returned


def _called(target: Target, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    try:
        return target.call(*args, **kwargs)
    except TraceError:
        raise
    except (Exception, SystemExit) as error:
        raise TraceError(f"{target.name} raised:\n{shortened(error, target.folder)}") from error


def _loss_in(returned: Any) -> torch.Tensor | None:
    """The tensor to start from: itself, a `loss` in what was returned, or the first one there."""
    if isinstance(returned, torch.Tensor):
        return returned
    if isinstance(returned, Mapping):
        named = returned.get("loss")
        items = [named, *returned.values()] if named is not None else list(returned.values())
    elif isinstance(getattr(returned, "loss", None), torch.Tensor):
        items = [returned.loss]
    elif isinstance(returned, (tuple, list)):
        items = list(returned)
    else:
        return None
    return next((one for one in items if isinstance(one, torch.Tensor)), None)


def _leave(run: Run, result: torch.Tensor, wanted: Mapping[str, torch.Tensor]) -> None:
    """Go backward, and note each gradient; what the program froze on its way wants none."""
    frozen = [name for name, leaf in wanted.items() if not leaf.requires_grad]
    for name in frozen:
        del run.gradients[name]
        run.frozen.append(name)
    live = {name: leaf for name, leaf in wanted.items() if leaf.requires_grad}
    with _leaves_watched(live, run.gradients):
        _go_back(run, result)


def _go_back(run: Run, result: torch.Tensor) -> None:
    try:
        run.recording.backward(result, as_method=True)
    except RefusedError as error:
        run.refused = str(error)
    except RuntimeError as error:
        run.failed = " ".join(str(error).split())


@contextmanager
def _leaves_watched(
    leaves: Mapping[str, torch.Tensor], facts: Mapping[str, Gradient]
) -> Iterator[None]:
    with ExitStack() as stack:
        for name, leaf in leaves.items():
            if leaf.is_leaf:
                register: Any = leaf.register_post_accumulate_grad_hook  # torch has no types for it
                handle = register(_noting(facts[name]))
                stack.callback(handle.remove)
        yield


def _noting(fact: Gradient) -> Any:
    def note(leaf: torch.Tensor) -> None:
        gradient = leaf.grad
        if gradient is None:
            return
        whole = gradient.detach().to_dense() if gradient.is_sparse else gradient.detach()
        fact.norm = float(torch.linalg.vector_norm(whole.to(torch.float64)))
        fact.nonfinite = int((~torch.isfinite(whole)).sum())
        fact.zero = whole.numel() > 0 and not bool(whole.any())

    return note


@contextmanager
def _modules_watched(
    modules: Mapping[str, nn.Module], recording: Recording, calls: list[Call]
) -> Iterator[None]:
    open_calls: list[Call] = []

    def enter(path: str, module: nn.Module) -> None:
        call = Call(path, type(module).__name__, len(recording.nodes), len(recording.nodes))
        calls.append(call)
        open_calls.append(call)

    def leave(output: Any) -> None:
        if open_calls:
            call = open_calls.pop()
            call.end = len(recording.nodes)
            call.shapes = [_shape(one) for one in _tensors(output)[:3]]

    with ExitStack() as stack:
        for prefix, whole in modules.items():
            for name, module in whole.named_modules():
                path = f"{prefix}.{name}".strip(".")
                before = module.register_forward_pre_hook(
                    lambda module, _, path=path: enter(path, module)
                )
                after = module.register_forward_hook(lambda _, __, output: leave(output))
                stack.callback(before.remove)
                stack.callback(after.remove)
        yield


def _tensors(output: Any) -> list[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        return [output]
    items = output.values() if isinstance(output, Mapping) else output
    return (
        [one for one in items if isinstance(one, torch.Tensor)]
        if isinstance(output, (Mapping, tuple, list))
        else []
    )


def _shape(tensor: torch.Tensor) -> str:
    return "×".join(map(str, tensor.shape)) or "scalar"
