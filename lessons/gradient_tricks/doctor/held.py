"""Weights that can't train: no optimizer holds them, they are frozen, they are no leaves, or their
optimizer never steps.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise

import torch

from ..recorder import Node, Where, assigned, in_line
from ..recorder.recording.torch_calls import op_type_of_node
from ..recorder.recording.wiring import node_name
from ..text import counted, listed
from .leaves import spelled
from .optimizers import Made, Step
from .run import Run
from .source import attribute_at, spelled_at, switched_off
from .words import WORDS, Fault, at_step, called, it_or_them, made_at, named, sentence_start


def weights_that_stay(run: Run) -> Iterator[Fault]:
    """Yield a fault for each reason why weights with a gradient, or that should have one, stay."""
    for tensor, place in run.optimizers.read.values():
        yield _no_leaf(run, tensor, place)
    yield from _never(run)
    yield from _replaced(run)
    yield from _frozen(run)
    yield from _flagged(run)
    yield from _carried(run)


def _waiting(run: Run) -> Iterator[tuple[Made, str, list[int]]]:
    """The optimizers that made no step, their names, and their weights that got a gradient."""
    seen, tensors = run.optimizers, {id(one): one for one in run.tensors.values()}
    for made in seen.made if not seen.unseen else ():
        known = made.held & tensors.keys()
        marks = {one: mark for one in known if (mark := seen.first.get(one))}
        moved = any(mark.moved(tensors[one]) for one, mark in marks.items())
        if not made.stepped and not moved:  # not by a step that the program has replaced
            alive, name = made.optimizer(), "".join(assigned(made.place)[:1])
            name = name or attribute_at(made.place) or (spelled(alive) if alive else "")
            yield made, name or "the optimizer", [*marks]


def idle(run: Run) -> list[str]:
    """Say which optimizers made no step so far, first; then whose gradients no step has used."""
    seen, names, unused = run.optimizers, list[str](), list[str]()
    read = {id(run.tensors[one]) for one in run.idle}
    still = seen.idle() if run.watch.is_script else read  # a file may have more than its function
    for made, name, got in _waiting(run):
        mine = made.held & still
        if mine and not (run.ended and got):  # else it is a fault
            names.append(f"{name} ({made.kind}, made{in_line(made.place)})")
            changes = [[e.what for e in seen.events.get(one, ()) if e.is_change] for one in mine]
            count = max(sum(two == ("came", "cleared") for two in pairwise(one)) for one in changes)
            if count > 1 and seen.steps:
                unused.append(WORDS("unused", made=names[-1], count=f"{count:,}", name=name))
    if run.idle and not names:  # of an optimizer that was there before
        names.append(f"the optimizer of {listed(run.idle)}")
    longer = seen.steps and not run.is_whole
    more = f" {WORDS('watch_longer', steps=f'{10 * run.watch.limit}')}" if longer else ""
    return [f"{WORDS('idle', names=listed(names, 4))}{more}", *unused] if names else []


def _never(run: Run) -> Iterator[Fault]:
    """An optimizer that made no step in a whole program, while its weights got gradients."""
    for made, name, got in _waiting(run) if run.ended else ():
        if not got:
            continue
        count, where = run.watch.backwards, made.place
        call = spelled_at(where[0], ast.Call, "func", f"{name}.step") if where else None
        says = WORDS(
            "never_steps",
            made=f"{sentence_start(name)} ({made.kind}), made{in_line(where)}",
            since=f", since {name}.step(){in_line(call)} never runs" * bool(call),
            program=run.name,
            passes=WORDS.counted("backward_passes", count),
            names=named(run, got),
        )
        do = WORDS("find_condition", name=name) if call else WORDS("call_step", name=name)
        yield Fault("never_steps", says, do)


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
            words = {"names": listed(left), "gets": gets, "them": them, "step": at_step(run, step)}
            whose, others = f"{step.name} ({step.kind})", counted(count, "parameter")
            says = WORDS("not_held", whose=whose, others=others, **words)
            yield Fault("not_held", says, WORDS("create_after", name=step.name), left[0])
            return
    if left and seen.steps:
        reads = run.graph.consumers.get(left[0], ())
        where = f", first read{in_line(reads[0].consumer.place)}," if reads else ""
        words = {"names": listed(left), "gets": gets, "them": them, "name": seen.steps[0].name}
        says = WORDS("held_by_none", where=where, **words)
        yield Fault("note", f"{says}{made_at(run, seen.steps[0].optimizer)}")


def _frozen(run: Run) -> Iterator[Fault]:
    """An optimizer all of whose parameters were frozen at each of its steps."""
    seen = run.optimizers
    moved = {id(one.optimizer) for one in seen.steps if one.came or one.grads}
    last = {id(one.optimizer): one for one in seen.steps if id(one.optimizer) not in moved}
    for step in last.values():
        where = next((seen.frozen[one] for one in step.held if one in seen.frozen), None)
        if not any(one.requires_grad for one in step.held.values()):
            at, whose = f", set{in_line(where)}" if where else "", f"{step.name} ({step.kind})"
            count = f"{len(step.held)}"
            says = WORDS("all_frozen", step=at_step(run, step), count=count, whose=whose, at=at)
            yield Fault("frozen", says, WORDS("unfreeze_before"))


def _flagged(run: Run) -> Iterator[Fault]:
    """A module on which requires_grad was set as if it were a tensor."""
    for name, module in run.modules.items():
        train = sum(one.requires_grad for one in module.parameters())
        if vars(module).get("requires_grad") is False and train:
            where = switched_off({node.place[0] for node in run.recording if node.place})
            count = counted(train, "parameter")
            says = WORDS("module_flag", where=in_line(where), name=name, count=count)
            yield Fault("module_flag", says, f"Call {name}.requires_grad_(False).")


def _carried(run: Run) -> Iterator[Fault]:
    """A tensor computed before the first step, which the last pass goes back through."""
    step = next(iter(run.optimizers.steps), None)
    node = None if step is None or run.error is not None else _bridge(run, step)
    if node is None or step is None:
        return
    before = map(run.recording.nodes.__getitem__, run.graph.before([node.name], flowing=True))
    of = [run.recording.tensors[one.name][0] for one in before if one.leaf and one.requires_grad]
    name, made = attribute_at(node.place) or called(node), in_line(node.place)
    if any(id(one) in step.held for one in of):
        where = in_line(run.recording.passes[-1].place)
        says = WORDS("carried", where=where, name=name, made=made, step=at_step(run, step))
        yield Fault("carried", says, WORDS("detach_for_next", name=name))
    elif of and all(isinstance(one, torch.nn.Parameter) for one in of) and not (
        run.optimizers.all_held().intersection(map(id, of))
    ):  # fmt: skip
        says = WORDS("made_once", name=name, op=f"{node.type}{made}")
        yield Fault("no_leaf", says, WORDS("convert_first"))


def _bridge(run: Run, step: Step) -> Node | None:
    """The last op before a step whose graph the last pass goes back through, from later ops."""
    tensors = run.recording.tensors
    if not run.recording.passes or run.recording.passes[-1].before <= step.count:
        return None
    nodes: list[Node] = [*run.recording][: step.count]
    now = run.graph.before([run.recording.passes[-1].node], flowing=True)
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
    do = WORDS("make_a_leaf", name=name)
    made_of = [edge.producer for edge in node.operands]
    made_of += [edge.producer for one in made_of for edge in one.operands]
    if any(one.type == "grad" for one in made_of):
        do = WORDS("change_leaf_in_place", name=name)
    says = WORDS("no_leaf", name=name, op=f"{op}{in_line(born)}", read=in_line(place))
    return Fault("no_leaf", says, do, node.name)
