"""Find where infinities and NaNs arise, in both passes, and say how to fix them."""

import cmath
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import torch

from ..recorder import Edge, Node, Recording, in_line, reached, short, unflat
from ..recorder.derivatives import ELEMENTWISE, terms
from ..recorder.recording.plain_tensor import LIMIT
from ..text import listed
from .graph import bad_place
from .run import Run
from .words import WORDS, Fault, at_entry, called, hook_on, numbers_read, op_called, sentence_start

_AFTERWARDS = WORDS("afterwards")
_BEFORE = f"{_AFTERWARDS} {WORDS('instead_before')}"
_DIVIDE = f"{WORDS('denominator')} {_AFTERWARDS}"
_REPAIRS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt"), ("at 0", "x + 1e-12")),
    **dict.fromkeys(("acos", "asin", "atanh", "erfinv"), ("at ±1", "x.clamp(-1 + 1e-6, 1 - 1e-6)")),
    "acosh": ("at 1", "x.clamp(min=1 + 1e-6)"),
    "log1p": ("at −1", "x.clamp(min=-1 + 1e-6)"),
    "logit": ("at 0 and 1", "x.clamp(1e-6, 1 - 1e-6)"),
}
"""For each op: where its slope is infinite, and Python code for an input to use instead of x."""
_SPECTRA = {
    **dict.fromkeys(("linalg_svd", "svd"), ("singular values", "torch.linalg.svdvals")),
    "linalg_eigh": ("eigenvalues", "torch.linalg.eigvalsh"),
    "linalg_eig": ("eigenvalues", "torch.linalg.eigvals"),
}
_SOFTMAX = frozenset((
    *("softmax", "log_softmax", "softmin"),
    *("multi_head_attention_forward", "scaled_dot_product_attention"),
))  # fmt: skip
_Birth = tuple[Node, str, int | None]
"""The node, what it computed ("NaN", "∞" or "−∞"), and the place, if the number was recorded."""
_Arises = tuple[Node, Edge, int, str, bool]
"""The node, the edge along which it sends a NaN or an infinity back, the place, "NaN" or "∞", and
whether the node's own upstream gradient had one already.
"""


def nonfinite(run: Run) -> list[Fault]:
    """Find the faults of both passes. One fault names a cause together with its consequences.

    If the result is finite but a gradient is not, the backward pass comes first. A fault of the
    forward pass then counts only if it leads to the place where the gradient breaks. A NaN that
    the program masks does no harm.
    """
    if run.spoiled:
        return list(_forward(run, [run.recording.output or ""])) or list(_backward(run))
    if not any(one.nonfinite for one in run.gradients.values()):
        return []
    found = list(_backward(run))
    nodes = run.recording.nodes
    places = [one.node for one in found if one.node in nodes]
    read = [edge.producer.name for one in places for edge in nodes[one].operands]
    for cause in _forward(run, [*places, *read]):
        after = run.graph.after([cause.node] if cause.node else [])
        consequences = [one for one in found if one.node in after]
        if not consequences:
            found.append(cause)
            continue
        # The op's value is not finite, so its slope isn't either; or a later op multiplies by it.
        first = consequences[0]
        says = f"{cause.says} The result is finite, but the gradient is not. {first.says}"
        both = replace(first, says=says, do=cause.do or first.do, node=cause.node)
        found = [both if one is first else one for one in found if one not in consequences[1:]]
    return found


def _forward(run: Run, ends: list[str]) -> Iterator[Fault]:
    """Find the first harmful infinity and NaN that an op computed from finite numbers."""
    births = list(_born(run.recording))
    known = _carried(run.recording, [name for name in ends if name in run.recording.nodes])
    if known or not run.spoiled:  # a NaN that torch.where removed explains nothing
        births = [one for one in births if one[0].name in known]
    # An infinity in a mask is intended, so report it only if nothing else explains the fault.
    births = [one for one in births if one[1] == "NaN" or not _intended(one[0])] or births
    infinity = next((one for one in births if one[1] != "NaN"), None)
    nan = next((one for one in births if one[1] == "NaN"), None)
    order, follows = [one for one in births if one in (infinity, nan)], ""
    if infinity and nan and nan[0].name in run.graph.after([infinity[0].name]) - {infinity[0].name}:
        order, follows = [infinity], f" It becomes the first NaN in {op_called(run, nan[0])}."
    elif nan in order[:1]:
        order = order[:1]
    for node, what, place in order:
        there = at_entry(place, node.outputs[0])
        if node.leaf:
            says = f"{sentence_start(called(node))} holds {what}{there} before any op ran.{follows}"
            do = "Find out where it comes from: the data, or an earlier step."
            yield Fault("nonfinite_input", says, do, node.name)
            continue
        says = (
            f"The first {what} of the forward pass comes from {op_called(run, node)}{there}"
            f"{_from_operands(node, place)}.{follows}"
        )
        yield Fault("nonfinite_forward", says, _after_forward(run, node, what, place), node.name)


