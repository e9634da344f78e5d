"""What becomes of gradients after the backward pass: what clears them, and which step uses them."""

from collections.abc import Iterable, Iterator

import torch

from ..recorder.recording.torch_calls import op_type_of_node
from ..recorder.recording.variables import Where, in_line
from ..recorder.recording.wiring import node_name
from ..text import counted, listed
from .optimizers import Step
from .run import Run
from .source import cited
from .words import Fault, it_or_them

ORDER = "The usual order is zero_grad(), the forward pass, backward(), step()."


def steps(run: Run) -> Iterator[Fault]:
    """A fault for each way in which a gradient that came does not move its weight."""
    seen = run.optimizers
    for tensor, place in seen.read.values():
        yield _no_leaf(run, tensor, place)
    early = _early(run)
    for step in early.values():
        names = names_of(run, step.held)
        says = f"{step_called(step)} runs before backward() brings {names} a gradient."
        yield Fault("step_before_backward", says, ORDER)
    told: set[Where | str | None] = set()
    for step in seen.steps:
        where = next(iter(step.cleared.values()), None)
        if step.cleared and not step.grads and step.name not in early and where not in told:
            told.add(where)
            says = (
                f"{cited(where) or 'zero_grad()'}{in_line(where)} clears the gradients of "
                f"{names_of(run, step.cleared)} before {step_called(step)} can use them."
            )
            do = f"Move zero_grad() before backward(), or after step(). {ORDER}"
            yield Fault("cleared", says, do)
        elif step.kept and step.name not in told:
            told.add(step.name)
            says = (
                f"Nothing clears the gradients between two calls of {step_called(step)}: "
                "backward() adds to those that the step before has used, for "
                f"{names_of(run, step.grads)}."
            )
            do = f"Call {step.name}.zero_grad() in each iteration. {ORDER}"
            yield Fault("not_cleared", says, do)
        if step.clipped is not None and step.clipped not in told:
            told.add(step.clipped)
            says = (
                f"{cited(step.clipped) or 'The clipping'}{in_line(step.clipped)} clips gradients "
                "that the GradScaler has multiplied by its scale, which the bound does not have."
            )
            do = f"Call scaler.unscale_({step.name}) before it."
            yield Fault("clipped_scaled", says, do)
    yield from _replaced(run)


def _replaced(run: Run) -> Iterator[Fault]:
    """Weights that no optimizer holds, while one holds others that nothing reads any more."""
    seen, held = run.optimizers, run.optimizers.all_held() if run.optimizers.steps else set()
    left = [
        name for name, one in run.gradients.items()
        if one.norm and isinstance(run.tensors[name], torch.nn.Parameter)
        and run.tensors[name].is_leaf and id(run.tensors[name]) not in held
        and name not in run.watch.leaves.strays
    ]  # fmt: skip
    gets, them = "gets" if len(left) == 1 else "get", it_or_them(left)
    for step in {one.name: one for one in seen.steps}.values() if left else ():
        dead = [
            number for number, one in step.held.items()
            if seen.last(number, "came") is None and one.requires_grad
            and run.watch.leaves.called(one) is None
        ]  # fmt: skip
        if dead:
            says = (
                f"{listed(left)} {gets} a gradient, and {step.name} ({step.kind}) does not hold "
                f"{them}, so {step_called(step)} never moves {them}. It holds "
                f"{counted(len(dead), 'parameter')} that were replaced: no op has read them."
            )
            do = (
                f"Create {step.name} after the last change to the model, or add them: "
                f"{step.name}.add_param_group({{'params': …}})."
            )
            yield Fault("not_held", says, do, left[0])
            return
    if left and seen.steps:
        says = (
            f"{listed(left)} {gets} a gradient, and no optimizer holds {them}. To train {them}, "
            f"add {them} to {seen.steps[0].name}; else read {them} under torch.no_grad()."
        )
        yield Fault("note", says)


def _early(run: Run) -> dict[str, Step]:
    """Steps without any gradient, which came afterwards; not where a later step found one."""
    found: dict[str, Step] = {}
    for step in run.optimizers.steps:
        came = (run.optimizers.last(one, "came") for one in step.held)
        if step.grads:
            found.pop(step.name, None)
        elif not step.cleared and any(one and one.time > step.time for one in came):
            found[step.name] = step
    return found


def _no_leaf(run: Run, tensor: torch.Tensor, place: Where | None) -> Fault:
    """A tensor whose `.grad` was read although torch keeps none for it."""
    node, _ = run.recording.node_of(tensor)
    name = run.watch.leaves.called(tensor) or node.label
    born = run.recording.born(tensor) or node.place
    op = node.type if not node.leaf else op_type_of_node(node_name(tensor.grad_fn))
    do = (
        f"Make a leaf of the finished weight: scale first, then requires_grad_(), as in {name} = "
        f"(torch.randn(3) * 0.01).requires_grad_(). For a result on the way, {name}.retain_grad()."
    )
    made_of = [edge.producer for edge in node.operands]
    made_of += [edge.producer for one in made_of for edge in one.operands]
    if any(one.type == "grad" for one in made_of):
        do = f"Change the leaf in place: with torch.no_grad(): {name} -= rate * {name}.grad"
    return Fault(
        "no_leaf",
        f"{name} is no leaf: {op}{in_line(born)} made it from a tensor that requires a gradient. "
        f"So its .grad, read{in_line(place)}, stays None.",
        do,
        node.name,
    )


def step_called(step: Step) -> str:
    """ "opt.step() in train.py:12"."""
    return f"{step.name}.step(){in_line(step.place)}"


def names_of(run: Run, numbers: Iterable[int]) -> str:
    """The parameters with these `id`s."""
    names = {id(one): name for name, one in run.tensors.items()}
    known = [names[one] for one in numbers if one in names]
    return listed(known, 4) if known else "its parameters"
