"""Why a leaf got no gradient: what was never read, and where its numbers left autograd."""

from collections.abc import Iterator

import torch

from ..recorder import Node, Value
from ..recorder.recording.nodes import Left
from ..recorder.recording.variables import in_line, line_of
from ..text import counted, listed
from .copies import copies
from .run import Run
from .source import backward_of, callee, is_statement
from .stops import left_by, stop
from .words import Fault, called, get_none, it_or_them, sentence_start

RETURN = "Return the tensor itself, and use .item() for printing alone."


def cuts(run: Run) -> Iterator[Fault]:
    """A fault for each reason why leaves that want a gradient have none; a note where it is meant.

    What ran before an error says nothing of a gradient that is missing.
    """
    if run.broke_off:
        return
    meant = copies(run)
    yield from (Fault("note", says) for says in dict.fromkeys(meant.values()))
    missing = [
        name
        for name, one in run.gradients.items()
        if one.norm is None and not (name in meant or name in run.idle or _moved(run, name))
    ]
    known = {*run.graph.consumers, *run.ends, *(one.node for one in run.recording.left)}
    read = [name for name in missing if name in known]
    told = list(_cut(run, read)) if read else []
    yield from _unused(run, [name for name in missing if name not in known], told)
    live = any(node.requires_grad for node in run.recording)  # no input and no parameter, perhaps
    if run.result is not None and not run.gradients and not live:
        yield _nothing_wanted(run)
    yield from _not_registered(run)
    yield from _dropped(run)
    yield from told
    if run.result is None and not told:
        yield _not_a_tensor(run)
    elif read and not told:
        yield _kept_back(run, read)


def _moved(run: Run, name: str) -> bool:
    """Whether the program changed a leaf itself: an average, or a weight whose gradient it set."""
    node = run.recording.nodes.get(name)
    if node is None:
        return False
    tensor, steps = run.tensors[name], run.optimizers.steps
    if any(id(tensor) in one.held for one in steps):
        return any(id(tensor) in one.grads for one in steps)
    return not node.outputs[0].same_as(Value.of(tensor))


def _unused(run: Run, unread: list[str], told: list[Fault]) -> Iterator[Fault]:
    # A weight is not read any more where a copy has taken its place.
    copied = {one.node for one in told if one.kind == "copied"}
    instead = {
        node.outputs[0].shape for node in run.recording
        if node.type == "Parameter" or node.name in copied
    }  # fmt: skip
    unread = [name for name in unread if run.gradients[name].shape not in instead]
    hidden = f", save perhaps one that was not seen: {_hidden(run)}" if run.watch.hidden else ""
    them = it_or_them(unread)
    says = f"{listed(unread)} got no gradient: no op of the forward pass reads {them}{hidden}."
    do = "Call the layer that owns it, or take it out; DistributedDataParallel stops on such."
    places = [run.watch.taken.get(id(run.tensors[name])) for name in unread]
    if unread and all(places):
        says += f" Before, a copy without a graph was taken of {them}{in_line(places[0])}."
        do = f"Compute what is made of {them} anew in each forward pass, from {unread[0]} itself."
    if unread:
        known = next((name for name in unread if name in run.recording.nodes), None)
        yield Fault("unused", says, do, known)


def _hidden(run: Run) -> str:
    """The code whose ops nobody saw, within a sentence."""
    return run.watch.hidden[:1].lower() + run.watch.hidden[1:]


def _nothing_wanted(run: Run) -> Fault:
    """Nothing requires a gradient: where parameters were frozen, and how the last ones train."""
    if not run.frozen:
        says = "No input and no parameter wants a gradient: requires_grad is False for all of them."
        return Fault("nothing_wanted", says, "Set requires_grad=True on what is trained.")
    last = run.frozen[-1].rpartition(".")[0] or run.name
    places = (run.optimizers.frozen.get(id(run.tensors[one])) for one in run.frozen[::-1])
    where = line_of(next((one for one in places if one), None))
    return Fault(
        "nothing_wanted",
        f"All {len(run.frozen)} parameters of {listed([*run.watch.leaves.modules]) or run.name} "
        f"have requires_grad=False{', set in ' * bool(where)}{where}, so the loss has no graph.",
        f"Unfreeze what should train, {last}.requires_grad_(True) for instance; a new head belongs "
        "after the line that freezes.",
    )


