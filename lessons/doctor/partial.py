"""Numbers that left torch and came back as constants, beside paths on which gradients flow.

The leaves have a gradient, and it lacks a part. Whether the number that an op reads is the one
that left cannot be asked of Python; that it is the same float, and that the source does not have
it as a literal, tells it well.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from ..recorder import Node
from ..recorder.recording.nodes import Left
from ..recorder.recording.variables import in_line, line_of
from ..text import listed, number
from .cuts import Told, leaves_before
from .graph import Graph
from .source import floats_around
from .stops import called, left_by, stop
from .watch import Run

_READ_PLAIN = frozenset((
    "add", "sub", "rsub", "mul", "div", "pow", "maximum", "minimum", "clamp", "where", "lerp",
    "setitem", "masked_fill", "fill", "fill_",
))  # fmt: skip
"""Ops whose plain operands are numbers of the program's, and not dims or an eps."""
_COPIES = frozenset(("tensor", "as_tensor", "new_tensor", "Parameter"))
"""Ops that copy numbers, which nobody calls to stop a gradient."""


class _Read(NamedTuple):
    """Plain `numbers` that the op `node` reads, at `place` in the order of the nodes.

    `leaf` is the constant that holds them, None where they are operands of the op.
    """

    place: int
    node: Node
    numbers: frozenset[float]
    leaf: Node | None

    @property
    def written(self) -> bool:
        """Whether one of them stands in the source as a literal: then it may be that one."""
        return self.node.place is not None and bool(self.numbers & _literals(self.node))


def partial_cuts(run: Run, graph: Graph, told: set[str | None]) -> Iterator[Told]:
    """A fault for each number that came back as a constant, where nothing else is told of it."""
    if run.refused or run.failed or run.result is None:
        return
    wanted = graph.before([run.recording.output or ""] if run.recording.output else [])
    live = graph.after(_moved(run), live=True)
    yield from _copied(run, graph, wanted, live, told)
    reads = _reads(run, graph, wanted)
    holds: dict[float, list[_Read]] = {}
    for one in reads:
        for plain_number in one.numbers:
            holds.setdefault(plain_number, []).append(one)
    lines: set[tuple[str, str, str]] = set()
    for left in _outside(run, live, told):
        same = {one for number_ in left.value.numbers for one in holds.get(float(number_), ())}
        back = min(
            (one for one in same if one.place >= left.count and _came_back(run, left, one)),
            key=lambda one: one.place, default=None,
        )  # fmt: skip
        if back is None or _line_key(run, left) in lines:
            continue
        lines.add(_line_key(run, left))
        node = run.recording.nodes[left.node]
        plain = "as a plain number" if back.leaf is None else "as a constant"
        yield (
            "left_torch",
            f"{_of(left, node)} left torch by {left_by(left)}{in_line(left.place)} and came back "
            f"{plain}{_shown(left)}, that {back.node.type}{in_line(back.node.place)} reads. No "
            f"gradient comes back through it: that of {_hit(run, graph, left.node)} lacks this "
            "part.",
            f"If a constant is meant, write .detach() in place of {left_by(left)} to say so; else "
            "use the tensor itself.",
            left.node,
        )


def perhaps_partial(run: Run, graph: Graph, told: set[str | None]) -> list[str]:
    """Notes on numbers that left, where an op reads a number later that may be made of them."""
    if run.refused or run.failed or run.result is None or not run.recording.output:
        return []
    live = graph.after(_moved(run), live=True)
    reads = _reads(run, graph, graph.before([run.recording.output]))
    reads = [one for one in reads if _unexplained(one)]
    lines = {_line_key(run, one) for one in run.recording.left if one.node in told}
    notes: dict[tuple[str, str, str], str] = {}
    for left in _outside(run, live, told):
        later = bisect_left(reads, left.count, key=lambda one: one.place)
        if later == len(reads) or _line_key(run, left) in {*lines, *notes}:
            continue
        node, one = run.recording.nodes[left.node], reads[later]
        notes[_line_key(run, left)] = (
            f"{_of(left, node)} left torch by {left_by(left)}{in_line(left.place)}. If the number "
            f"{number(min(one.numbers), 4)} that {one.node.type}{in_line(one.node.place)} "
            "reads is made of it, no gradient comes back through it."
        )
    return list(notes.values())