def _born(recording: Recording) -> Iterator[_Birth]:
    """Yield each node that computes a NaN without reading one, or ∞ from finite numbers."""
    holds: dict[str, set[str]] = {}
    for node in recording:
        found = _bad_in(recording, node)
        holds[node.name] = set(found)
        read = set().union(*(holds.get(edge.producer.name, set()) for edge in node.operands))
        if "NaN" in found and "NaN" not in read:
            yield node, "NaN", found["NaN"]
        elif not read:
            yield from ((node, what, place) for what, place in found.items())


def _carried(recording: Recording, ends: Iterable[str]) -> set[str]:
    """Find the nodes whose NaN or infinity reaches one of these ends."""
    nodes = recording.nodes

    def bad(names: Iterable[str]) -> list[str]:
        return [name for name in names if _bad_in(recording, nodes[name])]

    return set(reached(bad(ends), lambda one: bad(e.producer.name for e in nodes[one].operands)))


def _intended(node: Node) -> bool:
    """Tell if the program wrote this infinity itself, as in a mask before a softmax."""
    written = any(isinstance(one, float) and math.isinf(one) for one in node.numbers)
    return written or node.kind == "constant"


def _bad_in(recording: Recording, node: Node) -> dict[str, int | None]:
    """Find a NaN, ∞ or −∞ in the outputs. If numbers were left out, search the whole tensors."""
    value, found = node.outputs[0], dict[str, int | None]()
    for place, one in enumerate(value.numbers):
        if not cmath.isfinite(one):
            found.setdefault("NaN" if isinstance(one, complex) else short(one), place)
    for tensor in recording.tensors.get(node.name, ()) if not found else ():
        if tensor.is_floating_point() and tensor.layout is torch.strided and not tensor.is_meta:
            whole = tensor.detach()
            if value.size > len(value.numbers) and not bool(torch.isfinite(whole).all()):
                return {"NaN" if bool(torch.isnan(whole).any()) else "∞": None}
    return found


def _from_operands(node: Node, place: int | None) -> str:
    """Say which numbers an elementwise op read there; "" for an op that reads several entries."""
    several = any(edge.value.size > 1 for edge in node.operands)
    if place is None or (node.type not in ELEMENTWISE and several):
        return ""
    index = unflat(place, node.outputs[0].shape)
    read = [
        f"{called(edge.producer)} = {short(edge.value.component(index))}"
        if edge.value.size
        else f"{called(edge.producer)} is empty"
        for edge in node.operands[:3]
    ]
    return f", where {listed(read)}" if read else ""


def _backward(run: Run) -> Iterator[Fault]:
    """Find the first infinity and the first NaN in the backward pass, in one fault if related."""
    found: dict[str, _Arises] = {}
    for one in _arising(run):
        found.setdefault(one[3], one)
        if "NaN" in found:
            break
    follows = ""
    if len(found) == 2 and found["NaN"][4]:
        follows = f" Later it becomes NaN, in {op_called(run, found.pop('NaN')[0])}."
    yield from (_told(run, one, follows) for one in found.values())
    nodes = run.recording.nodes
    bad = [name for name, one in run.gradients.items() if one.nonfinite] if not found else []
    for name in bad:
        hook = hook_on(run, nodes[name]) if name in nodes else ""
        if hook:
            says = f"{hook[0].upper()}{hook[1:]} makes the gradient of {name} NaN or infinite."
            yield Fault("nonfinite_backward", says, "Check what the hook divides by.", name)
    upstreams = [one for name in bad if name in nodes for one in nodes[name].upstream]
    if bad and all(bad_place(one) is None for one in upstreams):
        says = f"The gradient of {listed(bad)} has a NaN or ∞ in an entry that wasn't recorded."
        yield Fault("nonfinite_gradient", says, "Trace a smaller input.", bad[0])


