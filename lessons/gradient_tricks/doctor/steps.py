"""What a step of an optimizer uses and does: gradients that were cleared, added up or clipped at
the wrong moment, and weights that don't move as meant.
"""

import ast
import gc
from collections.abc import Iterator
from itertools import pairwise

import torch
from torch.optim import Optimizer

from ..recorder import Where, in_line
from .leaves import spelled
from .optimizers import Event, Step, came
from .run import Run
from .source import callee, cited, is_statement, spelled_at
from .words import WORDS, Fault, at_step, made_at, named

_ORDER = WORDS("order")


def steps(run: Run) -> Iterator[Fault]:
    """Yield a fault for each step that uses the wrong gradients, or moves weights as nobody means.

    Of several like it, the first of each optimizer.
    """
    for name, place in run.optimizers.copies:
        if is_statement(place) and callee(place) == name:
            text = cited(place)
            says = f"{text}{in_line(place)} gives a new tensor, and nothing reads it."
            of = text.removesuffix(text[text.rfind(f".{name}(") :])
            do = WORDS("write_or_in_place", of=of, call=text, method=name)
            yield Fault("thrown_away", says, do, where=place)
    found: set[tuple[str, int]] = set()
    for step in run.optimizers.steps:
        number = id(step.optimizer)
        for fault in (*_misused(run, step), *_measured(run, step)):
            kind = fault.kind if fault.kind != "note" else fault.says
            kind = "not_cleared" if kind == "left_over" else kind  # one call mends both
            if not found & {(kind, number), ("step_before_backward", number)}:
                found.add((kind, number))
                yield fault


def _misused(run: Run, step: Step) -> Iterator[Fault]:
    """Gradients that were cleared, added up or clipped at the wrong moment before this step."""
    if not step.grads and not step.came:
        yield from _early(run, step)
        return
    used = {one: step.events[one] for one in step.grads or step.held}
    unused = {
        number: where for number, one in used.items()
        for where in _unused(one, others_came=bool(step.grads))
    }  # fmt: skip
    if unused and not step.has_closure:
        where = next(iter(unused.values()))
        call = f"{cited(where) or 'zero_grad()'}{in_line(where)}"
        says = WORDS("cleared", call=call, names=named(run, unused), step=at_step(run, step))
        do = WORDS("clear_after") if step.grads else f"{WORDS('move_zero_grad')} {_ORDER}"
        yield Fault("cleared", says, do)
    elif step.kept:
        says = WORDS("not_cleared", step=at_step(run, step), names=named(run, step.grads))
        yield Fault("not_cleared", says, f"{WORDS('call_zero_grad', name=step.name)} {_ORDER}")
    for number, events in used.items():
        yield from list(_clipped_after(run, step, number)) or _clipped(run, step, events)
    if not step.has_closure:
        yield from _left_over(run, step, used)


def _unused(events: list[Event], others_came: bool) -> Iterator[Where | None]:
    """Find where an unused gradient was cleared: the last one, or one of the same loss."""
    arrived = came(events)
    for before, after in pairwise(events):
        is_last = bool(arrived) and after.time > arrived[-1].time
        is_same = before.what == "came" and before[2:4] == arrived[-1][2:4] and not is_last
        if after.what == "cleared" and (is_same if others_came else is_last):
            yield after.place


def _clipped(run: Run, step: Step, events: list[Event]) -> Iterator[Fault]:
    """A call that clips before the gradients come, or before a GradScaler has unscaled them."""
    clips = [one for one in events if one.what == "clipped"]
    later = {one.what for one in events if clips and one.time > clips[-1].time}
    arrived = came(events)
    early = arrived and clips and arrived[0].time > clips[-1].time  # else it clips each microbatch
    if not early and "unscaled" not in later:
        return
    where = clips[-1].place
    clipping = f"{cited(where) or 'The clipping'}{in_line(where)}"
    if early and not step.has_closure:
        says = WORDS("clipped_early", call=clipping, step=at_step(run, step))
        yield Fault("clipped_early", says, f"{WORDS('call_between')} {_ORDER}")
    elif "unscaled" in later:
        says = WORDS("clipped_scaled", call=clipping)
        yield Fault("clipped_scaled", says, WORDS("unscale_before", name=step.name))


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
    says = WORDS(
        "clipped_other",
        call=f"{cited(first.place) or 'The clipping'}{in_line(first.place)}",
        step=at_step(run, step),
        names=named(run, step.grads),
        next=at_step(run, after),
    )
    do = WORDS("clip_those", name=after.name, names=named(run, after.grads))
    yield Fault("clipped_other", says, do)


