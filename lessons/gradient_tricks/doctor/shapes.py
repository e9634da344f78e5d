"""Losses that compare every prediction with every target, since n×1 and n broadcast to n×n."""

from collections.abc import Iterator

from ..recorder import Edge, Node, Where, in_line
from ..recorder.derivatives import ELEMENTWISE
from .run import Run
from .words import WORDS, Fault, called

DISTANCES = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
_COMPARE = DISTANCES | {"sub", "rsub", "mul"}
RESHAPE = frozenset(("unsqueeze", "view", "reshape", "expand", "getitem", "squeeze", "flatten"))


def broadcasts(run: Run) -> Iterator[Fault]:
    """Yield a fault for each op that broadcasts by accident and whose result becomes one number."""
    met = set[Where | None]()
    for node in run.recording:
        if node.place is not None and node.place in met:  # of a loop, once
            continue
        if node.type not in _COMPARE or node.name not in run.wanted or len(node.operands) != 2:
            continue
        wide = next((e for e in node.operands if e.value.shape[-1:] == (1,)), node.operands[0])
        flat = node.operands[1 - wide.operand]
        count = flat.value.size
        if wide.value.shape != (*flat.value.shape, 1) or len(flat.value.shape) != 1 or count < 2:
            continue
        made = run.leaves_before(wide.producer.name, flat.producer.name)  # detached or not
        if not made or _meant(wide, flat) or not _is_reduced(run, node):
            continue
        met.add(node.place)
        both = {"one": called(wide.producer), "other": called(flat.producer)}
        op = f"{node.type}{in_line(node.place)}"
        says = WORDS("broadcast", op=op, n=f"{count}", **both)
        yield Fault("broadcast", says, WORDS("one_shape", **both), node.name)


def _meant(wide: Edge, flat: Edge) -> bool:
    """Whether the program itself put the axis there, or compares a tensor with itself."""
    node = wide.producer
    by_none = node.type == "getitem" and any("None" in str(one) for one in node.numbers)
    return node.type == "unsqueeze" or by_none or bool(_roots(node) & _roots(flat.producer))


def _roots(node: Node) -> set[Node]:
    """Find the nodes that this one is made of, entry by entry."""
    if node.type not in RESHAPE and node.type not in ELEMENTWISE:
        return {node}
    return set().union(*(_roots(edge.producer) for edge in node.operands))


def _is_reduced(run: Run, node: Node) -> bool:
    """Whether what was broadcast is summed to one number, entry by entry until then."""
    shape = node.outputs[0].shape
    if node.type in DISTANCES:
        return not shape
    readers = [edge.consumer for edge in run.graph.consumers.get(node.name, ())]
    return any(
        _is_reduced(run, one) if one.outputs[0].shape == shape
        else one.type in ("mean", "sum") and one.outputs[0].size == 1
        for one in readers
    )  # fmt: skip
