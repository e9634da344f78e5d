"""What is wrong between the backward pass and the weights: what clears gradients, which step uses
them, and which weights no optimizer moves.
"""

import ast
import gc
from collections.abc import Iterator
from itertools import pairwise

import torch
from torch.optim import Optimizer

from ..recorder import Node
from ..recorder.recording.torch_calls import op_type_of_node
from ..recorder.recording.variables import Where, assigned, in_line
from ..recorder.recording.wiring import node_name
from ..text import counted, listed
from .leaves import spelled
from .optimizers import Event, Step
from .run import Run
from .source import attribute_at, cited, spelled_at, switched_off
from .words import Fault, at_step, called, it_or_them, named, sentence_start

_ORDER = "The usual order is zero_grad(), the forward pass, backward(), step()."


def steps(run: Run) -> Iterator[Fault]:
    """Yield a fault for each way in which gradients that came don't move their weights as meant."""
    for tensor, place in run.optimizers.read.values():
        yield _no_leaf(run, tensor, place)
    told: set[tuple[str, int]] = set()
    for step in run.optimizers.steps:
        number = id(step.optimizer)
        for fault in (*_misused(run, step), *_measured(run, step)):
            kind = fault.kind if fault.kind != "note" else fault.says
            if not told & {(kind, number), ("step_before_backward", number)}:
                told.add((kind, number))
                yield fault
    yield from _never(run)
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
            f"{named(run, unused)} before {at_step(run, step)} can use them."
        )
        do = f"Move zero_grad() before backward(), or after step(). {_ORDER}"
        if step.grads:
            do = "To add up the gradients of several batches, call zero_grad() only after step()."
        yield Fault("cleared", says, do)
    elif step.kept:
        says = (
            f"Nothing clears the gradients between two calls of {at_step(run, step)}: backward() "
            "adds to the gradients that the previous step has used, for "
            f"{named(run, step.grads)}."
        )
        yield Fault(
            "not_cleared", says, f"Call {step.name}.zero_grad() in each iteration. {_ORDER}"
        )
    for number, events in used.items():
        yield from list(_clipped_after(run, step, number)) or _clipped(run, step, events)
    if not step.has_closure:
        yield from _left_over(run, step, used)


def _unused(events: list[Event], others_came: bool) -> Iterator[Where | None]:
    """Find where an unused gradient was cleared: the last one, or one of the same loss."""
    came = _came(events)
    for before, after in pairwise(events):
        is_last = bool(came) and after.time > came[-1].time
        is_same = before.what == "came" and before[2:4] == came[-1][2:4] and not is_last
        if after.what == "cleared" and (is_same if others_came else is_last):
            yield after.place


def _clipped(run: Run, step: Step, events: list[Event]) -> Iterator[Fault]:
    """A call that clips before the gradients come, or before a GradScaler has unscaled them."""
    clips = [one for one in events if one.what == "clipped"]
    later = {one.what for one in events if clips and one.time > clips[-1].time}
    came = _came(events)
    early = came and clips and came[0].time > clips[-1].time  # else it clips each microbatch
    if not early and "unscaled" not in later:
        return
    where = clips[-1].place
    clipping = f"{cited(where) or 'The clipping'}{in_line(where)}"
    if early and not step.has_closure:
        says = (
            f"{clipping} runs before backward() brings the gradients that {at_step(run, step)} "
            "uses, so it clips none of them."
        )
        yield Fault("clipped_early", says, f"Call it after backward() and before step(). {_ORDER}")
    elif "unscaled" in later:
        says = (
            f"{clipping} clips gradients that the GradScaler has multiplied by its scale, but "
            "the bound is for unscaled gradients."
        )
        yield Fault("clipped_scaled", says, f"Call scaler.unscale_({step.name}) before it.")


def _clipped_after(run: Run, step: Step, number: int) -> Iterator[Fault]:
    """A call that clips what an earlier step has used, while the next step's is not clipped."""
    first = next((one for one in step.events[number] if one.what in ("came", "clipped")), None)
    steps = run.optimizers.steps
    if first is None or first.what != "clipped" or not any(number in one.grads for one in steps):
        return
    after = next(one for one in steps if one.time > first.time)
    clipped = any(one.what == "clipped" for events in after.events.values() for one in events)
    if after.optimizer is step.optimizer or number in after.held or clipped:
        return
    says = (
        f"{cited(first.place) or 'The clipping'}{in_line(first.place)} clips gradients that "
        f"{at_step(run, step)} has already used, for {named(run, step.grads)}. The next step is "
        f"{at_step(run, after)}, and nothing clips its gradients."
    )
    do = f"Clip the parameters that {after.name} holds: {named(run, after.grads)}."
    yield Fault("clipped_other", says, do)


