"""What is wrong between the backward pass and the weights: what clears gradients, which step uses
them, and which weights no optimizer moves.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import torch

from ..recorder import Node
from ..recorder.recording.torch_calls import op_type_of_node
from ..recorder.recording.variables import Where, in_line
from ..recorder.recording.wiring import node_name
from ..text import counted, listed
from .optimizers import Event, Step
from .run import Run
from .source import attribute_at, cited, switched_off
from .words import Fault, called, it_or_them

_ORDER = "The usual order is zero_grad(), the forward pass, backward(), step()."


def steps(run: Run) -> Iterator[Fault]:
    """Yield a fault for each way in which gradients that came don't move their weights as meant."""
    for tensor, place in run.optimizers.read.values():
        yield _no_leaf(run, tensor, place)
    told: set[tuple[str, str]] = set()
    for step in run.optimizers.steps:
        for fault in _misused(run, step):
            if not told & {(fault.kind, step.name), ("step_before_backward", step.name)}:
                told.add((fault.kind, step.name))
                yield fault
    yield from _replaced(run)
    yield from _frozen(run)
    yield from _flagged(run)
    yield from _carried(run)


def _misused(run: Run, step: Step) -> Iterator[Fault]:
    """Gradients that were cleared, added up or clipped at the wrong moment before this step."""
    if not step.grads and not any(map(_came, step.events.values())):
        yield from _early(run, step)
        return
    used = {one: step.events[one] for one in step.grads or step.held}
    unused = {
        number: where for number, one in used.items()
        for where in _unused(one, others_came=bool(step.grads))
    }  # fmt: skip
    if unused and not step.has_closure:
        where = next(iter(unused.values()))
        says = (
            f"{cited(where) or 'zero_grad()'}{in_line(where)} clears the gradients of "
            f"{_names(run, unused)} before {_called(step)} can use them."
        )
        do = f"Move zero_grad() before backward(), or after step(). {_ORDER}"
        if step.grads:
            do = "To add up the gradients of several batches, call zero_grad() only after step()."
        yield Fault("cleared", says, do)
    elif step.kept:
        says = (
            f"Nothing clears the gradients between two calls of {_called(step)}: backward() adds "
            f"to the gradients that the previous step has used, for {_names(run, step.grads)}."
        )
        yield Fault(
            "not_cleared", says, f"Call {step.name}.zero_grad() in each iteration. {_ORDER}"
        )
    for events in used.values():
        yield from _clipped(step, events)
        if not step.has_closure:
            yield from _left_over(run, step, events)


def _unused(events: list[Event], others_came: bool) -> Iterator[Where | None]:
    """Find where an unused gradient was cleared: the last one, or one of the same loss."""
    came = _came(events)
    for before, after in pairwise(events):
        is_last = bool(came) and after.time > came[-1].time
        is_same = before.what == "came" and before[2:] == came[-1][2:] and not is_last
        if after.what == "cleared" and (is_same if others_came else is_last):
            yield after.place


def _clipped(step: Step, events: list[Event]) -> Iterator[Fault]:
    """A call that clips before the gradients come, or before a GradScaler has unscaled them."""
    clips = [one for one in events if one.what == "clipped"]
    later = {one.what for one in events if clips and one.time > clips[-1].time}
    if not later & {"came", "unscaled"}:
        return
    where = clips[-1].place
    clipping = f"{cited(where) or 'The clipping'}{in_line(where)}"
    if "came" in later and not step.has_closure:
        says = (
            f"{clipping} runs before backward() brings the gradients that {_called(step)} uses, so "
            "it clips none of them."
        )
        yield Fault("clipped_early", says, f"Call it after backward() and before step(). {_ORDER}")
    elif "unscaled" in later:
        says = (
            f"{clipping} clips gradients that the GradScaler has multiplied by its scale, but "
            "the bound is for unscaled gradients."
        )
        yield Fault("clipped_scaled", says, f"Call scaler.unscale_({step.name}) before it.")


def _left_over(run: Run, step: Step, events: list[Event]) -> Iterator[Fault]:
    """Gradients of another loss, whose optimizer has made its step, that were never cleared."""
    cleared = max((one.time for one in events if one.what == "cleared"), default=0)
    came = [one for one in _came(events) if one.time > cleared]
    others = [
        one for one in run.optimizers.steps
        if came and came[0].time < one.time < came[-1].time and one.name != step.name
    ]  # fmt: skip
    if others and came[0].place != came[-1].place:
        says = (
            f"{_called(step)} uses the gradients of two losses for {_names(run, step.grads)}: "
            f"those that the loss{in_line(came[0].place)} left there before {_called(others[0])} "
            "were never cleared."
        )
        do = f"Call {step.name}.zero_grad() before the backward pass of its own loss."
        yield Fault("left_over", says, do)


def _came(events: list[Event]) -> list[Event]:
    return [one for one in events if one.what == "came"]


def _early(run: Run, step: Step) -> Iterator[Fault]:
    """A step without any gradient, which came afterwards; not where another step found one."""
    later = [run.optimizers.last(one, "came") for one in step.held]
    found = any(one.grads for one in run.optimizers.steps if one.name == step.name)
    if not found and any(one and one.time > step.time for one in later):
        says = f"{_called(step)} runs before backward() brings {_names(run, step.held)} a gradient."
        yield Fault("step_before_backward", says, _ORDER)


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
                f"{them}, so {_called(step)} never moves {them}. It holds "
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


