"""Gradients that are clipped, cleared or added up at the wrong moment, or of what is frozen."""

from collections.abc import Iterator
from itertools import pairwise

import torch

from ..recorder import Node
from ..recorder.recording.variables import Where, in_line
from ..text import counted
from .graph import reached
from .optimizers import Event, Step
from .run import Run
from .source import attribute_at, cited, switched_off
from .steps import ORDER, names_of, step_called
from .words import Fault, called


def order(run: Run) -> Iterator[Fault]:
    """A fault for each way in which a step uses other gradients than intended."""
    told: set[tuple[str, str]] = set()
    for step in run.optimizers.steps:
        for fault in (*_clipped_early(step), *_wasted(run, step), *_left_over(run, step)):
            if (fault.kind, step.name) not in told:
                told.add((fault.kind, step.name))
                yield fault
    yield from _frozen(run)
    yield from _flagged(run)
    yield from _carried(run)


def _clipped_early(step: Step) -> Iterator[Fault]:
    """A call that clips before the gradients that the step uses have come."""
    for events in step.events.values():
        clips = [one for one in events if one.what == "clipped"]
        if clips and any(one.time > clips[-1].time for one in _came(events)):
            where = clips[-1].place
            says = (
                f"{cited(where) or 'The clipping'}{in_line(where)} runs before backward() brings "
                f"the gradients that {step_called(step)} uses, so it clips none of them."
            )
            do = f"Call it after backward() and before step(). {ORDER}"
            yield Fault("clipped_early", says, do)


def _wasted(run: Run, step: Step) -> Iterator[Fault]:
    """Gradients that were cleared unread, before a loss of the same line brought more."""
    hit = {number: where for number, one in step.events.items() for where in _cleared_unread(one)}
    for where in dict.fromkeys(hit.values()):
        says = (
            f"{cited(where) or 'zero_grad()'}{in_line(where)} clears gradients of "
            f"{names_of(run, hit)} unused: {step_called(step)} gets those of the last backward()."
        )
        do = "To add up the gradients of several batches, call zero_grad() after step() alone."
        yield Fault("cleared", says, do)


def _cleared_unread(events: list[Event]) -> Iterator[Where | None]:
    last = _came(events)[-1] if _came(events) else None
    for before, after in pairwise(events):
        is_unread = before.what == "came" and after.what == "cleared"
        is_same = last is not None and (before.place, before.by) == (last.place, last.by)
        if last and is_unread and is_same and after.time < last.time:
            yield after.place


def _left_over(run: Run, step: Step) -> Iterator[Fault]:
    """Gradients of another loss, whose optimizer has made its step, that were never cleared."""
    for events in step.events.values():
        cleared = max((one.time for one in events if one.what == "cleared"), default=0)
        came = [one for one in _came(events) if one.time > cleared]
        others = [
            one for one in run.optimizers.steps
            if came and came[0].time < one.time < came[-1].time and one.name != step.name
        ]  # fmt: skip
        if others and came[0].place != came[-1].place:
            says = (
                f"{step_called(step)} uses the gradients of two losses for "
                f"{names_of(run, step.events)}: those that the loss{in_line(came[0].place)} left "
                f"there before {step_called(others[0])} were never cleared."
            )
            do = f"Call {step.name}.zero_grad() before the backward pass of its own loss."
            yield Fault("left_over", says, do)


def _came(events: list[Event]) -> list[Event]:
    return [one for one in events if one.what == "came"]


def _frozen(run: Run) -> Iterator[Fault]:
    """An optimizer all of whose parameters were frozen at each of its steps."""
    seen = run.optimizers
    for name, step in {one.name: one for one in seen.steps}.items():
        where = next((seen.frozen[one] for one in step.held if one in seen.frozen), None)
        moved = any(one.grads or one.cleared for one in seen.steps if one.name == name)
        if not moved and not any(one.requires_grad for one in step.held.values()):
            says = (
                f"{step_called(step)} moves nothing: all {len(step.held)} parameters of {name} "
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
    before = (run.recording.nodes[name] for name in _live_before(run, node.name))
    of = [run.recording.tensors[one.name][0] for one in before if one.leaf and one.requires_grad]
    name, made = attribute_at(node.place) or called(node), in_line(node.place)
    if any(id(one) in step.held for one in of):
        says = (
            f"backward(){in_line(run.recording.passes[-1].place)} goes on into the graph of the "
            f"step before, through {name}, made{made}; {step_called(step)} has changed its "
            "weights since."
        )
        yield Fault("carried", says, f"Detach it for the next step: {name} = {name}.detach().")
    elif of and all(isinstance(one, torch.nn.Parameter) for one in of) and not (
        run.optimizers.all_held().intersection(map(id, of))
    ):  # fmt: skip
        says = (
            f"{name} is no leaf and no parameter: {node.type}{made} made it, once, of an "
            "nn.Parameter that no optimizer holds."
        )
        yield Fault("no_leaf", says, "Convert first: nn.Parameter(torch.ones(3).to(…)).")


def _bridge(run: Run, step: Step) -> Node | None:
    """The last op before a step whose graph the last pass goes back through, from later ops."""
    nodes, last = [*run.recording], run.recording.passes[-1:]
    if not last or last[0].before <= step.count:
        return None
    now = _live_before(run, last[0].node)
    old = {one.name for one in nodes[: step.count]} & now
    consumers = run.graph.consumers
    return next(
        (
            one for one in reversed(nodes[: step.count])
            if one.name in old and not run.recording.tensors[one.name][0].is_leaf
            and any(edge.consumer.name in now - old for edge in consumers.get(one.name, ()))
        ),
        None,
    )  # fmt: skip


def _live_before(run: Run, name: str) -> set[str]:
    """This node, and all that a gradient goes on to from there."""
    nodes = run.recording.nodes
    return reached([name], lambda one: (e.producer.name for e in nodes[one].operands if e.flows))
