"""What a program raised: torch's errors about gradients, with the tensor and the line they mean."""

import re
import traceback
from collections.abc import Collection, Iterator

import torch

from ..recorder import Node
from ..recorder.recording.nodes import Stale
from ..recorder.recording.saved import from_to, saver
from ..recorder.recording.variables import assigned, in_line
from ..text import counted, listed
from .errors import place_of, sentences
from .leaves import spelled
from .run import Run
from .source import attribute_at, backward_of, cited
from .watch import WITHOUT_GRAPH
from .words import Fault, called

_RETURNED = re.compile(
    r"unction (\w+)Backward returned an (?:incorrect number of gradients \(expected (\d+), got "
    r"(\d+)|invalid gradient at index (\d+))"
)
_KNOWN = (
    ("Inference tensors? cannot be saved|Inplace update to inference tensor|inference tensor",
     "a tensor created under torch.inference_mode can't take part in a backward pass.",
     "Compute it under torch.no_grad() instead, or use x.clone() of it outside that block."),
    ("leaf Variable that requires grad",
     "an in-place op writes into a leaf that requires a gradient, while gradients are on.",
     "Update weights within `with torch.no_grad():`, as optimizers do; elsewhere make a new "
     "tensor, x = x + 1 in place of x += 1, or work on x.clone()."),
    ("BackwardHookFunction|is a view and (is|its base).* modified in-?place",
     "an op in place changes the output of a module that has a full backward hook, or a view.",
     "Take inplace=True off the module after it, or work on a clone: out = out.clone()."),
    ("implicitly created only for scalar",
     "backward() starts from one number, but the loss has a shape.",
     "Reduce it: loss.mean().backward(), or loss.sum().backward()."),
    ("appears to not have been used in the graph",
     "autograd.grad() is asked for a tensor that its output was not computed from.",
     "Ask for the tensor itself that the forward pass read, not for a copy, view or cast of it; "
     "allow_unused=True gives None."),
    ("non-leaf Tensor",
     "an optimizer holds only leaves, and this tensor was computed from another one.",
     "Compute it first, then make it a leaf: w = nn.Parameter(torch.randn(3) * 0.01)."),
    ("empty parameter list",
     "the module has no parameters of its own.",
     "Keep layers as attributes, in nn.ModuleList or nn.ModuleDict; a plain list hides them."),
    ("numpy.. on Tensor that requires grad",
     "numpy can't follow gradients, so torch refuses to hand the numbers over.",
     "Write .detach().numpy() where no gradient is wanted; otherwise compute it with torch."),
    ("Found dtype|expected scalar type|must have the same dtype",
     "two tensors that meet here have different dtypes.",
     "Cast the target: target.float(), or target.long() for class numbers."),
    ("NoneType",
     "no backward pass has brought a gradient, so it is None.",
     "Skip what has none, or find why: is it read on the way to the loss, is it frozen?"),
)  # fmt: skip
"""What torch says as a pattern, why, and what to do."""


def raised(run: Run, told: Collection[str]) -> Iterator[Fault]:
    """The fault of a program that raised; none where one of those `told`, by kind, explains it."""
    error = run.error
    if error is None:
        return
    said = " ".join(str(error).split())
    if run.recording.refused is not None:
        yield _refused(run, run.recording.nodes[run.recording.refused])
    elif "second time" in said:
        if "no_create_graph" not in told:  # what grad() had saved is freed at once
            yield _second_time(run)
    elif returned := _RETURNED.search(said):
        yield _returned(*returned.groups())
    elif WITHOUT_GRAPH in said and not run.recording.ops and run.watch.dark:
        read, place, off = [*run.watch.dark.values()][-1]
        by = f"torch.{off.name}{in_line(off.where)}" if off is not None and off.where else "no_grad"
        yield Fault(
            "no_grad",
            f"{spelled(read, error)} was read{in_line(place)} without gradients, which {by} had "
            "switched off, so the loss has no graph.",
            "Take what trains out of it.",
        )
    elif "No inf checks" in said:
        yield _not_scaled(run, error)
    elif "finished reduction" in said:
        none = [name for name, one in run.gradients.items() if one.norm is None]
        says = f"DistributedDataParallel waits for the gradient of {listed(none) or 'some weights'}"
        do = "Leave out what takes no part in the loss, or pass find_unused_parameters=True."
        yield Fault("unused", f"{says}, and none came in the pass before.", do)
    elif not told or not (WITHOUT_GRAPH in said or "NoneType" in said):
        known = next((row[1:] for row in _KNOWN if re.search(row[0], said)), None)
        why, do = known or (f"it says: {sentences(said, 300)}", "")
        says = f"{run.name} raised {type(error).__name__} in {place_of(error)}: "
        yield Fault("raised", f"{says}{_which(run, error)}{why}", do)


def _not_scaled(run: Run, error: BaseException) -> Fault:
    """A GradScaler steps an optimizer none of whose parameters has a gradient."""
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__)]
    optimizer = next((one["optimizer"] for one in frames[::-1] if "optimizer" in one), None)
    made = run.optimizers.made_of(optimizer) if optimizer is not None else None
    at = f", made{in_line(made.place)}," if made else ""
    came = [name for name, one in run.gradients.items() if one.norm is not None]
    others = f": {listed(came)} got one, and it does not hold them" if came else ""
    return Fault(
        "not_held",
        f"The GradScaler finds no gradient in {place_of(error)}: none of the parameters that "
        f"{spelled(optimizer, error)}{at} holds has one{others}.",
        "Create the optimizer from the model that computes the loss, after the last change to it, "
        "such as a deepcopy, a .to() or a wrapper.",
    )


