"""What went wrong in a run, each fault as a sentence with its place, and what one does about it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lessons.text import listed, number
from lessons.trace.births import born, harmed, intended
from lessons.trace.cuts import called, cuts, sentence_start
from lessons.trace.graph import Graph, bad_place, line_of, zero
from lessons.trace.watch import Run
from lessons.tracer import Edge, Node, Value
from lessons.tracer.picture.sentences import stale_sentence
from lessons.tracer.recording.plain_tensor import unflat

FLAT = frozenset(("round", "floor", "ceil", "trunc", "sign", "heaviside"))
"""Ops whose slope is 0 wherever it exists."""

MOST = 12
"""Faults of one kind that are told."""


@dataclass(frozen=True)
class Fault:
    """`kind` a word for programs; `says` what and where; `do` what helps; `node` where to look."""

    kind: str
    says: str
    do: str = ""
    node: str | None = None


def faults(run: Run) -> list[Fault]:
    """All that is found, the likely cause of the others first."""
    graph = Graph(run.recording)
    found = [*_refusals(run), *_stale(run), *_forward(run), *_backward(run)]
    found += [Fault(*one) for one in cuts(run, graph)]
    return _fewer([*found, *_zeros(run, graph)])


def _fewer(found: list[Fault]) -> list[Fault]:
    """At most MOST of a kind, and then how many more there are."""
    kept: list[Fault] = []
    for kind, many in Counter(one.kind for one in found).items():
        same = [one for one in found if one.kind == kind]
        kept += same[:MOST]
        if many > MOST:
            kept.append(Fault(kind, f"{many - MOST:,} more of this kind were found."))
    return kept


def _refusals(run: Run) -> Iterator[Fault]:
    if run.refused:
        yield Fault("refused", run.refused, "", run.recording.refused)
    if "second time" in run.failed:
        yield Fault(
            "second_time",
            f"{run.name} went backward itself, and torch freed the graph as it did.",
            "Return the loss, and leave backward() to the trace.",
        )
    elif run.failed:
        yield Fault("failed", f"The backward pass raised: {run.failed[:400]}")


def _stale(run: Run) -> Iterator[Fault]:
    for node in run.recording:
        for one in node.stale:
            if not one.refused:
                yield Fault(
                    "stale",
                    f"{stale_sentence(run.recording, node, one)} The gradient is computed with "
                    "the changed numbers. Torch says nothing: .data and numpy go past its check.",
                    f"Make a new tensor instead: {one.name} = {one.name} + …, without .data.",
                    node.name,
                )


def _forward(run: Run) -> Iterator[Fault]:
    """The first infinity and the first NaN that an op made of finite numbers, if they did harm."""
    if not harmed(run):
        return
    births = list(born(run.recording))
    # A mask before a softmax is no accident, unless nothing else explains the harm.
    births = [one for one in births if one[1] == "NaN" or not intended(one[0])] or births
    infinity = nan = False
    for node, what, place in births:
        if what != "NaN" and infinity:
            continue
        nan, infinity = what == "NaN", True
        value = node.outputs[0]
        if node.leaf:
            name = sentence_start(called(node))
            yield Fault(
                "nonfinite_input", f"{name} holds {what}{_at(place, value)} before any op ran.",
                "Look where it comes from: the data, or an earlier step.", node.name,
            )  # fmt: skip
        else:
            yield Fault(
                "nonfinite_forward",
                f"The first {what} of the forward pass comes from {_op(run, node)}"
                f"{_at(place, value)}{_from_operands(node, place)}.",
                _finite_again(node, value, what),
                node.name,
            )
        if nan:
            return


def _finite_again(node: Node, value: Value, what: str) -> str:
    if value.dtype == "float16" and "∞" in what:
        return "float16 ends at 65504. Compute this op in float32 or bfloat16, or scale before it."
    if node.type in ("log", "sqrt", "div", "rsqrt", "reciprocal", "pow", "log2", "log10"):
        return (
            "Keep what it reads where the op is defined: clamp it, or add a small number, before "
            "the op. torch.where behind it repairs the value and not the gradient."
        )
    if node.type in ("exp", "cosh", "sinh", "expm1"):
        return f"exp overflows {value.dtype}: subtract the maximum first, or use logsumexp."
    return "Look at what the op reads."


def _from_operands(node: Node, place: int | None) -> str:
    if place is None:
        return ""
    index = unflat(place, node.outputs[0].shape)
    read = [
        f"{called(edge.producer)} = {_spelled(edge.value.component(index))}"
        if edge.value.size
        else f"{called(edge.producer)}, which is empty"
        for edge in node.operands[:3]
    ]
    return f", of {listed(read)}" if read else ""


def _backward(run: Run) -> Iterator[Fault]:
    """The first infinity and the first NaN on the way back, each where it arises."""
    shown: set[str] = set()
    for name in run.recording.order:
        node = run.recording.nodes[name]
        if any(bad_place(one) is not None for one in node.upstream):
            came = {_spelled(one.numbers[p]) for one in node.upstream
                    if one is not None and (p := bad_place(one)) is not None}  # fmt: skip
        else:
            came = set()
        for edge in node.operands:
            place = bad_place(edge.offered)
            if place is None or edge.offered is None:
                continue
            what = _spelled(edge.offered.numbers[place]).removeprefix("−")
            if what in shown or what in {one.removeprefix("−") for one in came} or "NaN" in shown:
                continue
            shown.add(what)
            yield _born(run, node, edge, place, what)
    bad = [name for name, one in run.gradients.items() if one.nonfinite]
    if bad and not shown and not any(_bad_upstream(run.recording.nodes.get(n)) for n in bad):
        yield Fault(
            "nonfinite_gradient",
            f"The gradient of {listed(bad)} has a NaN or an infinity, in an entry that the graph "
            "does not keep.",
            "Trace a smaller input.",
            bad[0],
        )


def _bad_upstream(node: Node | None) -> bool:
    return node is not None and any(bad_place(one) is not None for one in node.upstream)


def _born(run: Run, node: Node, edge: Edge, place: int, what: str) -> Fault:
    assert edge.offered is not None
    index = unflat(place, edge.offered.shape)
    upstream = node.upstream[0]
    came = "" if upstream is None else f"{_spelled(upstream.component(index))} came, "
    reads = edge.value.component(index)
    return Fault(
        "nonfinite_backward",
        f"The first {what} of the backward pass arises in {_op(run, node)}: {came}"
        f"{_spelled(edge.offered.numbers[place])} went back to {called(edge.producer)}"
        f"{_at(place, edge.offered)}, which is {_spelled(reads)}.",
        _slope(node, reads, what),
        node.name,
    )


def _slope(node: Node, reads: object, what: str) -> str:
    if what == "NaN":
        return "0 · ∞ is NaN: what came is infinite, or the slope is."
    if node.type in ("sqrt", "log", "rsqrt", "reciprocal", "div", "norm", "linalg_vector_norm",
                     "pow", "std", "var", "linalg_norm", "cdist", "acos", "asin"):  # fmt: skip
        return (
            f"The slope of {node.type} is infinite there. Add a small number before it, not "
            "behind: sqrt(x + 1e-12). torch.where behind it does not help, for 0 · ∞ is NaN."
        )
    return ""


def _zeros(run: Run, graph: Graph) -> Iterator[Fault]:
    zeros = [name for name, one in run.gradients.items() if one.zero]
    if not zeros:
        return
    below = graph.after(zeros, live=True)
    for name in run.recording.order:
        node = run.recording.nodes[name]
        came = next((one for one in node.upstream if one is not None), None)
        ways = [edge for edge in node.operands if edge.flows and edge.producer.name in below]
        if came is None or zero(came) or not ways or not all(zero(one.offered) for one in ways):
            continue
        hit = [one for one in zeros if one in graph.before([e.producer.name for e in ways])]
        if not hit:
            continue
        yield Fault(
            "zero_gradient",
            f"The gradient of {listed(hit)} is 0 in every entry: {_op(run, node)} sends nothing "
            f"but zeros back to {listed([called(edge.producer) for edge in ways])}.",
            _alive(node),
            node.name,
        )
        zeros = [one for one in zeros if one not in hit]
    if zeros:
        yield Fault("zero_gradient", f"The gradient of {listed(zeros)} is 0 in every entry.",
                    "", zeros[0])  # fmt: skip


def _alive(node: Node) -> str:
    if node.type in FLAT:
        return (
            f"The slope of {node.type} is 0 wherever it has one. For a gradient that passes all "
            f"the same: straight-through, x + (torch.{node.type}(x) - x).detach()."
        )
    if node.type in ("relu", "relu6", "clamp", "hardtanh"):
        return "All that it read lies where it is flat. Look at the scale of what comes in."
    if node.type == "mul":
        return "One factor is 0 everywhere, so the other gets nothing."
    return ""


def _op(run: Run, node: Node) -> str:
    called = node.type if node.label in (node.name, node.type) else f"{node.type} ({node.label})"
    where = [part for part in (run.module_of(node.name), line_of(node.place, run.folder)) if part]
    return f"{called} in {', '.join(where)}" if where else called


def _at(place: int | None, value: Value) -> str:
    if place is None or len(value.numbers) < 2:
        return ""
    return f" at {list(unflat(place, value.shape))}"


def _spelled(value: object) -> str:
    return str(value) if isinstance(value, complex) else number(float(value), 4)  # type: ignore[arg-type]
