"""Why a leaf got no gradient: what was never read, and where its numbers left autograd."""

from collections.abc import Iterator

import torch

from ..recorder import Node, Value
from ..recorder.recording.nodes import Left
from ..recorder.recording.variables import in_line, line_of
from ..text import counted, listed
from .copies import copies
from .graph import Graph, it_or_them
from .source import is_statement
from .stops import Stop, called, left_by, stop
from .watch import Run

Told = tuple[str, str, str, str | None]
"""The fields of a `Fault`."""

RETURN = "Return the tensor itself, and use .item() for printing alone."


def cuts(run: Run, graph: Graph) -> Iterator[Told]:
    """A fault for each reason why leaves that want a gradient have none."""
    if run.refused or run.failed:
        return
    meant, waiting = copies(run, graph, ends(run)), run.watch.optimizers.idle()
    idle = {name for name, one in run.watch.leaves.tensors.items() if id(one) in waiting}
    missing = [
        name
        for name, one in run.gradients.items()
        if one.norm is None and name not in meant and name not in idle and not _moved(run, name)
    ]
    known = {*graph.consumers, *ends(run), *(one.node for one in run.recording.left)}
    unread = [name for name in missing if name not in known]
    read = [name for name in missing if name not in unread]
    told = list(_cut(run, graph, read)) if read else []
    # A weight is not read any more where a copy has taken its place.
    copied = {node for kind, *_, node in told if kind == "copied"}
    instead = {
        node.outputs[0].shape for node in run.recording
        if node.type == "Parameter" or node.name in copied
    }  # fmt: skip
    unread = [name for name in unread if run.gradients[name].shape not in instead]
    if unread:
        opaque = run.watch.hidden
        hidden = f", save perhaps one that was not seen: {opaque[:1].lower()}{opaque[1:]}" * (
            opaque != ""
        )
        yield (
            "unused",
            f"{listed(unread)} got no gradient: no op of the forward pass reads "
            f"{it_or_them(unread)}{hidden}.",
            "Call the layer that owns it, or take it out; DistributedDataParallel stops on such.",
            next((name for name in unread if name in run.recording.nodes), None),
        )
    if run.result is not None and not run.gradients and not _wanting(run):
        yield _nothing_wanted(run)
    yield from _not_registered(run, graph)
    yield from _dropped(run, graph)
    yield from told
    if run.result is None and not told:
        yield _not_a_tensor(run)
    elif read and not told and ends(run) & graph.after(read, live=True):
        yield _kept_back(run, graph, read)
    elif read and not told:
        yield (
            "no_path",
            f"{listed(read)} got no gradient: the result is made without {it_or_them(read)}.",
            "Look whether the right tensor is returned.", run.recording.nodes[read[0]].name,
        )  # fmt: skip


def _nothing_wanted(run: Run) -> Told:
    """Nothing requires a gradient: where parameters were frozen, and how the last ones train."""
    if not run.frozen:
        return (
            "nothing_wanted", "No input and no parameter wants a gradient: requires_grad is False "
            "for all of them.", "Set requires_grad=True on what is trained.", None,
        )  # fmt: skip
    last = run.frozen[-1].rpartition(".")[0]
    roots = [*run.watch.leaves.modules]
    where = line_of(run.frozen_at)
    return (
        "nothing_wanted",
        f"All {len(run.frozen)} parameters of {listed(roots) or run.name} have "
        f"requires_grad=False{', set in ' + where if where else ''}, so the loss has no graph.",
        f"Unfreeze what should train, {last or run.name}.requires_grad_(True) for "
        "instance; a new head belongs after the line that freezes.",
        None,
    )


def _moved(run: Run, name: str) -> bool:
    """Whether the program changed a leaf itself: an average, or a weight whose gradient it set."""
    node = run.recording.nodes.get(name)
    if node is None:
        return False
    tensor, steps = run.watch.leaves.tensors[name], run.watch.optimizers.steps
    if any(id(tensor) in one.held for one in steps):
        return any(id(tensor) in one.grads for one in steps)
    return not node.outputs[0].same_as(Value.of(tensor))


def ends(run: Run) -> set[str]:
    """The nodes from which the program goes backward."""
    return {one.node for one in run.recording.passes}


def _wanting(run: Run) -> bool:
    """Whether anything that was read wants a gradient, be it no input and no parameter."""
    return any(node.requires_grad for node in run.recording)