def _arising(run: Run) -> Iterator[_Arises]:
    """Yield each edge along which an op sends back a NaN or an infinity that it didn't get."""
    for name in run.recording.order:
        node = run.recording.nodes[name]
        arrived = {
            _size(one.numbers[place]) for one in node.upstream
            if one is not None and (place := bad_place(one)) is not None
        }  # fmt: skip
        for edge in node.operands:
            place = bad_place(edge.offered)
            if place is None or edge.offered is None:
                continue
            what = _size(edge.offered.numbers[place])
            if what not in arrived:
                yield node, edge, place, what, bool(arrived)


def _size(one: object) -> str:
    """Write "∞" or "NaN", without a sign."""
    return short(one).removeprefix("−")


def _told(run: Run, one: _Arises, follows: str) -> Fault:
    node, edge, place, what, _ = one
    assert edge.offered is not None
    reads = edge.value.component(unflat(place, edge.offered.shape))
    at_output = _read_at(node, edge, place)
    upstream = node.upstream[0] if at_output is not None else None
    number = None if upstream is None else upstream.component(at_output or ())
    cause = ""
    if upstream is not None:
        several = edge.value.size < upstream.size
        there = f" at {list(at_output or ())}" if several else ""
        cause = f"the upstream gradient{there} is {short(number)}, and "
    sent, to = short(edge.offered.numbers[place]), called(edge.producer)
    said = {"op": op_called(run, node), "sent": sent, "to": to, "at": at_entry(place, edge.offered)}
    says = f"{WORDS('arises', what=what, cause=cause, reads=short(reads), **said)}{follows}"
    do = _after_backward(node, edge, place, at_output, number)
    return Fault("nonfinite_backward", says, do, node.name)


def _read_at(node: Node, edge: Edge, place: int) -> tuple[int, ...] | None:
    """Find the entry of the output where the NaN or infinity arose; None if it is unknown.

    An entry of a broadcast operand affects several outputs, and its gradient is a sum over them.
    Then it is the first output that adds a NaN or an infinity to the sum.
    """
    assert edge.offered is not None
    index, upstream = unflat(place, edge.offered.shape), node.upstream[0]
    if upstream is None or upstream.size == 1 or upstream.shape == edge.offered.shape:
        return index
    sums = terms(edge, index, LIMIT)
    bad = (one for one, local in sums if not math.isfinite(upstream.component(one) * local))
    return next(bad, None)


def _after_forward(run: Run, node: Node, what: str, place: int | None) -> str:
    """Say why an op computed `what` from finite numbers, and how to fix it."""
    value, kind = node.outputs[0], node.type
    reads = [edge.value for edge in node.operands]
    if value.dtype == "float16" and "∞" in what:
        return WORDS("float16_ends")
    if place is not None and _divides_by_zero(node, unflat(place, value.shape)):
        return _DIVIDE
    if any(one.size == 0 for one in reads):
        return WORDS("empty_tensor")
    if kind in ("std", "var", "std_mean", "var_mean") and reads and reads[0].size == value.size:
        return WORDS("of_one_value", op=kind)
    index = node.args[4] if len(node.args) > 4 else node.kwargs.get("ignore_index", -100)
    labels = reads[1].numbers if kind in ("cross_entropy", "nll_loss") and reads[1:] else ()
    if labels and {*labels} == {index}:
        return WORDS("every_label_ignored", op=kind, index=short(index), code=f"{index}")
    if what == "NaN" and (row := _masked(node, place)):
        return WORDS("row_masked", row=row)
    if kind == "pow" and what == "NaN" and node.numbers:
        return WORDS("power_not_real", power=short(node.numbers[0]))
    if together := _together(node):
        return together
    if kind in _REPAIRS and "clamp" in _REPAIRS[kind][1]:
        instead = _fitting(_REPAIRS[kind][1], value.dtype)
        return f"{WORDS('past_bounds', op=kind, instead=instead)}{_rounded(node)}"
    if kind in _REPAIRS or kind == "pow":
        more = _AFTERWARDS
        if kind.startswith("log") and what == "NaN":
            more = WORDS("logarithm_below_0")
        return f"{WORDS('clamp_or_add')} {more}"
    if kind in ("exp", "cosh", "sinh", "expm1"):
        if any(one.consumer.type == "sum" for one in run.graph.consumers.get(node.name, ())):
            return WORDS("sum_of_exp_overflows", dtype=value.dtype)
        return WORDS("exp_overflows", op=kind, dtype=value.dtype)
    if kind == "mul" and what == "NaN" and len(reads) == 2:
        return WORDS("zero_times_infinity")
    numbers = numbers_read(node)
    why = f"It reads {numbers}. " if numbers else ""
    return why + WORDS("smaller_range")


