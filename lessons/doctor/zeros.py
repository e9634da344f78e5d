"""Why a gradient is 0 in every entry."""

from collections.abc import Iterator

import torch

from ..recorder import Edge, Node, Value
from ..recorder.recording.plain_tensor import unflat
from ..recorder.recording.variables import Where, assigned, in_line, line_of
from ..text import listed
from .flat import WRITES, slope_of, too_small, written_over
from .graph import zero
from .hooks import hook_on
from .run import Run
from .source import backward_of, cited
from .words import Fault, at, called, op_called, spelled

ROUNDINGS = 8
"""A sum that is smaller than so many roundings of its terms has cancelled."""


def zeros(run: Run) -> Iterator[Fault]:
    """A fault for each op that stops a gradient with zeros, and each place where paths cancel.

    What is usual is a note: a factor that starts at 0, a bias that cancels.
    """
    left = [name for name, one in run.gradients.items() if one.zero]
    if not left or run.spoiled:
        return
    first = [name for name in left if _in_first_step(run, name)]
    if first:
        says = f"The gradient of {_all_zero(first)} in the first step of time, whose state is 0."
        yield Fault("note", says)
    left = [name for name in left if name not in first]
    for both, names in _arms(run, left):
        left = [name for name in left if name not in names]
        yield both
    below = run.graph.after(left, live=True)
    stopped: dict[tuple[str, Where | str], tuple[Node, list[Edge], list[str]]] = {}
    order = run.recording.order
    for name in [*order, *(name for name in left if name not in set(order))]:
        node = run.recording.nodes.get(name)
        if node is None or name not in below:
            continue
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in below]
        told = None
        if zero(node.gradient):
            hit = [one for one in left if one in run.graph.before([name])]
            told = _hooked(run, node, hit) or _cancelled(run, node, hit)
        elif node.gradient is not None and ways and all(zero(one.offered) for one in ways):
            before = run.graph.before([edge.producer.name for edge in ways])
            hit = [one for one in left if one in before]
            told = _starting(run, node, ways, hit)
            if told is None:  # one line runs for several layers
                key = node.type, node.place or node.name
                stopped.setdefault(key, (node, ways, []))[2].extend(hit)
                left = [one for one in left if one not in hit]
        if told is not None and hit:
            left = [one for one in left if one not in hit]
            yield told
    yield from (_stopped(run, *one) for one in stopped.values() if one[2])
    if left:
        yield Fault("zero_gradient", f"The gradient of {_all_zero(left)}.", node=left[0])


def _in_first_step(run: Run, name: str) -> bool:
    """Whether a recurrent layer multiplied this weight by a state of zeros alone."""
    readers = [edge.consumer for edge in run.graph.consumers.get(name, ())]
    return "weight_hh" in name and all(
        any(edge.operand == 1 and zero(edge.value) for edge in one.operands) for one in readers
    )


def _all_zero(names: list[str]) -> str:
    return f"{listed(names)} is 0 in every entry"


def _arms(run: Run, zero_leaves: list[str]) -> Iterator[tuple[Fault, list[str]]]:
    """A fault for each op whose two operands cancel in several leaves, with these leaves."""
    graph, found = run.graph, dict[str, list[str]]()
    for name in zero_leaves:
        met = [one for one in graph.consumers.get(name, ()) if one.gradient is not None]
        if len(met) == 2 and not any(zero(one.gradient) for one in met):
            ways = [graph.after([one.consumer.name], live=True) for one in met]
            joint = next((one.name for one in run.recording if one.name in ways[0] & ways[1]), None)
            if joint is not None:
                found.setdefault(joint, []).append(name)
    for joint, names in found.items():
        node = run.recording.nodes[joint]
        both = [edge for edge in node.operands if edge.flows and edge.gradient is not None]
        if len(names) > 1 and len(both) == 2:
            yield _both_arms(run, node, both, names), names


def _both_arms(run: Run, node: Node, both: list[Edge], names: list[str]) -> Fault:
    paths = sorted((_path(edge.producer) for edge in both), key=lambda one: one[1])
    reader = run.graph.consumers[names[0]][0].consumer
    old = paths[0][0] if paths[0][0].isidentifier() else "old"
    says = (
        f"The gradient of {_all_zero(names)}: the paths through "
        f"{' and '.join(f'{name} in {place}' for name, place in paths)}, both of which read "
        f"{names[0]}{in_line(reader.place)}, meet at {node.type}{in_line(node.place)} and cancel."
    )
    do = (
        f"If one should be fixed, as the old log-probabilities of PPO, write {old} = "
        f"{old}.detach(), or compute it under torch.no_grad() before the weights change."
    )
    return Fault("zero_gradient", says, do, node.name)


def _path(node: Node) -> tuple[str, str]:
    """What one operand is called, in the outermost line that computed it, and that line."""
    for place in (node.caller, node.place):
        names = assigned(place)
        if names and names[0]:
            return names[0], line_of(place)
    return node.variable or cited(node.place) or called(node), line_of(node.place)


def rounding(run: Run) -> Iterator[Fault]:
    """A fault where paths cancel up to rounding, on every way to a leaf: what it gets is noise."""
    graph = run.graph
    leaves = [name for name, one in run.gradients.items() if one.norm]
    for node in run.recording:
        met = [edge for edge in graph.consumers.get(node.name, ()) if edge.gradient is not None]
        left = node.upstream[met[0].output] if len(met) > 1 else None
        if left is None or not _is_rounding(left, [edge.gradient for edge in met]):
            continue
        hit = [
            name for name in leaves
            if name == node.name or not run.ends & graph.after([name], True, without=node.name)
        ]  # fmt: skip
        told = _cancelled(run, node, hit, is_rounding=True) if hit else None
        if told is not None and told.kind != "note":
            yield told
            leaves = [name for name in leaves if name not in hit]


