"""Why a leaf got no gradient: what was never read, and where its numbers left autograd."""

from collections.abc import Iterator

from ..recorder import Node
from ..recorder.recording.nodes import Left
from ..recorder.recording.variables import line_of
from ..text import counted, listed
from .graph import Graph
from .watch import Run

Told = tuple[str, str, str, str | None]
"""The fields of a `Fault`."""

RETURN = "Return the tensor itself, and use .item() for printing alone."
SPELLED = {"__array__": "numpy.asarray", "__float__": "float()", "__int__": "int()"}


def cuts(run: Run, graph: Graph) -> Iterator[Told]:
    """A fault for each reason why leaves that want a gradient have none."""
    if run.refused or run.failed:
        return
    missing = [name for name, one in run.gradients.items() if one.norm is None]
    nodes = run.recording.nodes
    unread = [name for name in missing if name not in graph.consumers and name != _end(run)]
    read = [name for name in missing if name not in unread]
    if unread:
        yield (
            "unused",
            f"{listed(unread)} got no gradient: no op of the forward pass reads "
            f"{'it' if len(unread) == 1 else 'them'}.",
            "Call the layer that owns it, or take it out; DistributedDataParallel stops on such.",
            unread[0],
        )
    yield from _fresh_leaves(run, graph, read)
    if run.result is not None and not run.gradients and not run.result.requires_grad:
        yield (
            "nothing_wanted",
            "No input and no parameter wants a gradient: requires_grad is False for all of them.",
            "Set requires_grad=True on what is trained.",
            None,
        )
    yield from _not_registered(run, graph)
    if not read:
        if run.result is None:
            yield _not_a_tensor(run)
        return
    live = graph.after(read, live=True)
    wanted = graph.before([_end(run)]) if _end(run) else set()
    told = False
    ends = graph.ends(live)
    for node in ends:
        if node.name in wanted:
            told = True
            yield _ended(run, node, [name for name in read if name in graph.before([node.name])])
    for left in _culprits(run, graph.after([*live, *(node.name for node in ends)]), told):
        told = True
        yield _left(run, left, [name for name in read if name in graph.before([left.node])])
    if run.result is None and not told:
        yield _not_a_tensor(run)
    elif not told and _end(run) in live:
        yield _kept_back(run, graph, read)
    elif not told:
        words = (
            "the result is made without them" if len(read) > 1 else "the result is made without it"
        )
        yield ("no_path", f"{listed(read)} got no gradient: {words}.",
               "Look whether the right tensor is returned.", nodes[read[0]].name)  # fmt: skip


def _not_registered(run: Run, graph: Graph) -> Iterator[Told]:
    """Parameters that a model reads and does not know: layers in a plain list, say."""
    if not run.is_model:
        return
    known = {*run.gradients, *run.frozen}
    strange = [
        node.name for node in run.recording
        if node.type == "parameter" and node.name not in known and node.name in graph.consumers
        and id(run.recording.tensors[node.name][0]) not in run.own
    ]  # fmt: skip
    if strange:
        reader = graph.consumers[strange[0]][0].consumer
        where = line_of(reader.place)
        yield (
            "not_registered",
            f"{counted(len(strange), 'parameter')} that {run.name} reads "
            f"{'is' if len(strange) == 1 else 'are'} not among its parameters(), the first in "
            f"{reader.type}{' in ' + where if where else ''}: no optimizer moves them.",
            "Keep layers in nn.ModuleList or nn.ModuleDict, not in a plain list or dictionary.",
            strange[0],
        )


def _kept_back(run: Run, graph: Graph, read: list[str]) -> Told:
    """A path leads to the result, but an op on it sent nothing: its backward gave None."""
    on_it = graph.after(read, live=True)
    for name in run.recording.order:
        node = run.recording.nodes[name]
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in on_it]
        if ways and not any(edge.offered for edge in ways):
            where = line_of(node.place)
            return (
                "no_gradient_sent",
                f"{listed(read)} got no gradient: a gradient came to {node.type}"
                f"{' in ' + where if where else ''}, and its backward sent None on.",
                "Return a gradient for each input from that Function's backward.",
                node.name,
            )
    return ("no_path", f"{listed(read)} got no gradient, though a path leads to the result.",
            "", read[0])  # fmt: skip


def _end(run: Run) -> str:
    return run.recording.output or ""


def _not_a_tensor(run: Run) -> Told:
    return (
        "no_tensor",
        f"{run.name} returned {run.returned}; a tensor is expected, to go backward from.",
        RETURN, None,
    )  # fmt: skip