def _after_backward(
    node: Node, edge: Edge, place: int, at_output: tuple[int, ...] | None, came: Any
) -> str:
    """Say how to fix an op that got a finite gradient and sent back a NaN or an infinity."""
    assert edge.offered is not None
    if at_output is not None and _divides_by_zero(node, at_output):
        return _DIVIDE
    if node.type in _SPECTRA:
        what, alone = _SPECTRA[node.type]
        return WORDS("equal_spectrum", what=what, alone=alone)
    reads = edge.value.component(unflat(place, edge.offered.shape))
    if together := _together(node):
        return together
    if node.type in _REPAIRS and not isinstance(reads, complex):
        return _away(node, edge, came)
    if came == 0 and short(edge.offered.numbers[place]) == "NaN":
        return f"{WORDS('zero_times_slope', op=node.type)} {_BEFORE}"
    if edge.offered.dtype == "float16" and reads and math.isfinite(abs(reads)):
        return WORDS("float16_gradient")
    if node.type == "pow" and edge.operand == 1:
        least = short(min(node.operands[0].value.numbers, default=0.0))
        return WORDS("exponent_slope", least=least)
    if node.type == "pow":
        return WORDS("power_at_0")
    return f"{WORDS('slope_not_finite', op=node.type)} {_BEFORE}"


def _away(node: Node, edge: Edge, came: Any) -> str:
    """Say how to keep the input away from where the slope is infinite."""
    where, instead = _REPAIRS[node.type]
    zero = f" {WORDS('upstream_0')} {_AFTERWARDS}" if came == 0 else ""
    more = f" {WORDS('atan2')}" if node.type in ("acos", "asin") else ""
    keep = WORDS("keep_away", op=node.type, instead=_fitting(instead, edge.value.dtype))
    return (
        f"{WORDS('slope_infinite', op=node.type, where=where)}{zero} {keep}{more}{_rounded(node)}"
    )


def _fitting(instead: str, dtype: str) -> str:
    """The input to use in place of x, with numbers that do not vanish in this dtype."""
    small = {"float16": "1e-3", "bfloat16": "1e-2"}.get(dtype)
    return instead if small is None else instead.replace("1e-12", small).replace("1e-6", small)


def _rounded(node: Node) -> str:
    """Which number that the program writes near an op is 0 or 1 in its dtype; "" for none."""
    near = [node, *(edge.producer for edge in node.operands)]
    near += [edge.producer for one in near[1:] for edge in one.operands]
    for one in near:
        dtype = getattr(torch, one.outputs[0].dtype)
        for written in one.numbers:
            if isinstance(written, float) and dtype.is_floating_point:
                kept = float(torch.tensor(written, dtype=dtype))
                if kept != written and kept in (-1.0, 0.0, 1.0):
                    what = f"{one.type}{in_line(one.place)} reads {written!r}"
                    return f" {what}, which is {kept:g} in {one.outputs[0].dtype}."
    return ""


def _together(node: Node) -> str:
    """For log(softmax(x)) or log(sigmoid(x)), suggest the joint op, which avoids log(0)."""
    made_by = node.operands[0].producer.type if node.type == "log" and node.operands else ""
    joint = {"softmax": "log_softmax", "sigmoid": "functional.logsigmoid"}.get(made_by)
    return WORDS("joint_logarithm", op=made_by, joint=joint) if joint else ""


def _masked(node: Node, place: int | None) -> str:
    """Name the fully masked row of an attention or a softmax that gave a NaN; "" without one."""
    if node.type not in _SOFTMAX or any(math.inf in edge.value.numbers for edge in node.operands):
        return ""
    index = () if place is None else unflat(place, node.outputs[0].shape)
    if node.type == "multi_head_attention_forward" and len(index) == 3:
        return f"sample {index[1]}, query {index[0]} (counted from 0)"
    return f"the row of {list(index)}" if index else "one row"


def _divides_by_zero(node: Node, index: tuple[int, ...]) -> bool:
    """Tell if the denominator of a quotient is 0 at this index."""
    if node.type not in ("div", "reciprocal") or not node.operands:
        return False
    number_above = node.args and isinstance(node.args[0], (int, float))  # 1 / x, not x / 2
    if node.type == "reciprocal" or len(node.operands) == 2 or number_above:
        return bool(node.operands[-1].value.component(index) == 0)
    return 0 in node.numbers