def _cut(run: Run, graph: Graph, read: list[str]) -> Iterator[Told]:
    """A fault for each place that cuts the way to these leaves."""
    live = graph.after(read, live=True)
    wanted = graph.before(ends(run))
    stopping = graph.ends(live)
    found: dict[tuple[str, str], tuple[Stop, list[str], list[str]]] = {}
    for node in stopping:
        if node.name not in wanted:
            continue
        why = stop(run, graph, node, live)
        place = line_of(why.where) or node.name
        hit = graph.before([node.name])
        _, nodes, names = found.setdefault((why.kind, place), (why, [], []))
        nodes.append(node.name)
        names += [name for name in read if name in hit and name not in names]
    fresh = _fresh_leaves(run, graph)
    for why, nodes, names in found.values():
        after = graph.after(nodes)
        hiding = [one for one in fresh if one.name in after and "new leaf" not in why.says]
        fresh = [one for one in fresh if one.name not in after]
        yield why.kind, f"{_none(names)}: {why.says}{_hidden(run, hiding)}", why.do, nodes[0]
    reached = graph.after([*live, *(one.name for one in stopping)])
    left_torch = _culprits(run, reached, bool(found))
    for left in left_torch:
        yield _left(run, left, [name for name in read if name in graph.before([left.node])])
    for node in fresh if not found and not left_torch else ():
        yield (
            "fresh_leaf",
            f"{sentence_start(called(node))} is a new leaf with requires_grad=True"
            f"{first_read(graph, node)}: backward() runs without an error, and the gradient ends "
            f"there. {_none(read)}.",
            "Take requires_grad=True away again, and find what cut the graph before it.",
            node.name,
        )


def leaves_before(run: Run, graph: Graph, node: str) -> list[str]:
    """The leaves that want a gradient and that a node is made of."""
    before = graph.before([node])
    return [name for name in run.gradients if name in before]


def _none(names: list[str]) -> str:
    return f"{listed(names)} {'gets' if len(names) == 1 else 'get'} no gradient"


def _hidden(run: Run, fresh: list[Node]) -> str:
    """That requires_grad=True hides a cut."""
    if not fresh:
        return ""
    place = in_line(run.recording.turned.get(fresh[0].name))
    return (
        f" requires_grad=True{place} makes {called(fresh[0])} a new leaf, so backward() runs "
        "without an error and ends there."
    )


def first_read(graph: Graph, node: Node) -> str:
    readers = graph.consumers.get(node.name, [])
    where = line_of(readers[0].consumer.place) if readers else ""
    return f", first read in {where}" if where else ""


def _not_registered(run: Run, graph: Graph) -> Iterator[Told]:
    """Parameters that a module reads and does not know: layers in a plain list, say."""
    if not run.watch.leaves.strays:
        return
    held, tensors = run.watch.optimizers.all_held(), run.watch.leaves.tensors
    strange = [
        name for name in run.watch.leaves.strays
        if name in graph.consumers and id(tensors[name]) not in held
        and name in run.gradients and run.gradients[name].norm
    ]  # fmt: skip
    if strange:
        reader = graph.consumers[strange[0]][0].consumer
        root = run.module_of(reader.name).partition(".")[0]
        calls = [one.path for one in run.calls if one.first <= 0] or [root]
        owner = run.name if run.is_model else calls[0]
        yield (
            "not_registered",
            f"{counted(len(strange), 'parameter')} that {owner} reads "
            f"{'is' if len(strange) == 1 else 'are'} not among its parameters(), the first "
            f"{strange[0]} in {reader.type}{in_line(reader.place)}: no optimizer moves "
            f"{it_or_them(strange)}.",
            "Keep layers in nn.ModuleList or nn.ModuleDict, not in a plain list or dictionary."
            if isinstance(tensors[strange[0]], torch.nn.Parameter)
            else f"Register it, as in {strange[0]} = nn.Parameter(torch.randn(3) * 0.1): a plain "
            "tensor is no parameter of a module, nor is what was computed from one.",
            strange[0],
        )


def _dropped(run: Run, graph: Graph) -> Iterator[Told]:
    """A `.detach()` that is a statement of its own: nothing reads what it gives."""
    for node in run.recording:
        if node.type == "stop_gradient" and node.operands and is_statement(node.place):
            read = node.operands[0].producer
            if read.requires_grad and node.name not in graph.consumers and read.reached:
                yield (
                    "dropped",
                    f"{called(read)}.detach() in {line_of(node.place)} gives a new tensor, and "
                    f"nothing reads it: {called(read)} keeps its graph, and a gradient goes on "
                    "through it.",
                    f"Write {called(read)} = {called(read)}.detach() to stop it there, or take the "
                    "line out.",
                    node.name,
                )  # fmt: skip