def _copied(
    run: Run, graph: Graph, wanted: set[str], live: set[str], told: set[str | None]
) -> Iterator[Told]:
    """torch.tensor(losses) or nn.Parameter(made) to the result, beside a path that does flow."""
    for node in graph.ends(live):
        if node.type not in _COPIES or node.name not in wanted or node.name in told:
            continue
        why = stop(run, graph, node, live)
        yield (
            "left_torch",
            f"{why.says} No gradient comes back through it: that of "
            f"{_hit(run, graph, node.name)} lacks this part.",
            f"{why.do} If a constant is meant, write .detach() to say so.", node.name,
        )  # fmt: skip


def _moved(run: Run) -> list[str]:
    """Leaves that have a gradient; of the others, why they have none is told elsewhere."""
    return [
        name for name, one in run.gradients.items()
        if one.norm is not None and name in run.recording.nodes
    ]  # fmt: skip


def _outside(run: Run, live: set[str], told: set[str | None]) -> list[Left]:
    """The numbers that left, of those a gradient would reach."""
    return [one for one in run.recording.left if one.node in live and one.node not in told]


def _line_key(run: Run, left: Left) -> tuple[str, str, str]:
    """What is told once, however often a loop goes through it."""
    return left.call, line_of(left.place), called(run.recording.nodes[left.node])


def _reads(run: Run, graph: Graph, wanted: set[str]) -> list[_Read]:
    """Plain numbers and constants on the way to the result, in the order of the nodes."""
    known = {*run.gradients, *run.frozen, *run.given}
    found = []
    for place, node in enumerate(run.recording):
        if node.name not in wanted:
            continue
        if node.leaf and node.type in ("const", "input") and node.name not in known:
            value, readers = node.outputs[0], graph.consumers.get(node.name, ())
            reader = next((e.consumer for e in readers if e.consumer.name in wanted), None)
            if reader is not None and value.dtype.startswith(("float", "bfloat")):
                numbers = frozenset(float(one) for one in value.numbers)
                found.append(_Read(place, reader, numbers, node))
        elif node.type in _READ_PLAIN:
            plain = frozenset(one for one in node.numbers if isinstance(one, float))
            found += [_Read(place, node, plain, None)] if plain else []
    return [one for one in found if not one.written]


def _came_back(run: Run, left: Left, read: _Read) -> bool:
    """Whether what is read is what left: these very floats, and no literal of the program."""
    mine = {float(one) for one in left.value.numbers}
    if read.leaf is None:
        return bool(mine & read.numbers)
    if read.numbers <= {-1.0, 0.0, 1.0}:
        return False  # torch.ones and torch.zeros make them too
    if read.leaf.outputs[0].same_as(left.value):
        return True
    # One of several in a constant: then each of them must have left.
    others = {float(n) for one in run.recording.left for n in one.value.numbers}
    return bool(mine & read.numbers) and read.numbers <= others


def _unexplained(read: _Read) -> bool:
    """Whether it is one number, with more digits than a person writes."""
    single = read.leaf is None or read.leaf.outputs[0].size == 1
    return single and read.node.place is not None and any(map(_computed, read.numbers))


def _computed(one: float) -> bool:
    return float(f"{one:.4g}") != one


def _of(left: Left, node: Node) -> str:
    many = "numbers" if left.value.size > 1 else "value"
    return f"The {many} of {called(node)}"


def _shown(left: Left) -> str:
    return f", {number(float(left.value.numbers[0]), 4)}" if left.value.size == 1 else ""


def _hit(run: Run, graph: Graph, node: str) -> str:
    hit = leaves_before(run, graph, node)
    return listed(hit[:3]) if len(hit) <= 3 else f"{listed(hit[:2])} and {len(hit) - 2} more"


def _literals(node: Node) -> frozenset[float]:
    return floats_around(node.place[0], node.place[1][0]) if node.place else frozenset()