def _frozen(run: Run) -> Iterator[Fault]:
    """An optimizer all of whose parameters were frozen at each of its steps."""
    seen = run.optimizers
    moved = {one.name for one in seen.steps if any(map(_came, one.events.values())) or one.grads}
    for name, step in {one.name: one for one in seen.steps if one.name not in moved}.items():
        where = next((seen.frozen[one] for one in step.held if one in seen.frozen), None)
        if not any(one.requires_grad for one in step.held.values()):
            says = (
                f"{_called(step)} moves nothing: all {len(step.held)} parameters of {name} "
                f"({step.kind}) have requires_grad=False{', set' * bool(where)}{in_line(where)}."
            )
            do = "Call requires_grad_(True) on them before their loss is computed."
            yield Fault("frozen", says, do)


def _flagged(run: Run) -> Iterator[Fault]:
    """A module on which requires_grad was set as if it were a tensor."""
    for name, module in run.modules.items():
        train = sum(one.requires_grad for one in module.parameters())
        if vars(module).get("requires_grad") is False and train:
            where = switched_off({node.place[0] for node in run.recording if node.place})
            says = (
                f"requires_grad = False{in_line(where)} is an attribute of the module {name} and "
                f"freezes nothing: {counted(train, 'parameter')} of it train."
            )
            yield Fault("module_flag", says, f"Call {name}.requires_grad_(False).")


def _carried(run: Run) -> Iterator[Fault]:
    """A tensor computed before the first step, which the last pass goes back through."""
    step = next(iter(run.optimizers.steps), None)
    node = None if step is None or run.error is not None else _bridge(run, step)
    if node is None or step is None:
        return
    before = map(run.recording.nodes.__getitem__, run.graph.before([node.name], live=True))
    of = [run.recording.tensors[one.name][0] for one in before if one.leaf and one.requires_grad]
    name, made = attribute_at(node.place) or called(node), in_line(node.place)
    if any(id(one) in step.held for one in of):
        says = (
            f"backward(){in_line(run.recording.passes[-1].place)} goes on into the graph of the "
            f"previous step, through {name}, made{made}; {_called(step)} has changed its "
            "weights since."
        )
        yield Fault("carried", says, f"Detach it for the next step: {name} = {name}.detach().")
    elif of and all(isinstance(one, torch.nn.Parameter) for one in of) and not (
        run.optimizers.all_held().intersection(map(id, of))
    ):  # fmt: skip
        says = (
            f"{name} is neither a leaf nor a parameter: {node.type}{made} made it, once, from an "
            "nn.Parameter that no optimizer holds."
        )
        yield Fault("no_leaf", says, "Convert first: nn.Parameter(torch.ones(3).to(…)).")


def _bridge(run: Run, step: Step) -> Node | None:
    """The last op before a step whose graph the last pass goes back through, from later ops."""
    tensors = run.recording.tensors
    if not run.recording.passes or run.recording.passes[-1].before <= step.count:
        return None
    nodes: list[Node] = [*run.recording][: step.count]
    now = run.graph.before([run.recording.passes[-1].node], live=True)
    later = now.difference(node.name for node in nodes)
    for node in nodes[::-1]:
        read = {edge.consumer.name for edge in run.graph.consumers.get(node.name, ())}
        if node.name in now and read & later and not tensors[node.name][0].is_leaf:
            return node
    return None


def _no_leaf(run: Run, tensor: torch.Tensor, place: Where | None) -> Fault:
    """A tensor whose `.grad` was read although torch keeps none for it."""
    node, _ = run.recording.node_of(tensor)
    name = run.watch.leaves.called(tensor) or node.label
    born = run.recording.born(tensor) or node.place
    op = node.type if not node.leaf else op_type_of_node(node_name(tensor.grad_fn))
    do = (
        f"Make a leaf of the finished weight: scale first, then requires_grad_(), as in {name} = "
        f"(torch.randn(3) * 0.01).requires_grad_(). For an intermediate result, call "
        f"{name}.retain_grad()."
    )
    made_of = [edge.producer for edge in node.operands]
    made_of += [edge.producer for one in made_of for edge in one.operands]
    if any(one.type == "grad" for one in made_of):
        do = f"Change the leaf in place: with torch.no_grad(): {name} -= rate * {name}.grad"
    return Fault(
        "no_leaf",
        f"{name} is not a leaf: {op}{in_line(born)} made it from a tensor that requires a "
        f"gradient. So its .grad, read{in_line(place)}, stays None.",
        do,
        node.name,
    )


def _called(step: Step) -> str:
    """ "opt.step() in train.py:12"."""
    return f"{step.name}.step(){in_line(step.place)}"


def _names(run: Run, numbers: Iterable[int]) -> str:
    """The parameters with these `id`s."""
    names = {id(one): name for name, one in run.tensors.items()}
    known = [names[one] for one in numbers if one in names]
    return listed(known, 4) if known else "its parameters"
