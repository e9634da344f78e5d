"""What becomes of gradients after the backward pass: what clears them, and which step uses them."""

from collections.abc import Iterator, Sequence

import torch

from ..recorder.recording.torch_calls import op_type_of_node
from ..recorder.recording.variables import Where, in_line, line_of
from ..recorder.recording.wiring import node_name
from ..text import counted, listed
from .cuts import Told
from .graph import it_or_them
from .optimizers import Optimizers, Step
from .source import cited
from .watch import Run, Watch

ORDER = "The usual order is zero_grad(), the forward pass, backward(), step()."


def steps(run: Run) -> Iterator[Told]:
    """A fault for each way in which a gradient that came does not move its weight."""
    watch, seen = run.watch, run.watch.optimizers
    for tensor, place in seen.read.values():
        yield _no_leaf(watch, tensor, place)
    early = _early(seen)
    for step in early.values():
        yield (
            "step_before_backward",
            f"{_step(step)} runs before backward() brings {_names(watch, list(step.held))} a "
            "gradient, so it has nothing to go by.",
            ORDER, None,
        )  # fmt: skip
    told: set[Where | str | None] = set()
    for step in seen.steps:
        where = next(iter(step.cleared.values()), None)
        if step.cleared and not step.grads and step.name not in early and where not in told:
            told.add(where)
            yield (
                "cleared",
                f"{cited(where) or 'zero_grad()'} in {line_of(where)} clears the gradients of "
                f"{_names(watch, list(step.cleared))} before {_step(step)} can use them.",
                f"Move zero_grad() before backward(), or after step(). {ORDER}", None,
            )  # fmt: skip
        elif step.kept and step.name not in told:
            told.add(step.name)
            yield (
                "not_cleared",
                f"Nothing clears the gradients between two calls of {_step(step)}: backward() adds "
                f"to those that the step before has used, for {_names(watch, list(step.grads))}.",
                f"Call {step.name}.zero_grad() in each iteration. {ORDER}", None,
            )  # fmt: skip
        if step.clipped is not None and step.clipped not in told:
            told.add(step.clipped)
            yield (
                "clipped_scaled",
                f"{cited(step.clipped) or 'The clipping'} in {line_of(step.clipped)} clips "
                "gradients that the GradScaler has multiplied by its scale, so the bound is off by "
                "that factor.",
                f"Call scaler.unscale_({step.name}) before it.", None,
            )  # fmt: skip
    yield from _replaced(run, watch, seen)


def unheld(run: Run, watch: Watch) -> list[str]:
    """The leaves that got a gradient and that no optimizer holds, where one has stepped."""
    if not watch.optimizers.steps:
        return []
    held = watch.optimizers.all_held()
    tensors = watch.leaves.tensors
    return [
        name for name, one in run.gradients.items()
        if one.norm and isinstance(tensors[name], torch.nn.Parameter) and tensors[name].is_leaf
        and id(tensors[name]) not in held
    ]  # fmt: skip


def _replaced(run: Run, watch: Watch, seen: Optimizers) -> Iterator[Told]:
    """Weights that no optimizer holds, while one holds others that nothing reads any more."""
    left = unheld(run, watch)
    for step in {one.name: one for one in seen.steps}.values():
        dead = [
            number for number, one in step.held.items()
            if number not in seen.came and one.requires_grad and watch.leaves.called(one) is None
        ]  # fmt: skip
        if left and dead:
            they = "gets a gradient" if len(left) == 1 else "get a gradient"
            yield (
                "not_held",
                f"{listed(left)} {they}, and {step.name} ({step.kind}) does not hold "
                f"{it_or_them(left)}, so {_step(step)} never moves {it_or_them(left)}. It holds "
                f"{counted(len(dead), 'parameter')} that no op has read: the ones that were "
                "replaced.",
                f"Create {step.name} after the last change to the model, or add them: "
                f"{step.name}.add_param_group({{'params': …}}).", left[0],
            )  # fmt: skip
            return


def _early(seen: Optimizers) -> dict[str, Step]:
    """Steps without any gradient, which came afterwards; not where a later step found one."""
    found: dict[str, Step] = {}
    for step in seen.steps:
        if step.grads:
            found.pop(step.name, None)
        elif not step.cleared and any(seen.came.get(one, 0) > step.time for one in step.held):
            found[step.name] = step
    return found


def _no_leaf(watch: Watch, tensor: torch.Tensor, place: Where | None) -> Told:
    """A tensor whose `.grad` was read although torch keeps none for it."""
    node, _ = watch.recording.node_of(tensor)
    name = watch.leaves.called(tensor) or node.label
    born = watch.recording.born(tensor) or node.place
    op = node.type if not node.leaf else op_type_of_node(node_name(tensor.grad_fn))
    do = (
        f"Make a leaf of the finished weight: scale first, then requires_grad_(), as in {name} = "
        f"(torch.randn(3) * 0.01).requires_grad_(). For a result on the way, {name}.retain_grad()."
    )
    made_of = [edge.producer for edge in node.operands]
    made_of += [edge.producer for one in made_of for edge in one.operands]
    if any(one.type == "grad" for one in made_of):
        do = f"Change the leaf in place: with torch.no_grad(): {name} -= rate * {name}.grad"
    return (
        "no_leaf",
        f"{name} is no leaf: {op}{in_line(born)} made it from a tensor "
        f"that requires a gradient. So its .grad, which {line_of(place)} reads, stays None.",
        do, node.name,
    )  # fmt: skip


def _step(step: Step) -> str:
    return f"{step.name}.step() in {line_of(step.place)}"


def _names(watch: Watch, numbers: Sequence[int]) -> str:
    names = {id(one): name for name, one in watch.leaves.tensors.items()}
    known = [names[one] for one in numbers if one in names]
    return listed(known, 4) if known else counted(len(numbers), "parameter")
