"""Finds out why a leaf got no gradient: no op read it, or its numbers left autograd."""

from collections.abc import Iterator

import torch

from ..recorder import Left, Node, Value, in_line, line_of
from ..text import counted, listed
from .graph import zero
from .held import dead
from .run import Run
from .source import backward_of
from .stops import JOIN, bridged, left_by, stops
from .words import WORDS, Fault, called, get_none, it_or_them, sentence_start

RETURN = WORDS("return_itself")
_NEAR_COPY = 0.5
"""The largest distance of a copy from its original, relative to the length of its weights. Another
random network is 1.4 away."""


def cuts(run: Run) -> Iterator[Fault]:
    """Yield a fault for each reason why leaves have no gradient; a note if that is meant.

    After an error before the backward pass, or in a script without one, it means nothing.
    """
    if run.broke_off or (run.result is None and not run.returned):
        return
    missing = [name for name, one in run.gradients.items() if one.norm is None]
    moved, held = [name for name in missing if _moved(run, name)], run.optimizers.all_held()
    own = (name for name in moved if id(run.tensors[name]) not in held)
    run.meant = dict.fromkeys(own, "") | _copies(run, missing, held)
    yield from (Fault("note", says) for says in dict.fromkeys(run.meant.values()) if says)
    missing = [name for name in missing if name not in {*run.meant, *run.idle, *moved}]
    known = {*run.graph.consumers, *run.ends, *(one.node for one in run.recording.left)}
    read = [name for name in missing if name in known]
    faults = list(_cut(run, read)) if read else []
    yield from _unused(run, [name for name in missing if name not in known], faults)
    consumed = run.graph.consumers
    live = any(
        one.requires_grad and (one.name in consumed or not one.leaf) for one in run.recording
    )
    if run.result is not None and not run.gradients and not live:
        yield _nothing_wanted(run)
    yield from _not_registered(run)
    yield from faults
    if run.result is None and run.returned and not faults:
        yield _not_a_tensor(run)
    elif read and not faults:
        yield _kept_back(run, read)


def _copies(run: Run, missing: list[str], held: set[int]) -> dict[str, str]:
    """Find the leaves that are meant to get no gradient; give each a sentence that says why.

    Nothing in such a module trains, and it runs without gradients or not at all. It is a copy of a
    module that trains, or it is in eval mode, or no optimizer holds it.
    """
    trained = [run.tensors[name] for name in run.gradients if name not in missing]
    weights = [one for one in trained if isinstance(one, torch.nn.Parameter)]
    if not held.intersection(map(id, weights or map(run.tensors.__getitem__, run.gradients))):
        held = set()  # the optimizers hold other weights than those that train
    found: dict[str, str] = {}
    ends = ((name, at) for name in missing for at, letter in enumerate(name) if letter == ".")
    for prefix in dict.fromkeys(name[:at] for name, at in ends):
        own = [one for one in run.gradients if one.startswith(f"{prefix}.")]
        if own[0] in found or not set(missing).issuperset(own):
            continue
        why = _meant(run, held, prefix, own)
        stopped = stops(run, run.graph.after(own, flowing=True), run.wanted) if why else []
        # A block or a detach is there on purpose, a copy is not.
        if why and {one.kind for one, _ in stopped} <= {"no_grad", "detached"}:
            found |= dict.fromkeys(own, WORDS("meant", name=prefix, why=why))
    return found


def _meant(run: Run, held: set[int], prefix: str, own: list[str]) -> str:
    """Say how we know that a module is not meant to train; "" if we don't."""
    twin = _twin(run, prefix, own)
    if twin is not None:
        return f"it is a copy of {twin}, which trains"
    if held and not any(id(run.tensors[one]) in held for one in own):
        return "no optimizer holds it"
    module = run.modules.get(prefix)
    return "it is in eval mode" if module is not None and not module.training else ""


def _twin(run: Run, prefix: str, own: list[str]) -> str | None:
    """The other module with parameters of the same names, shapes and nearly the same numbers."""
    for name in run.gradients:
        other = name.removesuffix(own[0].removeprefix(prefix))
        if other not in (name, prefix) and all(
            _trains_alike(run, mine, other + mine.removeprefix(prefix)) for mine in own
        ):
            return other
    return None


def _trains_alike(run: Run, name: str, other: str) -> bool:
    """Whether another leaf has a gradient, and nearly the same numbers as this one."""
    if other not in run.gradients or run.gradients[other].norm is None:
        return False
    mine, theirs = (run.tensors[one].detach().double() for one in (name, other))
    length = torch.linalg.vector_norm
    return mine.shape == theirs.shape and bool(length(mine - theirs) <= _NEAR_COPY * length(theirs))


def _moved(run: Run, name: str) -> bool:
    """Whether the program changed a leaf itself: an average, or a weight whose gradient it set."""
    node = run.recording.nodes.get(name)
    if node is None:
        return False
    tensor, steps = run.tensors[name], run.optimizers.steps
    if any(id(tensor) in one.held for one in steps):
        return any(id(tensor) in one.grads for one in steps)
    return not node.outputs[0].same_as(Value.of(tensor))