def _measured(run: Run, step: Step) -> Iterator[Fault]:
    """What a step did to the weights that it holds, where that can't be meant."""
    if step.broken:
        says = (
            f"{at_step(run, step)} makes NaN or ∞ of {named(run, step.broken)}, which were finite "
            f"before. Their gradients are in the table."
        )
        eps = next((group.get("eps") for group in step.optimizer.param_groups), None)
        dtypes = {step.held[one].dtype for one in step.broken}
        vanishes = next((one for one in dtypes if eps and torch.tensor(eps, dtype=one) == 0), None)
        do = "Take a smaller learning rate, and clip the gradients."
        if vanishes is not None:
            do = f"eps={eps:g} is 0 in {str(vanishes).removeprefix('torch.')}, so 0 is divided by "
            do += "0. Keep the weights in float32, under autocast, or pass a larger eps."
        yield Fault("nonfinite_step", says, do)
    zero = {one for rate, group in step.rates if rate == 0 for one in group & step.still}
    if zero:
        by, scheduler = "", _scheduler(step.optimizer)
        if scheduler is not None:
            name, path = spelled(scheduler), step.place[0] if step.place else ""
            made = in_line(spelled_at(path, ast.Assign, "targets", name))
            by = f", which {name} ({type(scheduler).__name__}){made} sets,"
        says = (
            f"The learning rate{by} is 0 at {at_step(run, step)}, so this step leaves "
            f"{named(run, zero)} as they were.{_made(run, step.optimizer)}"
        )
        yield Fault("note", says)
    same = [one for one in run.optimizers.steps if one.optimizer is step.optimizer]
    still = set.intersection(*(one.still for one in same)) - zero
    if still and len(same) > 1 and step is same[-1]:
        yield _unmoved(run, step, still)
    if step.undone:
        group = step.optimizer.param_groups[0]
        by = " and ".join(
            f"{word}={group[word]:g}" for word in ("weight_decay", "momentum") if group.get(word)
        )
        says = (
            f"{at_step(run, step)} moves entries of {named(run, step.undone)} whose gradient the "
            f"program has set to 0{f', by {by}' if by else ''}.{_made(run, step.optimizer)} To "
            "keep them fixed, write their values back after the step."
        )
        yield Fault("note", says)


def _unmoved(run: Run, step: Step, still: set[int]) -> Fault:
    """Weights that have a gradient, and that no step of their optimizer has moved."""
    has, as_before = "have", "them as they were"
    if len(still) == 1:
        has, as_before = "has", "it as it was"
    says = f"{named(run, still)} {has} a gradient, and {at_step(run, step)} left {as_before}."
    module = type(step.optimizer).__module__
    first = next(one for one in run.optimizers.steps if one.optimizer is step.optimizer)
    is_alone = not step.grads - still  # it may wait for several gradients, or take turns
    waits = first.counts != step.counts or (is_alone and bool(step.optimizer.state))
    if module.startswith("torch.") or waits:
        return Fault("note", f"{says} Its learning rate may be too small for their dtype.")
    do = (
        "Write into the weight itself, in place: weight.add_(…). What .contiguous(), .flatten() or "
        "weight = weight - … give may be a copy, and the weight then stays."
    )
    return Fault("unmoved", says, do)


def _never(run: Run) -> Iterator[Fault]:
    """An optimizer that made no step in a whole program, while its weights got gradients."""
    seen, tensors = run.optimizers, {id(one): one for one in run.tensors.values()}
    for made in seen.made if run.ended else ():
        known = made.held & tensors.keys()
        marks = {one: mark for one in known if (mark := seen.first.get(one))}
        moved = any(mark.moved(tensors[one]) for one, mark in marks.items())
        if made.stepped or not marks or moved:
            continue
        count, where = run.watch.backwards, made.place
        name = "".join(assigned(where)[:1]) or attribute_at(where) or "the optimizer"
        call = spelled_at(where[0], ast.Call, "func", f"{name}.step") if where else None
        steps = (
            f"never steps, since {name}.step(){in_line(call)} never runs" if call else "never steps"
        )
        says = (
            f"{sentence_start(name)} ({made.kind}), made{in_line(where)}, {steps}: {run.name} "
            f"ended after {count:,} backward {'pass' if count == 1 else 'passes'}, and "
            f"{named(run, marks)} did not move."
        )
        do = f"Call {name}.step() after backward()."
        if call:
            do = f"Find the condition that {name}.step() waits for, and whether it is ever true."
        yield Fault("never_steps", says, do)


def _scheduler(optimizer: Optimizer) -> object | None:
    """The learning rate scheduler of an optimizer, if it has one."""
    kinds = torch.optim.lr_scheduler.LRScheduler
    found = (one for one in gc.get_objects() if issubclass(type(one), kinds))
    return next((one for one in found if vars(one).get("optimizer") is optimizer), None)


def _made(run: Run, optimizer: Optimizer) -> str:
    """ " The optimizer was made in train.py:7." """
    made = run.optimizers.made_of(optimizer)
    return f" The optimizer was made{in_line(made.place)}." if made and made.place else ""