def _only_bias(run: Run, name: str, hit: list[str]) -> bool:
    """Whether a parameter alone cancels, and others of its module learn: as the last bias of a
    critic does, and the bias of the keys in attention.
    """
    module = name.rpartition(".")[0]
    return hit == [name] and bool(module) and any(
        one.norm and not one.zero for other, one in run.gradients.items()
        if other.rpartition(".")[0] == module and other != name
    )  # fmt: skip


def _hooked(run: Run, node: Node, hit: list[str]) -> Fault | None:
    """A tensor's hook that makes 0 of a gradient that is not."""
    edges = run.graph.consumers.get(node.name, ())
    met = [edge.gradient.numbers for edge in edges if edge.gradient]
    hook = hook_on(run, node)
    total = next((total for one in zip(*met, strict=True) if (total := sum(one))), None)
    if not hook or total is None:
        return None
    says = f"The gradient of {_all_zero(hit)}: {hook} makes 0 of the {spelled(total)} that came."
    do = "Let the hook return what it should be multiplied to, or None to leave it as it is."
    return Fault("zero_gradient", says, do, node.name)


def _is_rounding(left: Value, parts: list[Value | None]) -> bool:
    """Whether a sum is, at each entry, no larger than the rounding of what was added."""
    numbers = [one.numbers for one in parts if one is not None]
    dtype = getattr(torch, left.dtype)
    whole = len(left.numbers) == left.size and all(len(one) == left.size for one in numbers)
    if not (whole and dtype.is_floating_point and any(left.numbers)):
        return False
    eps = torch.finfo(dtype).eps
    return all(
        abs(total) <= ROUNDINGS * eps * max(map(abs, added))
        for total, *added in zip(left.numbers, *numbers, strict=True)
    )


def _cancelled(run: Run, node: Node, hit: list[str], is_rounding: bool = False) -> Fault | None:
    """Gradients that meet at `node`, each not 0, with a sum that is 0 everywhere, or rounding."""
    edges = run.graph.consumers.get(node.name, ())
    met = [edge for edge in edges if edge.gradient is not None and any(edge.gradient.numbers)]
    if len(met) < 2 or met[0].gradient is None:
        return None
    first = met[0].gradient
    place = next(place for place, one in enumerate(first.numbers) if one)
    index = unflat(place, first.shape)
    parts = [
        f"{spelled(edge.gradient.component(index))} from {op_called(run, edge.consumer)}"
        for edge in met if edge.gradient is not None
    ]  # fmt: skip
    what, noise = _all_zero(hit), ""
    if is_rounding:
        what = f"{listed(hit)} is rounding alone"
        noise = (
            " An optimizer such as Adam divides by the size of a gradient, and makes steps of it "
            "all the same."
        )
    return Fault(
        "note" if _only_bias(run, node.name, hit) else "zero_gradient",
        f"The gradient of {what}: {len(met)} paths meet at {called(node)} and cancel"
        f"{at(place, first)}: {listed(parts, 4)}.{noise}",
        f"The result stays as it is when {called(node)} changes a little: what one path adds, "
        "another takes away. A sum over one entry does so in x / x.sum(). Look whether it has the "
        "right axis, or .detach() one of the paths.",
        node.name,
    )


def _starting(run: Run, node: Node, ways: list[Edge], hit: list[str]) -> Fault | None:
    """A factor that is 0 everywhere and learns, as one half of LoRA does at its first step."""
    for edge in node.operands:
        factor = edge.producer
        while not factor.leaf and len(factor.operands) == 1:  # transposed, say
            factor = factor.operands[0].producer
        gradient = run.gradients.get(factor.name)
        if edge not in ways and gradient is not None and gradient.norm and zero(edge.value):
            says = (
                f"The gradient of {listed(hit)} is 0 while {factor.name} is 0, in "
                f"{op_called(run, node)}. {factor.name} itself has a gradient, so this ends with "
                "its first step, as in LoRA."
            )
            return Fault("note", says)
    return None


def _stopped(run: Run, node: Node, ways: list[Edge], hit: list[str]) -> Fault:
    written = _written(ways)
    if written is not None:
        because = f", for it reads the zeros that {op_called(run, written)} wrote"
        do = written_over(written)
    else:
        because, do = "", too_small(node, ways) or slope_of(run, node) or _own(node)
    says = (
        f"The gradient of {_all_zero(hit)}: {op_called(run, node)} sends nothing but zeros back to "
        f"{listed([called(edge.producer) for edge in ways])}{because}."
    )
    return Fault("zero_gradient", says, do, (written or node).name)


def _own(node: Node) -> str:
    """What to do about an `autograd.Function` of the program's own."""
    where = backward_of(node.type) if node.function == "apply" else ""
    return f"Look at what {node.type}.backward returns in {where}: it is 0." if where else ""


def _written(ways: list[Edge]) -> Node | None:
    """The op that wrote the zeros which every one of these operands holds."""
    found = None
    for edge in ways:
        node = edge.producer
        while zero(node.outputs[0]) and node.type not in WRITES and len(node.operands) == 1:
            node = node.operands[0].producer
        computed = any(one.producer.requires_grad for one in node.operands[1:])
        if node.type not in WRITES or computed or found not in (None, node):
            return None
        if not zero(node.outputs[0]):
            return None
        found = node
    return found