def _cut(run: Run, read: list[str]) -> Iterator[Fault]:
    """A fault for each place that cuts the way to these leaves."""
    graph, live = run.graph, run.graph.after(read, live=True)
    stopping = graph.ends(live)
    found: dict[tuple[str, str], tuple[Fault, list[str]]] = {}
    for node in stopping:
        if node.name in run.wanted:
            why = stop(run, node, live)
            key = why.kind, line_of(why.where) or node.name
            found.setdefault(key, (why, []))[1].append(node.name)
    fresh = _fresh_leaves(run)
    for why, nodes in found.values():
        before, after = graph.before(nodes), graph.after(nodes)
        hiding = next((one for one in fresh if one.name in after), None)
        hides = ""
        if hiding is not None and "new leaf" not in why.says:
            hides = (
                f" requires_grad=True{in_line(run.recording.turned.get(hiding.name))} makes "
                f"{called(hiding)} a new leaf, so backward() runs without an error and ends there."
            )
        fresh = [one for one in fresh if one.name not in after]
        none = get_none([name for name in read if name in before])
        yield Fault(why.kind, f"{none}: {why.says}{hides}", why.do, nodes[0], why.where)
    reached = graph.after([*live, *(one.name for one in stopping)])
    left_torch = _culprits(run, reached, bool(found))
    if left_torch:
        yield _left(run, left_torch, read)
    for node in fresh if not found and not left_torch else ():
        says = (
            f"{sentence_start(called(node))} is a new leaf with requires_grad=True"
            f"{first_read(run, node)}: the gradient ends there without an error. {get_none(read)}."
        )
        do = "Take requires_grad=True away again, and find what cut the graph before it."
        yield Fault("fresh_leaf", says, do, node.name)


def first_read(run: Run, node: Node) -> str:
    """ ", first read in train.py:12", where it is known."""
    where = next((edge.consumer.place for edge in run.graph.consumers.get(node.name, ())), None)
    return f", first read{in_line(where)}" if where else ""


def _fresh_leaves(run: Run) -> list[Node]:
    """Leaves that want a gradient and were made on the way, by `requires_grad=True`."""
    tensors = run.recording.tensors
    known = {*run.gradients, *run.frozen, *run.given}
    old = {id(one) for name in known for one in tensors.get(name, ())}
    return [
        node for node in run.recording
        if node.requires_grad and (node.leaf or node.name in run.recording.gradients)
        and tensors[node.name][0].is_leaf and id(tensors[node.name][0]) not in old
        and run.ends & run.graph.after([node.name], live=True)
    ]  # fmt: skip


def _not_registered(run: Run) -> Iterator[Fault]:
    """Parameters that a module reads and does not know: layers in a plain list, say."""
    consumers, tensors = run.graph.consumers, run.tensors
    read = [
        name for name in run.watch.leaves.strays
        if name in consumers and name in run.gradients and run.gradients[name].norm
    ]  # fmt: skip
    held = run.optimizers.all_held() if read else set()
    strange = [name for name in read if id(tensors[name]) not in held]
    if strange:
        reader = consumers[strange[0]][0].consumer
        at, again = in_line(reader.place), run.watch.read_again()
        root = run.module_of(reader.name).partition(".")[0]
        calls = [one.path for one in run.watch.calls if one.first <= 0] or [root]
        says = (
            f"{counted(len(strange), 'parameter')} that {run.name if run.is_model else calls[0]} "
            f"reads {'is' if len(strange) == 1 else 'are'} not among its parameters(), the first "
            f"{strange[0]} in {reader.type}{at}: no optimizer moves {it_or_them(strange)}."
        )
        do = "Keep layers in nn.ModuleList or nn.ModuleDict, not in a plain list or dictionary."
        if again and strange[0] not in again:
            do = f"Make it once, in __init__: {calls[0]} makes a new one{at} whenever it runs."
        elif not isinstance(tensors[strange[0]], torch.nn.Parameter):
            do = (
                f"Register it, {strange[0]} = nn.Parameter(torch.randn(3) * 0.1): a plain tensor "
                "is no parameter of a module, nor is what was computed from one."
            )
        yield Fault("not_registered", says, do, strange[0])


def _dropped(run: Run) -> Iterator[Fault]:
    """A `.detach()` that is a statement of its own: nothing reads what it gives."""
    for node in run.recording:
        if node.type != "stop_gradient" or callee(node.place) != "detach":
            continue  # a library's own, say, within a call of the program
        if node.operands and is_statement(node.place):
            read = node.operands[0].producer
            name = called(read)
            if read.requires_grad and node.name not in run.graph.consumers and read.reached:
                says = (
                    f"{name}.detach(){in_line(node.place)} gives a new tensor, and nothing reads "
                    f"it: a gradient goes on through {name} itself."
                )
                do = f"Write {name} = {name}.detach() to stop it there, or take the line out."
                yield Fault("dropped", says, do, node.name)