def _left_over(run: Run, step: Step, used: dict[int, list[Event]]) -> Iterator[Fault]:
    """Gradients of another loss, whose optimizer has made its step, that were never cleared."""
    found: dict[int, tuple[Event, Step]] = {}
    for number, events in used.items():
        cleared = max((one.time for one in events if one.what == "cleared"), default=0)
        came = [one for one in _came(events) if one.time > cleared]
        for one in run.optimizers.steps if came and came[0].place != came[-1].place else ():
            if came[0].time < one.time < came[-1].time and one.optimizer is not step.optimizer:
                found.setdefault(number, (came[0], one))
    for came_first, other in list(found.values())[:1]:
        says = (
            f"{at_step(run, step)} uses the gradients of two losses for {named(run, found)}: "
            f"those that the loss{in_line(came_first.place)} left there before "
            f"{at_step(run, other)} were never cleared."
        )
        do = f"Call {step.name}.zero_grad() before the backward pass of its own loss."
        yield Fault("left_over", says, do)


def _came(events: list[Event]) -> list[Event]:
    return [one for one in events if one.what == "came"]


def _early(run: Run, step: Step) -> Iterator[Fault]:
    """A step without any gradient, which came afterwards; not where another step found one."""
    later = [run.optimizers.last(one, "came") for one in step.held]
    steps = run.optimizers.steps
    found = any(one.grads for one in steps if one.optimizer is step.optimizer)
    if not found and any(one and one.time > step.time for one in later):
        says = (
            f"{at_step(run, step)} runs before backward() brings {named(run, step.held)} a "
            "gradient."
        )
        yield Fault("step_before_backward", says, _ORDER)


def _not_held(run: Run) -> list[str]:
    """The weights that get a gradient, and that no optimizer holds."""
    held = run.optimizers.all_held() if run.optimizers.steps else set()
    return [
        name for name, one in run.gradients.items()
        if one.norm and isinstance(run.tensors[name], torch.nn.Parameter)
        and run.tensors[name].is_leaf and id(run.tensors[name]) not in held
        and name not in run.watch.leaves.strays
    ]  # fmt: skip


def dead(run: Run) -> dict[int, Step]:
    """The weights that an optimizer holds, by `id`, and that others seem to have replaced."""
    found: dict[int, Step] = {}
    left = _not_held(run)
    for step in run.optimizers.steps if left else ():
        unread = [
            number for number, one in step.held.items()
            if run.optimizers.last(number, "came") is None and one.requires_grad
            and run.watch.leaves.called(one) not in run.graph.consumers
        ]  # fmt: skip
        found |= dict.fromkeys(unread, step)
    return found


def _replaced(run: Run) -> Iterator[Fault]:
    """Weights that no optimizer holds, while one holds others that nothing reads any more."""
    seen, left, unread = run.optimizers, _not_held(run), dead(run)
    gets, them = "gets" if len(left) == 1 else "get", it_or_them(left)
    for step in {id(one.optimizer): one for one in seen.steps}.values() if left else ():
        count = sum(one.optimizer is step.optimizer for one in unread.values())
        if count:
            says = (
                f"{listed(left)} {gets} a gradient, and {step.name} ({step.kind}) does not hold "
                f"{them}, so {at_step(run, step)} never moves {them}. It holds "
                f"{counted(count, 'parameter')} that were replaced: no op has read them."
            )
            do = (
                f"Create {step.name} after the last change to the model, or add them: "
                f"{step.name}.add_param_group({{'params': …}})."
            )
            yield Fault("not_held", says, do, left[0])
            return
    if left and seen.steps:
        reads = run.graph.consumers.get(left[0], ())
        where = f", first read{in_line(reads[0].consumer.place)}," if reads else ""
        says = (
            f"{listed(left)}{where} {gets} a gradient, and no optimizer holds {them}. To train "
            f"{them}, add {them} to {seen.steps[0].name}; else read {them} under torch.no_grad()."
            f"{_made(run, seen.steps[0].optimizer)}"
        )
        yield Fault("note", says)


def _frozen(run: Run) -> Iterator[Fault]:
    """An optimizer all of whose parameters were frozen at each of its steps."""
    seen = run.optimizers
    moved = {
        id(one.optimizer) for one in seen.steps if any(map(_came, one.events.values())) or one.grads
    }
    last = {id(one.optimizer): one for one in seen.steps if id(one.optimizer) not in moved}
    for step in last.values():
        where = next((seen.frozen[one] for one in step.held if one in seen.frozen), None)
        if not any(one.requires_grad for one in step.held.values()):
            at = f", set{in_line(where)}" if where else ""
            says = (
                f"{at_step(run, step)} moves nothing: all {len(step.held)} parameters of "
                f"{step.name} ({step.kind}) have requires_grad=False{at}."
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
            f"previous step, through {name}, made{made}; {at_step(run, step)} has changed its "
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
