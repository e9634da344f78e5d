"""What the watch saw of a program, in the form in which the fault finders ask for it."""

import traceback
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

import torch
from torch import nn

from ..recorder import tensors_in
from ..text import visible
from .errors import TraceError, shortened
from .graph import Graph
from .target import Target
from .watch import OF_GRADIENTS, OURS_FAILED, WITHOUT_GRAPH, Gradient, Watch


class Run:
    """A program that was watched.

    `given` names the tensors among its arguments; `returned` says what came back if that is not a
    tensor; `said` is the error that it raised, shortened. `gradients` has each leaf that wants one,
    `frozen` those parameters that want none.
    """

    def __init__(
        self,
        watch: Watch,
        name: str,
        given: Collection[str] = (),
        folder: str | None = None,
        returned: str = "",
    ) -> None:
        self.watch, self.recording, self.optimizers = watch, watch.recording, watch.optimizers
        self.name, self.given, self.returned = name, given, returned
        self.result, self.error, self.tensors = watch.result, watch.error, watch.leaves.tensors
        self.ended = watch.is_script and not watch.optimizers.over and watch.error is None
        """Whether a script was watched to its end."""
        self.is_whole = self.ended or not watch.is_script or watch.error is not None
        """Whether nothing runs after what was watched."""
        self.said = "" if self.error is None else shortened(self.error, folder)
        self.is_model = "" in watch.leaves.modules
        self.gradients: dict[str, Gradient] = {}
        self.meant: dict[str, str] = {}
        """Leaves that are meant to get no gradient, and why."""
        self.frozen: list[str] = []
        held, new = self.optimizers.all_held(), watch.made_on_the_way()
        read = {edge.producer.name for edge in self.recording.edges}
        waiting = set().union(*(one.held for one in self.optimizers.made if not one.stepped))
        for leaf, tensor in self.tensors.items():
            if leaf in watch.leaves.met and leaf not in read and id(tensor) in waiting:
                continue  # of a network that takes no part
            if leaf in watch.leaves.born and not (leaf in watch.facts or id(tensor) in held):
                continue
            is_new = leaf in new and leaf not in watch.leaves.born
            if tensor.requires_grad and (not is_new or id(tensor) in held):
                self.gradients[leaf] = watch.facts.get(leaf, Gradient(tuple(tensor.shape)))
            elif isinstance(tensor, nn.Parameter) and not tensor.requires_grad:
                self.frozen.append(leaf)
        weights = [one for one in self.tensors.values() if isinstance(one, nn.Parameter)]
        self.weights = sum(one.numel() for one in weights)

    def forget(self) -> None:
        """Let go of the tensors that the program made, once all faults are found."""
        self.recording.tensors.clear()
        self.optimizers.read.clear()
        self.result = self.watch.result = self.optimizers.none = None
        traceback.clear_frames(self.error.__traceback__ if self.error else None)

    @cached_property
    def unseen(self) -> str:
        """Why no gradient was looked at, and what to do; "" where one was."""
        passes = self.recording.passes or self.recording.asked
        if self.gradients and (passes or any(one.norm for one in self.gradients.values())):
            return ""
        hidden = self.watch.hidden
        if hidden:
            says = f"no gradient of {self.name} was seen. {hidden} is opaque here."
            return f"{says} Leave that out while it is watched."
        if not passes:
            says = f"{self.name} ended and no backward pass reached an op that was recorded."
            do = "Let it run to its first loss.backward(), and compute the loss with gradients on."
            return f"{says} {do}"
        return "no leaf that requires a gradient takes part in the backward pass."

    @property
    def learning(self) -> dict[str, Gradient]:
        """The leaves that are meant to get a gradient, and what each got."""
        return {name: one for name, one in self.gradients.items() if name not in self.meant}

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.recording)

    @cached_property
    def ends(self) -> set[str]:
        """The nodes from which the program goes backward."""
        return {one.node for one in self.recording.passes}

    @cached_property
    def wanted(self) -> set[str]:
        """The nodes where a backward pass starts, and all their ancestors.

        A leaf that is updated by hand, as an average is, is not made of what it is updated with.
        """
        return self.graph.before(self.ends, without=self.graph.updates)

    @cached_property
    def idle(self) -> list[str]:
        """The leaves whose optimizers made no step while others did."""
        waiting = self.optimizers.idle() if self.optimizers.steps and not self.ended else ()
        return [name for name in self.gradients if id(self.tensors[name]) in waiting]

    @property
    def spoiled(self) -> bool:
        """Whether the result is a NaN or an infinity, or holds one."""
        if self.result is None or not self.result.is_floating_point():
            return False
        return not torch.isfinite(self.result.detach()).all().item()

    @property
    def broke_off(self) -> bool:
        """Whether an error came before the gradients, so that a missing gradient means nothing."""
        if self.error is None or (self.watch.in_pass and WITHOUT_GRAPH in str(self.error)):
            return False
        return self.watch.in_pass or not self.recording.passes or "NoneType" not in str(self.error)

    @cached_property
    def modules(self) -> dict[str, nn.Module]:
        """Every module, those within others too, by its path."""
        roots = self.watch.leaves.modules.items()
        within = ((root, *pair) for root, whole in roots for pair in whole.named_modules())
        return {f"{root}.{name}".strip("."): module for root, name, module in within}

    def leaves_before(self, *nodes: str) -> list[str]:
        """The leaves that require a gradient and lead to these nodes."""
        before = self.graph.before(nodes)
        return [name for name in self.gradients if name in before]

    def module_of(self, node: str) -> str:
        """The path of the innermost module in whose forward pass the node ran; empty for none."""
        return self._owners.get(node, "")

    @cached_property
    def _owners(self) -> dict[str, str]:
        names, owners = list(self.recording.nodes), dict[str, str]()
        for call in self.watch.calls:  # an outer one begins before what it calls
            owners |= dict.fromkeys(names[call.first : call.end], call.path)
        return owners