def _which(run: Run, error: BaseException) -> str:
    """The tensor that an error is about, as the start of a sentence, where that was seen."""
    none = run.optimizers.none
    if "NoneType" in str(error) and none is not None:
        return f"the last .grad that was read is that of {spelled(none, error)}, and "
    if "nference" in str(error):
        made = [one for one in run.recording if one.off and one.off.name == "inference_mode"]
        if made:
            return f"{called(made[-1])} was made{in_line(made[-1].place)}, and "
        for read, place, _ in [*run.watch.dark.values()][-1:]:
            return f"{spelled(read, error)} was read{in_line(place)}, and "
    if "leaf" in str(error):
        tensor = _met(error, leaf="non-leaf" not in str(error))
        place = None if tensor is None else run.recording.node_of(tensor)[0].place
        at = f", made{in_line(place)}" if place else ""
        return f"{spelled(tensor, error)}{at}: " if tensor is not None else ""
    return ""


def _met(error: BaseException, leaf: bool) -> torch.Tensor | None:
    """The tensor with a gradient that an error is about: the only one in the innermost call."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    found = {
        id(one): one for one in frame.f_locals.values()
        if isinstance(one, torch.Tensor) and one.requires_grad and one.is_leaf == leaf
    }  # fmt: skip
    return next(iter(found.values())) if len(found) == 1 else None


def _returned(name: str, wanted: str, got: str, index: str | None) -> Fault:
    """The fault of a backward that returns a wrong number of gradients, or one of a wrong shape."""
    if index:
        says = f"a gradient of the wrong shape for input {index}"
        do = "Sum over what was broadcast, until it has the shape of that input."
    else:
        inputs = counted(int(wanted), "input")
        says = f"{counted(int(got), 'gradient')} for {inputs} of its forward"
        do = "Return one for each input in their order, None where none is wanted."
    return Fault("returned", f"{name}.backward{backward_of(name)} returns {says}.", do)


def _refused(run: Run, node: Node) -> Fault:
    """Torch won't go back through a node: what was saved there was changed in place since."""
    stale = next(one for one in node.stale if one.refused)
    writer = stale.writer
    refused = (one for node in run.recording for one in node.stale if one.refused)
    same = [one.name for one in refused if one.writer is writer]
    begun = in_line(run.recording.passes[-1].place) if run.recording.passes else ""
    how = "it was changed in place"
    if writer is not None:
        how = f"{writer.type} changed it in place{in_line(writer.place)}"
    return Fault(
        "refused",
        f"Torch refuses the backward pass{begun}: {saver(node, stale)} saved "
        f"{listed(list(dict.fromkeys([stale.name, *same])), 4)} for its gradient"
        f"{in_line(node.place)}, then {how}.{from_to(stale)}",
        instead_of(stale, "Write the new value into a new tensor, or change a clone."),
        node.name,
    )


def instead_of(stale: Stale, change: str) -> str:
    """What to do instead of changing a saved tensor: step later, or `change` where no step did."""
    writer = stale.writer
    if writer is None or writer.name or not writer.type.endswith(".step()"):
        return change
    return (
        f"Call {writer.type} after the last backward() through these weights; or run the "
        f"forward pass again after it, so that the new weights are saved."
    )


def _second_time(run: Run) -> Fault:
    """A pass goes through ops that an earlier pass went through, and that were freed then."""
    *others, last = run.recording.passes
    earlier, now = run.graph.before([one.node for one in others]), run.graph.before([last.node])
    begun_with = list(run.recording)[: run.recording.passes[0].before]
    shared = [
        node for node in begun_with
        if node.name in now & earlier and node.requires_grad and not node.leaf
    ]  # fmt: skip
    says = f"{run.name} went backward again through ops of the first pass,{in_line(last.place)}"
    freed = "torch had freed what they saved."
    if not shared:
        do = "Compute the loss again for each backward(); retain_graph=True keeps the first graph."
        return Fault("second_time", f"{says}: {freed}", do, last.node)
    node = shared[-1]
    reads = run.graph.consumers.get(node.name, ())
    later = [edge for edge in reads if edge.consumer.name in now - earlier]
    names = assigned(node.place)
    output = later[0].output if later else 0
    name = (names[output : output + 1] or [node.variable])[0] or attribute_at(node.place)
    name = name or cited(node.place) or node.type
    first = {edge.consumer.place for edge in reads if edge.consumer.name in earlier}
    if last.node in {one.node for one in others}:
        do = "Add the losses and call backward() once, or keep the graph: retain_graph=True."
    elif any(one.consumer.place in first and one.consumer not in begun_with for one in later):
        do = f"Make {name} inside the loop, so that each pass has a graph of its own."
    else:
        several = any(edge.output for edge in later)
        detached = f"tuple(one.detach() for one in {name})" if several else f"{name}.detach()"
        do = f"Detach what goes on to the next pass, as in {name} = {detached}."
    says += f": {name}, made{in_line(node.place)}, is shared by both, and {freed}"
    return Fault("second_time", says, do, node.name)