def _kept_back(run: Run, read: list[str]) -> Fault:
    """No op cuts the way: one on it sent nothing, for its backward gave None, or there is none."""
    on_it = run.graph.after(read, live=True)
    for node in map(run.recording.nodes.__getitem__, run.recording.order):
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in on_it]
        if ways and run.ends & on_it and not any(edge.offered for edge in ways):
            where = backward_of(node.type)
            says = (
                f"{listed(read)} got no gradient: one came to {node.type}{in_line(node.place)}, "
                f"and {node.type}.backward{' in ' * bool(where)}{where} sent None on."
            )
            do = (
                "Return a gradient for each input. Gradients are off within it: what it leaves to "
                "autograd needs `with torch.enable_grad():`."
            )
            return Fault("no_gradient_sent", says, do, node.name)
    says = f"{listed(read)} got no gradient: the result is made without {it_or_them(read)}."
    at = read[0] if read[0] in run.recording.nodes else None
    return Fault("no_path", says, "Look whether the right tensor is returned.", at)


def _not_a_tensor(run: Run) -> Fault:
    if run.returned:
        says = f"{run.name} returned {run.returned}; a tensor is expected, to go backward from."
        return Fault("no_tensor", says, RETURN)
    says = f"{run.name} ended and no backward pass ran, so there is no gradient to look at."
    do = "Let it run to its first loss.backward(): fewer data, say."
    if run.watch.hidden:
        says = f"No backward pass of {run.name} was seen: {_hidden(run)} is opaque here."
        do = "Leave that out while it is watched."
    return Fault("no_pass", says, do)


def _left(run: Run, several: list[Left], read: list[str]) -> Fault:
    """A fault for numbers that left torch, all in one line."""
    left = several[-1]
    node, call, at = run.recording.nodes[left.node], left_by(left), in_line(left.place)
    before = run.graph.before([one.node for one in several])
    none, back = get_none([name for name in read if name in before]), _came_back(run, left)
    if "Tensor(" in call:
        says = f"{none}: {call}{at} copies the numbers into a new tensor without a graph{back}."
        do = "torch.stack or torch.cat joins tensors and keeps their graph."
        return Fault("copied", says, do, left.node)
    kind, whose, do = "item", "Python", RETURN
    if left.call in ("numpy", "__array__"):
        kind = whose = "numpy"
        do = "Compute it with torch's own functions."
    return Fault(
        kind,
        f"{none}: {call} on {called(node)}{at} hands plain numbers to {whose}, where autograd does "
        f"not follow{back}.",
        do,
        left.node,
    )


def _culprits(run: Run, reached: set[str], told: bool) -> list[Left]:
    """Of the numbers that left torch, those whose leaving explains the missing gradient.

    The last ones where nothing but numbers was returned; else those that came back as they were;
    else, where nothing explains it yet, the last before a constant that was read afterwards.
    """
    left = [one for one in run.recording.left if one.node in reached]
    met = {id(one): _met_again(run, one) for one in left}
    exact = [one for one in left if met[id(one)][0]] if run.result is not None else left
    if not (exact or told):
        exact = [one for one in left if met[id(one)][1]]
    return [one for one in exact if one.place == exact[-1].place]  # a list of several, say


def _met_again(run: Run, left: Left) -> tuple[list[Node], list[Node]]:
    """Leaves met after numbers left that hold these very numbers; and all that were met then.

    Of a single number, those that hold it among others.
    """
    numbers, after = left.value.numbers, [*run.recording][left.count :]
    leaves = [node for node in after if node.leaf]
    same = [
        node for node in leaves
        if node.outputs[0].same_as(left.value)
        or (len(numbers) == 1 and numbers[0] in node.outputs[0].numbers)
    ]  # fmt: skip
    return same, leaves


def _came_back(run: Run, left: Left) -> str:
    """The constant that the numbers came back as, or that they were returned."""
    if run.result is None:
        return f"; {run.name} returned {run.returned}"
    same, leaves = _met_again(run, left)
    if not same:
        return f"; {called(leaves[0])} was read afterwards, and torch knows no link"
    what = "and torch takes it for a constant"
    if same[0].requires_grad:
        what = "as a new leaf with requires_grad=True, so backward() runs without an error"
    return f"; {called(same[0])} came back from there, {what}"