def _unused(run: Run, unread: list[str], faults: list[Fault]) -> Iterator[Fault]:
    """Say that no op read these leaves, and what to do; as a note if a later step may read them."""
    # A weight is not read any more where a copy has taken its place.
    copied = {one.node for one in faults if one.kind == "copied"}
    instead = {
        node.outputs[0].shape for node in run.recording
        if node.type == "Parameter" or node.name in copied
    }  # fmt: skip
    replaced = dead(run)
    unread = [
        name for name in unread
        if run.gradients[name].shape not in instead and id(run.tensors[name]) not in replaced
    ]  # fmt: skip
    if not unread:
        return
    them, hidden = it_or_them(unread), run.watch.hidden
    when = "" if run.is_whole else " in the steps that were watched"
    reads = f"no op of the forward pass reads {them} with gradients on{when}"
    says = f"{listed(unread)} got no gradient: {reads}."
    says += f" {hidden} was not seen, and may read {them}." if hidden else ""
    do = WORDS("call_or_remove")
    dark = [run.watch.dark.get(id(run.tensors[name])) for name in unread]
    _, place, off = dark[0] or (None, None, None)
    if all(dark) and off is None:
        says += f" Before, a copy without a graph was taken of {them}{in_line(place)}."
        do = WORDS("compute_again", them=them, name=unread[0])
    elif all(dark) and off is not None:
        says = f"{listed(unread)} got no gradient: read{in_line(place)}, where torch.{off.name}"
        says += f"{in_line(off.where)} had switched gradients off."
        do = f"Take what trains {them} out of there."
    if off is not None or not (all(dark) or run.is_whole):  # an expert without a token, say
        yield Fault("note", f"{says} Later steps may read {them}: --steps watches longer.")
        return
    known = next((one for one in unread if one in run.recording.nodes), None)
    yield Fault("unused", says, do, known)


def _nothing_wanted(run: Run) -> Fault:
    """Say that nothing requires a gradient, where the parameters were frozen, and how to train."""
    if not run.frozen:
        return Fault("nothing_wanted", WORDS("nothing_wanted"), WORDS("set_requires_grad"))
    last = run.frozen[-1].rpartition(".")[0] or run.name
    places = (run.optimizers.frozen.get(id(run.tensors[one])) for one in run.frozen[::-1])
    where = line_of(next((one for one in places if one), None))
    whose, at = listed([*run.watch.leaves.modules]) or run.name, f", set in {where}" * bool(where)
    says = WORDS("no_graph", count=f"{len(run.frozen)}", whose=whose, at=at)
    return Fault("nothing_wanted", says, WORDS("unfreeze", name=last))


def _cut(run: Run, read: list[str]) -> Iterator[Fault]:
    """A fault for each place that cuts the way to these leaves."""
    graph, live = run.graph, run.graph.after(read, flowing=True)
    found, fresh = stops(run, live, run.wanted), _fresh_leaves(run)
    reached = graph.after([*live, *(one.name for one in graph.ends(live))])
    left_torch = _culprits(run, reached, bool(found))
    if not found and not left_torch:  # what an update of weights by hand reads
        found = stops(run, live, graph.before(run.ends))
    for bridge in (run.recording.nodes[name] for _, names in found for name in names):
        pair = bridged(run, bridge)
        if pair is not None:
            yield _bypassed(bridge, called(pair[0]), called(pair[1]), get_none(read))
            return
    for why, nodes in found:
        before, after = graph.before(nodes), graph.after(nodes)
        hiding = next((one for one in fresh if one.name in after), None)
        hides = ""
        if hiding is not None and " leaf" not in why.says:
            turned = in_line(run.recording.turned.get(hiding.name))
            hides = f" {WORDS('hides', where=turned, name=called(hiding))}"
        fresh = [one for one in fresh if one.name not in after]
        none = get_none([name for name in read if name in before])
        yield Fault(why.kind, f"{none}: {why.says}{hides}", why.do, nodes[0], why.where)
    if left_torch:
        yield _left(run, left_torch, read)
    for node in fresh if not found and not left_torch else ():
        where = next((edge.consumer.place for edge in graph.consumers.get(node.name, ())), None)
        first_read = f", first read{in_line(where)}" if where else ""
        name, do = sentence_start(called(node)), WORDS("remove_requires_grad")
        says = f"{WORDS('fresh_leaf', name=name, read=first_read)} {get_none(read)}."
        is_empty = zero(node.outputs[0]) and node.name in run.ends and not run.is_whole
        yield Fault("note" if is_empty else "fresh_leaf", says, do, node.name)


def _bypassed(bridge: Node, hard: str, soft: str, none: str) -> Fault:
    """The weights behind a straight-through bridge, which no other path reaches."""
    says = WORDS("bypassed", none=none, where=in_line(bridge.place), hard=hard, soft=soft)
    do = WORDS("read_itself", hard=hard, soft=soft)
    return Fault("bypassed", says, do, bridge.name, bridge.place)


