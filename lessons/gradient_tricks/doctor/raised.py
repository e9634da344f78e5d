"""What a program raised: torch's errors about gradients, with the tensor and the line they mean."""

import re
import traceback
from collections.abc import Collection, Iterator

import torch

from ..recorder import Node, Stale, assigned, in_line
from ..recorder.recording.saved import from_to, saver
from ..text import counted, listed
from .errors import place_of, sentences
from .leaves import spelled
from .run import Run
from .source import attribute_at, backward_of, cited
from .watch import WITHOUT_GRAPH
from .words import WORDS, Fault, called

_RETURNED = re.compile(
    r"unction (\w+)Backward returned an (?:incorrect number of gradients \(expected (\d+), got "
    r"(\d+)|invalid gradient at index (\d+))"
)
_KNOWN = {
    "Inference tensors? cannot be saved|inference tensor": WORDS("inference_tensor"),
    "leaf Variable that requires grad": WORDS("leaf_written_into"),
    "BackwardHookFunction|is a view and (is|its base).* modified in-?place": WORDS("hooked_view"),
    "implicitly created only for scalar": WORDS("loss_has_shape"),
    "appears to not have been used in the graph": WORDS("not_computed_from"),
    "non-leaf Tensor": WORDS("holds_no_leaf"),
    "empty parameter list": WORDS("no_parameters"),
    "numpy.. on Tensor that requires grad": WORDS("numpy_refused"),
    "Found dtype|expected scalar type|must have the same dtype": WORDS("two_dtypes"),
    "NoneType": WORDS("no_gradient_yet"),
}  # fmt: skip
"""Pattern of torch's error; our cause and advice, with a bar between."""


def raised(run: Run, kinds: Collection[str]) -> Iterator[Fault]:
    """The fault of a program that raised; none where one of these `kinds` explains it."""
    error = run.error
    if error is None:
        return
    said = " ".join(str(error).split())
    if run.recording.refused is not None:
        yield _refused(run, run.recording.nodes[run.recording.refused])
    elif "second time" in said:
        if "no_create_graph" not in kinds:  # what grad() had saved is freed at once
            yield _second_time(run)
    elif returned := _RETURNED.search(said):
        yield _returned(*returned.groups())
    elif WITHOUT_GRAPH in said and not run.recording.ops and run.watch.dark:
        read, place, off = [*run.watch.dark.values()][-1]
        by = f"torch.{off.name}{in_line(off.where)}" if off is not None and off.where else "no_grad"
        says = WORDS("read_without", name=spelled(read, error), where=in_line(place), by=by)
        yield Fault("no_grad", says, "Take what trains out of it.")
    elif "No inf checks" in said:
        yield _not_scaled(run, error)
    elif "finished reduction" in said:
        none = [name for name, one in run.gradients.items() if one.norm is None]
        says = f"DistributedDataParallel waits for the gradient of {listed(none) or 'some weights'}"
        yield Fault("unused", f"{says}, and none came in the pass before.", WORDS("leave_out"))
    elif not kinds or not (WITHOUT_GRAPH in said or "NoneType" in said):
        known = next((text for one, text in _KNOWN.items() if re.search(one, said)), "")
        why, _, do = known.partition(" | ")
        why = why or f"it says: {sentences(said, 300)}"
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
    who = f"{spelled(optimizer, error)}{at}"
    says = WORDS("not_scaled", line=place_of(error), who=who, others=others)
    return Fault("not_held", says, WORDS("optimizer_after"))


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
        tensor = _tensor_of_error(error, leaf="non-leaf" not in str(error))
        place = None if tensor is None else run.recording.node_of(tensor)[0].place
        at = f", made{in_line(place)}" if place else ""
        return f"{spelled(tensor, error)}{at}: " if tensor is not None else ""
    return ""


def _tensor_of_error(error: BaseException, leaf: bool) -> torch.Tensor | None:
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
        do = WORDS("sum_over_broadcast")
    else:
        inputs = counted(int(wanted), "input")
        says = f"{counted(int(got), 'gradient')} for {inputs} of its forward"
        do = WORDS("one_for_each_input")
    return Fault("returned", f"{name}.backward{backward_of(name)} returns {says}.", do)


def _refused(run: Run, node: Node) -> Fault:
    """Torch won't go back through a node: what was saved there was changed in place since."""
    stale = next(one for one in node.stale if one.refused)
    writer = stale.writer
    refused = (one for node in run.recording for one in node.stale if one.refused)
    same = dict.fromkeys([stale.name, *(one.name for one in refused if one.writer is writer)])
    begun = in_line(run.recording.passes[-1].place) if run.recording.passes else ""
    how = "it was changed in place"
    if writer is not None:
        how = f"{writer.type} changed it in place{in_line(writer.place)}"
    words = {"op": saver(node, stale), "names": listed([*same], 4), "where": in_line(node.place)}
    says = f"{WORDS('refused', begun=begun, how=how, **words)}{from_to(stale)}"
    return Fault("refused", says, instead_of(stale, WORDS("new_tensor")), node.name)


def instead_of(stale: Stale, change: str) -> str:
    """What to do instead of changing a saved tensor: step later, or `change` where no step did."""
    writer = stale.writer
    if writer is None or writer.name or not writer.type.endswith(".step()"):
        return change
    return WORDS("step_after", call=writer.type)


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
        return Fault("second_time", f"{says}: {freed}", WORDS("compute_loss_again"), last.node)
    node = shared[-1]
    reads = run.graph.consumers.get(node.name, ())
    later = [edge for edge in reads if edge.consumer.name in now - earlier]
    names = assigned(node.place)
    output = later[0].output if later else 0
    name = (names[output : output + 1] or [node.variable])[0] or attribute_at(node.place)
    name = name or cited(node.place) or node.type
    first = {edge.consumer.place for edge in reads if edge.consumer.name in earlier}
    if last.node in {one.node for one in others}:
        do = WORDS("add_losses")
    elif any(one.consumer.place in first and one.consumer not in begun_with for one in later):
        do = WORDS("make_inside_loop", name=name)
    else:
        several = any(edge.output for edge in later)
        detached = f"tuple(one.detach() for one in {name})" if several else f"{name}.detach()"
        do = f"Detach what goes on to the next pass, as in {name} = {detached}."
    says += f": {name}, made{in_line(node.place)}, is shared by both, and {freed}"
    return Fault("second_time", says, do, node.name)