def _kept_back(run: Run, graph: Graph, read: list[str]) -> Told:
    """A path leads to the result, but an op on it sent nothing: its backward gave None."""
    on_it = graph.after(read, live=True)
    for name in run.recording.order:
        node = run.recording.nodes[name]
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in on_it]
        if ways and not any(edge.offered for edge in ways):
            return (
                "no_gradient_sent",
                f"{listed(read)} got no gradient: a gradient came to {node.type}"
                f"{in_line(node.place)}, and its backward sent None on.",
                "Return a gradient for each input from that Function's backward.",
                node.name,
            )
    return ("no_path", f"{listed(read)} got no gradient, though a path leads to the result.",
            "", read[0])  # fmt: skip


def _not_a_tensor(run: Run) -> Told:
    if not run.returned:
        hidden = run.watch.hidden
        seen = f" was seen; {hidden[:1].lower()}{hidden[1:]} is opaque here" if hidden else " ran"
        return (
            "no_pass", f"{run.name} ended and no backward pass{seen}, so there is no gradient to "
            "look at.", "Leave that out while it is watched." if hidden
            else "Let it run to its first loss.backward(): fewer data, say.", None,
        )  # fmt: skip
    return (
        "no_tensor",
        f"{run.name} returned {run.returned}; a tensor is expected, to go backward from.",
        RETURN, None,
    )  # fmt: skip


def _fresh_leaves(run: Run, graph: Graph) -> list[Node]:
    """Leaves that want a gradient and were made on the way, by `requires_grad=True`."""
    tensors, wanted = run.recording.tensors, ends(run)
    known = {*run.gradients, *run.frozen, *run.given}
    old = {id(one) for name in known for one in tensors.get(name, ())}
    return [
        node for node in run.recording
        if node.requires_grad and (node.leaf or node.name in run.recording.gradients)
        and id(tensors[node.name][0]) not in old
        and wanted & graph.after([node.name], live=True)
    ]  # fmt: skip


def sentence_start(text: str) -> str:
    """A word of ours with a capital; a name of the program's stays as it is."""
    return text.capitalize() if " " in text else text


def _left(run: Run, left: Left, hit: list[str]) -> Told:
    node = run.recording.nodes[left.node]
    call, at = left_by(left), in_line(left.place)
    if "Tensor(" in call:
        return (
            "copied", f"{_none(hit)}: {call}{at} copies the numbers into a new tensor, and torch "
            f"knows no link{_came_back(run, left)}.",
            "torch.stack or torch.cat joins tensors and keeps their graph.", left.node,
        )  # fmt: skip
    numpy = left.call in ("numpy", "__array__")
    return (
        "numpy" if numpy else "item",
        f"{_none(hit)}: {call} on {called(node)}{at} hands plain "
        f"{'numbers to numpy' if numpy else 'numbers to Python'}, where autograd does not follow"
        f"{_came_back(run, left)}.",
        "Compute it with torch's own functions." if numpy else RETURN,
        left.node,
    )


def _culprits(run: Run, reached: set[str], told: bool) -> list[Left]:
    """Of the numbers that left torch, those whose leaving explains the missing gradient.

    The last ones where nothing but numbers was returned; else those that came back as they were;
    else, where nothing explains it yet, the last before a constant that was read afterwards.
    """
    left = [one for one in run.recording.left if one.node in reached]
    if run.result is None:
        return left[-1:]
    exact = [one for one in left if _same(run, one)]
    if exact or told:
        return exact[-1:]
    return [one for one in left[-1:] if _after(run, one)]


def _same(run: Run, left: Left) -> list[Node]:
    """Leaves met afterwards that hold these very numbers; of a single number, among others."""
    numbers = left.value.numbers
    single = len(numbers) == 1
    return [
        node for node in _after(run, left)
        if node.outputs[0].same_as(left.value) or (single and numbers[0] in node.outputs[0].numbers)
    ]  # fmt: skip


def _after(run: Run, left: Left) -> list[Node]:
    """Leaves that were met after the numbers left."""
    return [node for node in list(run.recording)[left.count :] if node.leaf]


def _came_back(run: Run, left: Left) -> str:
    """The constant that the numbers came back as, or that they were returned."""
    if run.result is None:
        return f"; {run.name} returned {run.returned}"
    same = _same(run, left)
    if same:
        what = (
            "as a new leaf with requires_grad=True, so backward() runs without an error"
            if same[0].requires_grad else "and torch takes it for a constant"
        )  # fmt: skip
        return f"; {called(same[0])} came back from there, {what}"
    return f"; {called(_after(run, left)[0])} was read afterwards, and torch knows no link"