def _fresh_leaves(run: Run) -> list[Node]:
    """Find the leaves that the program made on the way, by `requires_grad=True`."""
    tensors = run.recording.tensors
    known = {*run.gradients, *run.frozen, *run.given}
    old = {id(one) for name in known for one in tensors.get(name, ())}
    return [
        node for node in run.recording
        if node.requires_grad and (node.leaf or node.name in run.recording.gradients)
        and tensors[node.name][0].is_leaf and id(tensors[node.name][0]) not in old
        and run.ends & run.graph.after([node.name], flowing=True)
    ]  # fmt: skip


def _not_registered(run: Run) -> Iterator[Fault]:
    """Name parameters that a module reads but doesn't register: layers in a plain list, say."""
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
        whose, are = run.name if run.is_model else calls[0], "is" if len(strange) == 1 else "are"
        words = {"count": counted(len(strange), "parameter"), "first": strange[0], "whose": whose}
        them, op = it_or_them(strange), f"{reader.type}{at}"
        says = WORDS("not_registered", are=are, them=them, op=op, **words)
        do = WORDS("module_list")
        if again and strange[0] not in again:
            do = WORDS("make_once", module=calls[0], where=at)
        elif not isinstance(tensors[strange[0]], torch.nn.Parameter):
            do = WORDS("register", name=strange[0])
        yield Fault("not_registered", says, do, strange[0])


def _kept_back(run: Run, read: list[str]) -> Fault:
    """Say which op on the way sent None back, if no op cuts the way."""
    on_it = run.graph.after(read, flowing=True)
    for node in map(run.recording.nodes.__getitem__, run.recording.order):
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in on_it]
        if ways and run.ends & on_it and not any(edge.offered for edge in ways):
            words = {"op": node.type, "at": in_line(node.place), "where": backward_of(node.type)}
            says = WORDS("sent_none", names=listed(read), **words)
            return Fault("no_gradient_sent", says, WORDS("return_gradients"), node.name)
    says = f"{listed(read)} got no gradient: the result does not depend on {it_or_them(read)}."
    at = read[0] if read[0] in run.recording.nodes else None
    return Fault("no_path", says, WORDS("right_tensor"), at)


def _not_a_tensor(run: Run) -> Fault:
    says = f"{run.name} returned {run.returned}, but going backward takes a tensor."
    return Fault("no_tensor", says, RETURN)


def _left(run: Run, several: list[Left], read: list[str]) -> Fault:
    """A fault for numbers that left torch, all in one line."""
    left = several[-1]
    node, call, at = run.recording.nodes[left.node], left_by(left), in_line(left.place)
    before = run.graph.before([one.node for one in several])
    none, back = get_none([name for name in read if name in before]), _came_back(run, left)
    if "Tensor(" in call:
        says = f"{none}: {call}{at} copies the numbers, not their graph{back}."
        return Fault("copied", says, JOIN, left.node)
    kind, whose, do = "item", "Python", RETURN
    if left.call in ("numpy", "__array__"):
        kind = whose = "numpy"
        do = "Compute it with torch's own functions."
    says = f"{none}: {call} on {called(node)}{at} hands plain numbers to {whose}, where autograd"
    return Fault(kind, f"{says} does not follow{back}.", do, left.node)


def _culprits(run: Run, reached: set[str], explained: bool) -> list[Left]:
    """Find the numbers that left torch and explain the missing gradient, among ``reached``.

    Those are the nodes that the leaves without a gradient flow into.
    The last numbers, if the program returned nothing else; or the numbers that came back unchanged;
    or, if nothing explains it yet, the last numbers before a constant that was read afterwards.
    """
    left = [one for one in run.recording.left if one.node in reached]
    if run.result is not None:
        same = [one for one in left if _met_again(run, one)]
        left = same or [one for one in left if not explained and _leaves_since(run, one)]
    return [one for one in left if one.place == left[-1].place]  # a list of several, say


def _leaves_since(run: Run, left: Left) -> list[Node]:
    return [node for node in [*run.recording][left.count :] if node.leaf]


def _met_again(run: Run, left: Left) -> list[Node]:
    """Find the leaves read since then that hold these numbers, or this one among others."""
    numbers = left.value.numbers
    return [
        node for node in _leaves_since(run, left)
        if node.outputs[0].same_as(left.value)
        or (len(numbers) == 1 and numbers[0] in node.outputs[0].numbers)
    ]  # fmt: skip


def _came_back(run: Run, left: Left) -> str:
    """The constant that the numbers came back as, or that they were returned."""
    if run.result is None:
        return f"; {run.name} returned {run.returned}"
    same = _met_again(run, left)
    if not same:
        first = called(_leaves_since(run, left)[0])
        return f"; {first} was read afterwards, and torch knows no link"
    what = "as a new leaf with requires_grad=True" if same[0].requires_grad else "as a constant"
    name = called(same[0])
    came = "they" if name == "a constant" else name
    return f"; {came} came back {what}, so backward() ends there"