def watched(watch: Watch, target: Target, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Run:
    """Call the target and go backward from what it returns, summed if it is not one number.

    Call it within the block of the recording that `watch` listens to.

    Raises:
        TraceError: the program raised an error that has nothing to do with gradients.
    """
    leaves, given = watch.leaves, list(target.given(args, kwargs))
    named = [leaves.add(*pair) for pair in given if isinstance(pair[1], torch.Tensor)]
    for name, one in [*target.modules.items(), *given]:
        if isinstance(one, nn.Module):
            leaves.add_module(name, one)
    with watch.following():
        returned = watch.call(lambda: target.call(*args, **kwargs))
    if watch.recording.failed is not None:
        raise TraceError(OURS_FAILED) from watch.recording.failed
    error, passes = watch.error, watch.recording.passes
    if error is not None and not passes and not OF_GRADIENTS.search(str(error)):
        said = shortened(error, target.folder)
        raise TraceError(f"{target.name} raised:\n{said}") from error
    results = [] if passes or error else _losses_in(returned)
    for result in results:
        watch.go_back(result)
    if not results and not error:
        watch.take_asked()
    what = f"{type(returned).__name__} {visible(repr(returned), 60)}"
    return Run(watch, target.name, named, target.folder, "" if results or error else what)


def _losses_in(returned: Any) -> list[torch.Tensor]:
    """The tensors to start from: the loss where one is known by its name or by being one number,
    else all that have a gradient, or the first.
    """
    loss = (
        returned.get("loss") if isinstance(returned, Mapping) else getattr(returned, "loss", None)
    )
    if isinstance(loss, torch.Tensor):
        return [loss]
    found = tensors_in([*returned.values()] if isinstance(returned, Mapping) else returned)
    wanting = [one for one in found if one.requires_grad]
    alone = bool(found) and found[0].numel() == 1 and any(one.numel() > 1 for one in found)
    return found[:1] if alone or not wanting else wanting