def _left_over(run: Run, step: Step, used: dict[int, list[Event]]) -> Iterator[Fault]:
    """Gradients of another loss, whose optimizer has made its step, that were never cleared."""
    found: dict[int, tuple[Event, Step]] = {}
    for number, events in used.items():
        cleared = max((one.time for one in events if one.what == "cleared"), default=0)
        left = [one for one in came(events) if one.time > cleared]
        for one in run.optimizers.steps if left and left[0].place != left[-1].place else ():
            if left[0].time < one.time < left[-1].time and one.optimizer is not step.optimizer:
                found.setdefault(number, (left[0], one))
    for came_first, other in list(found.values())[:1]:
        says = WORDS(
            "left_over",
            step=at_step(run, step),
            names=named(run, found),
            where=in_line(came_first.place),
            other=at_step(run, other),
        )
        yield Fault("left_over", says, WORDS("clear_before_own_loss", name=step.name))


def _early(run: Run, step: Step) -> Iterator[Fault]:
    """A step without any gradient, which came afterwards; not where another step found one."""
    later = [run.optimizers.last(one, "came") for one in step.held]
    steps = run.optimizers.steps
    found = any(one.grads for one in steps if one.optimizer is step.optimizer)
    if not found and any(one and one.time > step.time for one in later):
        says = WORDS("stepped_early", step=at_step(run, step), names=named(run, step.held))
        yield Fault("step_before_backward", says, _ORDER)


def _measured(run: Run, step: Step) -> Iterator[Fault]:
    """Find what a step did to its weights that can't be intended."""
    if step.broken:
        says = WORDS("nonfinite_step", step=at_step(run, step), names=named(run, step.broken))
        eps = next((group.get("eps") for group in step.optimizer.param_groups), None)
        dtypes = {step.held[one].dtype for one in step.broken}
        vanishes = next((one for one in dtypes if eps and torch.tensor(eps, dtype=one) == 0), None)
        do = WORDS("smaller_rate")
        if vanishes is not None:
            dtype = str(vanishes).removeprefix("torch.")
            do = WORDS("eps_is_0", eps=f"{eps:g}", dtype=dtype)
        yield Fault("nonfinite_step", says, do)
    zero = {one for rate, group in step.rates if rate == 0 for one in group & step.still}
    if zero:
        by, scheduler = "", _scheduler(step.optimizer)
        if scheduler is not None:
            name, path = spelled(scheduler), step.place[0] if step.place else ""
            made = in_line(spelled_at(path, ast.Assign, "targets", name))
            by = f", which {name} ({type(scheduler).__name__}){made} sets,"
        says = WORDS("rate_is_0", by=by, step=at_step(run, step), names=named(run, zero))
        yield Fault("note", f"{says}{made_at(run, step.optimizer)}")
    same = [one for one in run.optimizers.steps if one.optimizer is step.optimizer]
    still = set.intersection(*(one.still for one in same)) - zero
    if still and len(same) > 1 and step is same[-1]:
        yield _unmoved(run, step, still)
    if step.undone:
        group = step.optimizer.param_groups[0]
        words = [one for one in ("weight_decay", "momentum") if group.get(one)]
        words = words or [one for one in group if one == "betas"]
        by = " and ".join(f"{word}={group[word]}" for word in words)
        at, made = at_step(run, step), made_at(run, step.optimizer)
        frozen = {one for one in step.undone if not step.held[one].requires_grad}
        if frozen:
            by = f", and {by} moves them" if by else ""
            says = WORDS("frozen_moves", step=at, names=named(run, frozen), by=by)
            yield Fault("frozen_moves", f"{says}{made}", WORDS("grad_to_none"))
        else:
            by = f", by {by}" if by else ""
            says = WORDS("zeros_move", step=at, names=named(run, step.undone), by=by)
            yield Fault("note", f"{says}{made} {WORDS('write_back')}")


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
        return Fault("note", f"{says} {WORDS('rate_too_small')}")
    return Fault("unmoved", says, WORDS("write_in_place"))


def _scheduler(optimizer: Optimizer) -> object | None:
    """The learning rate scheduler of an optimizer, if it has one."""
    kinds = torch.optim.lr_scheduler.LRScheduler
    found = (one for one in gc.get_objects() if issubclass(type(one), kinds))
    return next((one for one in found if vars(one).get("optimizer") is optimizer), None)