def _fresh_leaves(run: Run, graph: Graph, read: list[str]) -> Iterator[Told]:
    """Leaves that want a gradient and were made on the way, by `requires_grad=True`."""
    known = {*run.gradients, *run.frozen, *run.given}
    for node in run.recording:
        starts = node.requires_grad and (node.leaf or node.name in run.recording.gradients)
        if not starts or node.name in known or not read:
            continue
        readers = graph.consumers.get(node.name, [])
        if node.name != _end(run) and not readers:
            continue
        where = line_of(readers[0].consumer.place) if readers else ""
        first = f", first read in {where}" if where else ""
        yield (
            "fresh_leaf",
            f"{sentence_start(called(node))} is a new leaf with requires_grad=True{first}: "
            "backward() runs without an error, and the gradient ends there. "
            f"{listed(read)} {'gets' if len(read) == 1 else 'get'} none.",
            "Take requires_grad=True away again, and find what cut the graph before it.",
            node.name,
        )


def sentence_start(text: str) -> str:
    """A word of ours with a capital; a name of the program's stays as it is."""
    return text.capitalize() if " " in text else text


def called(node: Node) -> str:
    """What a person calls a node: its variable, or what it is."""
    if node.variable:
        return node.variable
    if node.leaf and node.name.rstrip("_0123456789") in ("input", "const"):
        return "a constant" if node.kind == "constant" else "a new tensor"
    if node.type == "stop_gradient" and node.operands:
        how = ".data" if node.function == "__get__" else ".detach()"
        return f"{called(node.operands[0].producer)}{how}"
    return node.label if node.leaf else f"{node.type}(…)"


def _ended(run: Run, node: Node, hit: list[str]) -> Told:
    who = f"{listed(hit)} {'gets' if len(hit) == 1 else 'get'} no gradient"
    operand = next((called(e.producer) for e in node.operands if e.producer.requires_grad), "")
    place = ", ".join(part for part in (run.module_of(node.name), line_of(node.place)) if part)
    where = f" in {place}" if place else ""
    if node.no_grad:
        if any("None of the inputs have requires_grad" in one for one in run.warned):
            return (
                "checkpoint",
                f"{who}: checkpoint with use_reentrant=True ran {node.type}{where} without "
                "gradients, for none of the checkpoint's inputs wants one.",
                "Say use_reentrant=False; or x.requires_grad_() on the input of the checkpoint.",
                node.name,
            )
        return (
            "no_grad", f"{who}: {node.type}{where} ran without gradients (torch.no_grad).",
            "Take what trains out of the no_grad block.", node.name,
        )  # fmt: skip
    if node.type == "stop_gradient":
        how = ".data" if node.function == "__get__" else ".detach()"
        return (
            "detached", f"{who}: {operand}{how}{where} lets the value through and no gradient.",
            f"Take {how} away here, if it should train.", node.name,
        )  # fmt: skip
    if node.type in ("tensor", "as_tensor"):
        return (
            "copied", f"{who}: torch.tensor({operand}){where} copies the numbers into a new tensor "
            "that does not know where they come from.",
            f"Use {operand} itself; torch.stack or torch.cat joins several.", node.name,
        )  # fmt: skip
    whole = _whole_numbers(node)
    if whole:
        return (
            "whole_numbers", f"{who}: {whole[0]}{where} gives {whole[1]}, and only floats have a "
            "derivative.",
            "Use a soft form, such as softmax for argmax, or straight-through.", node.name,
        )  # fmt: skip
    return ("ended", f"{who}: {node.type}{where} gives it no way back.", "", node.name)


def _whole_numbers(node: Node) -> tuple[str, str] | None:
    """Who gives numbers that are no floats, and of which dtype: the op, or an output it reads."""
    floats = ("float", "bfloat", "complex")
    if not node.outputs[0].dtype.startswith(floats):
        return node.type, node.outputs[0].dtype
    for edge in node.operands:
        if edge.producer.requires_grad and not edge.value.dtype.startswith(floats):
            return f"{edge.producer.type}(…)", edge.value.dtype
    return None


def _left(run: Run, left: Left, hit: list[str]) -> Told:
    node = run.recording.nodes[left.node]
    call = SPELLED.get(left.call, f".{left.call}()")
    where = line_of(left.place)
    who = f"{listed(hit)} {'gets' if len(hit) == 1 else 'get'} no gradient"
    numpy = left.call in ("numpy", "__array__")
    back = _came_back(run, left)
    return (
        "numpy" if numpy else "item",
        f"{who}: {call} on {called(node)}{' in ' + where if where else ''} hands plain "
        f"{'numbers to numpy' if numpy else 'numbers to Python'}, where autograd does not follow"
        f"{back}.",
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
        what = "as a new leaf" if same[0].requires_grad else "and torch takes it for a constant"
        return f"; {called(same[0])} came back from there, {what}"
    return f"; {called(_after(run, left)[0])} was read afterwards, and torch knows no link"
