"""Collects the faults of a run, each as a sentence with its place, and what to do about it; and
notes on what is no fault by itself, such as where gradients stop on the way.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..recorder import in_line, line_of, short
from ..recorder.picture.sentences import stale_sentence
from ..text import listed
from .cuts import cuts
from .held import idle, weights_that_stay
from .nonfinite import nonfinite
from .partial import partial_cuts, slopes
from .raised import instead_of, raised
from .run import Run
from .shapes import RESHAPE, broadcasts
from .source import at_line, gives, owner
from .steps import steps
from .stops import bridged, stops
from .terms import terms
from .words import WORDS, Fault, called
from .zeros import rounding, zeros

MOST_NOTES = 20
"""Notes on places where a gradient stops."""


def findings(run: Run) -> tuple[list[Fault], list[str]]:
    """Return the faults, the likely cause of the others first, and as notes what is no fault."""
    found = [*nonfinite(run), *cuts(run), *zeros(run), *rounding(run)]
    found += [*steps(run), *weights_that_stay(run), *terms(run)]
    faults = [one for one in found if one.kind != "note"]
    faults += [*broadcasts(run), *slopes(run, {one.node for one in faults})]
    faults = [*raised(run, {one.kind for one in faults}), *faults]
    mildest = list(partial_cuts(run, {one.node for one in faults}))
    faults += [one for one in mildest if one.kind != "note"]
    faults = _once([*_stale(run), *faults])
    meant = [one for one in (*found, *mildest) if one.kind == "note"]
    return faults, _notes(run, faults, meant)


def _once(found: list[Fault]) -> list[Fault]:
    """Keep one fault of each kind and line, and say how often it was."""
    alike = dict[tuple[str, str], list[Fault]]()
    for one in found:
        alike.setdefault((one.kind, line_of(one.where) or one.says), []).append(one)
    return [
        first
        if not more
        else replace(first, says=f"{first.says} This happens {len(more) + 1:,} times.")
        for first, *more in alike.values()
    ]


def _stale(run: Run) -> Iterator[Fault]:
    for node, one in ((op, one) for op in run.recording for one in op.stale):
        if not one.refused:
            made = node.operands[one.operands[0]].producer if one.operands else node
            name = one.name
            do = f"Make a new tensor instead: {name} = {name} + …, without .data."
            if made.type == "parameter":
                do = f"Change {name} after the backward pass, not before it."
            elif made.type == "data":
                name = owner(made.place) or name
                do = WORDS("clone_before", name=name)
            said = stale_sentence(node, replace(one, name=name))
            says = f"{said} {WORDS('changed_numbers', where=in_line(node.place))}"
            yield Fault("stale", says, instead_of(one, do), node.name, node.place)


def _past_autograd(run: Run) -> Iterator[str]:
    """Name the ops in place that change a computed tensor through its `.data`."""
    for node in run.recording if not any(one.stale for one in run.recording) else ():
        made = node
        while made.operands and (made.type in RESHAPE or made is node):
            made = made.operands[0].producer
        source = made.operands[0].producer if made.operands else made
        is_data = made.type == "stop_gradient" and made.function == "__get__"
        if node.inplace and is_data and source.requires_grad and not source.leaf:
            op = f"{node.type}{in_line(node.place)}"
            yield WORDS("past_autograd", op=op, name=called(source))


def _own_backwards(run: Run) -> Iterator[str]:
    """Name the modules with a method `backward` that gives something, which nobody calls."""
    for call in run.watch.calls:
        method = getattr(type(run.modules.get(call.path)), "backward", None)
        code = getattr(method, "__code__", None)
        if code is not None and gives(code.co_filename, code.co_firstlineno):
            line = at_line(code.co_filename, code.co_firstlineno)
            yield WORDS("own_backward", name=call.path, line=line)


def _notes(run: Run, faults: list[Fault], meant: list[Fault]) -> list[str]:
    """Write the notes, those on what is `meant` too; none on a node that has a fault."""
    named, hidden = {one.node for one in (*faults, *meant)}, run.watch.hidden
    usual = [f"{hidden} is opaque here: nothing inside was looked at."] if hidden else []
    if run.watch.compiled:
        usual.append(WORDS("compiled", name=run.watch.compiled))
    usual[:0] = idle(run)[0 if faults else 1 :]  # without faults the headline has the first
    usual += [
        *_applied(run),
        *_own_backwards(run),
        *_past_autograd(run),
        *(one.says for one in meant),
    ]
    seen = [*dict.fromkeys(_stops(run, named))]
    more = [f"{len(seen) - MOST_NOTES} more stop likewise."] if len(seen) > MOST_NOTES else []
    warned = (f"Warned{in_line(one[1])}: {one[0]}" for one in dict.fromkeys(run.watch.warned))
    return [*dict.fromkeys(usual), *seen[:MOST_NOTES], *more, *warned]


def _stops(run: Run, named: set[str | None]) -> Iterator[str]:
    """Say where a gradient stops on its way from the result, each line once."""
    wanted = run.wanted - run.graph.updates  # such as a weight that is cast
    if not any(node.stale for node in run.recording):  # those were made to change the numbers
        wanted |= {one.node for one in run.recording.left if one.call in ("numpy", "__array__")}
    compared = run.graph.before(_constant_terms(run))
    live = {node.name for node in run.recording if node.requires_grad}
    is_bridged = any(bridged(run, one) for one in run.recording if one.type == "stop_gradient")
    for why, names in stops(run, live, wanted):
        nodes = [run.recording.nodes[name] for name in names]
        is_torchs = nodes[0].off is not None and nodes[0].off.how == "torch"
        if is_torchs or named.intersection(names):  # torch knows what it does
            continue
        if nodes[0].kind == "stopped":
            read = next(one.producer for one in nodes[0].operands if one.producer.requires_grad)
            yield f"{why.says} {called(read)} gets nothing from there."
        elif not is_bridged and any(
            node.outputs[0].dtype.startswith("int")
            or (node.outputs[0].dtype == "bool" and node.name in compared)
            for node in nodes if not node.requires_grad
        ):  # fmt: skip
            hit = listed(run.leaves_before(*names))
            yield f"{why.says} {hit} learn by other paths alone. {why.do}"


def _constant_terms(run: Run) -> set[str]:
    """Find computed numbers without a gradient that are added to one that has a gradient."""
    return {
        edge.producer.name for node in run.recording
        if node.type == "add" and node.name in run.wanted and node.requires_grad
        for edge in node.operands
        if not (edge.producer.requires_grad or edge.producer.leaf) and edge.value.size == 1
    }  # fmt: skip


def _applied(run: Run) -> Iterator[str]:
    """Name the program's own Functions that only multiply the gradient by a factor."""
    met = set[str]()
    for node in run.recording:
        edge, upstream = next((one for one in node.operands if one.flows), None), node.gradient
        if node.type in met and node.place is None:  # it ran again
            continue
        if node.function != "apply" or edge is None or edge.offered is None or upstream is None:
            continue
        sent = edge.offered.numbers
        if not node.outputs[0].same_as(edge.value) or len(upstream.numbers) != len(sent):
            continue
        factors = [b / a for a, b in zip(upstream.numbers, sent, strict=True) if a]
        if factors and max(factors) - min(factors) <= 1e-4 * abs(factors[0]) and factors[0] != 1:
            met.add(node.type)
            kept = factors[0] > 0
            yield (
                f"{node.type}.apply{in_line(node.place)} passes the value and multiplies the "
                f"gradient by {'+' * kept}{short(factors[0])}: it is {'not ' * kept}reversed."
            )
