"""Where infinities and NaNs arise, forward and on the way back, and what people do about them."""

import cmath
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import torch

from ..recorder import Edge, Node, Recording
from ..recorder.derivatives import ELEMENTWISE, terms
from ..recorder.recording.nodes import reached
from ..recorder.recording.plain_tensor import LIMIT, short, unflat
from ..text import listed
from .graph import bad_place
from .run import Run
from .words import Fault, at, called, hook_on, numbers_read, op_called, sentence_start

_AFTERWARDS = "torch.where behind it repairs the value and not the gradient."
_BEFORE = f"{_AFTERWARDS} Choose before the op: op(torch.where(mask, x, 1))."
_DIVIDE = (
    "The denominator is 0 there. If it is never negative, add a small number: x / (y + 1e-12). "
    f"Else choose it before the division, x / torch.where(y == 0, 1, y). {_AFTERWARDS}"
)
_REPAIRS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt"), ("at 0", "x + 1e-12")),
    **dict.fromkeys(("acos", "asin", "atanh", "erfinv"), ("at ±1", "x.clamp(-1 + 1e-6, 1 - 1e-6)")),
    "acosh": ("at 1", "x.clamp(min=1 + 1e-6)"),
    "log1p": ("at −1", "x.clamp(min=-1 + 1e-6)"),
    "logit": ("at 0 and 1", "x.clamp(1e-6, 1 - 1e-6)"),
}
"""Where the slope of an op is infinite, and what to give it instead of x, in Python."""
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
"""The node, what it made ("NaN", "∞" or "−∞"), and where, if that number is kept."""
_Arises = tuple[Node, Edge, int, str, bool]
"""The node, the edge along which it sends a NaN or an infinity back, the place, which of the two,
and whether another one came to the node.
"""


def nonfinite(run: Run) -> list[Fault]:
    """The faults of both passes, the cause first, and what follows from it in the same fault.

    If the result is finite, only the gradient is harmed. Then the backward pass comes first, and a
    fault of the forward pass counts only if it leads to the place where the gradient breaks. A NaN
    that the program masks again does no harm.
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
        follows = [one for one in found if one.node in after]
        if not follows:
            found.append(cause)
            continue
        # The op has no number there, and therefore no slope; or a later op multiplies by it.
        first = follows[0]
        says = f"{cause.says} The result is finite, the gradient is not. {first.says}"
        both = replace(first, says=says, do=cause.do or first.do, node=cause.node)
        found = [both if one is first else one for one in found if one not in follows[1:]]
    return found


def _forward(run: Run, ends: list[str]) -> Iterator[Fault]:
    """The first infinity and the first NaN that an op made of finite numbers, if they did harm."""
    births = list(_born(run.recording))
    known = _carried(run.recording, [name for name in ends if name in run.recording.nodes])
    if known or not run.spoiled:  # one that torch.where took away again explains nothing
        births = [one for one in births if one[0].name in known]
    # A mask before a softmax is no accident, unless nothing else explains the harm.
    births = [one for one in births if one[1] == "NaN" or not _intended(one[0])] or births
    infinity = next((one for one in births if one[1] != "NaN"), None)
    nan = next((one for one in births if one[1] == "NaN"), None)
    order, follows = [one for one in births if one in (infinity, nan)], ""
    if infinity and nan and nan[0].name in run.graph.after([infinity[0].name]) - {infinity[0].name}:
        order, follows = [infinity], f" The first NaN is made of it, by {op_called(run, nan[0])}."
    elif nan in order[:1]:
        order = order[:1]
    for node, what, place in order:
        there = at(place, node.outputs[0])
        if node.leaf:
            says = f"{sentence_start(called(node))} holds {what}{there} before any op ran.{follows}"
            do = "Look where it comes from: the data, or an earlier step."
            yield Fault("nonfinite_input", says, do, node.name)
            continue
        says = (
            f"The first {what} of the forward pass comes from {op_called(run, node)}{there}"
            f"{_from_operands(node, place)}.{follows}"
        )
        yield Fault("nonfinite_forward", says, _after_forward(node, what, place), node.name)


def _born(recording: Recording) -> Iterator[_Birth]:
    """Yield each node that makes a NaN without reading one, or an infinity of finite numbers."""
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
    """An infinity that the program itself wrote: a mask before a softmax."""
    written = any(isinstance(one, float) and math.isinf(one) for one in node.numbers)
    return written or node.kind == "constant"


def _bad_in(recording: Recording, node: Node) -> dict[str, int | None]:
    """Find a NaN, ∞ or −∞ in the outputs; beyond the numbers kept, ask the whole tensors."""
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
    """Say what an elementwise op read there; "" for an op that read more than one number."""
    several = any(edge.value.size > 1 for edge in node.operands)
    if place is None or (node.type not in ELEMENTWISE and several):
        return ""
    index = unflat(place, node.outputs[0].shape)
    read = [
        f"{called(edge.producer)} = {short(edge.value.component(index))}"
        if edge.value.size
        else f"{called(edge.producer)}, which is empty"
        for edge in node.operands[:3]
    ]
    return f", of {listed(read)}" if read else ""


def _backward(run: Run) -> Iterator[Fault]:
    """The first infinity and the first NaN on the way back; one that follows is no other fault."""
    found: dict[str, _Arises] = {}
    for one in _arising(run):
        found.setdefault(one[3], one)
        if "NaN" in found:
            break
    follows = ""
    if len(found) == 2 and found["NaN"][4]:
        follows = f" Further on it becomes NaN, in {op_called(run, found.pop('NaN')[0])}."
    yield from (_told(run, one, follows) for one in found.values())
    nodes = run.recording.nodes
    bad = [name for name, one in run.gradients.items() if one.nonfinite] if not found else []
    for name in bad:
        hook = hook_on(run, nodes[name]) if name in nodes else ""
        if hook:
            says = f"{hook[0].upper()}{hook[1:]} makes the gradient of {name} NaN or infinite."
            yield Fault("nonfinite_backward", says, "Look at what the hook divides by.", name)
    came = [one for name in bad if name in nodes for one in nodes[name].upstream]
    if bad and all(bad_place(one) is None for one in came):
        says = f"The gradient of {listed(bad)} has a NaN or ∞ that the graph doesn't keep."
        yield Fault("nonfinite_gradient", says, "Trace a smaller input.", bad[0])


def _arising(run: Run) -> Iterator[_Arises]:
    """Yield each edge along which an op sends back a NaN or an infinity that did not come to it."""
    for name in run.recording.order:
        node = run.recording.nodes[name]
        came = {
            _size(one.numbers[place]) for one in node.upstream
            if one is not None and (place := bad_place(one)) is not None
        }  # fmt: skip
        for edge in node.operands:
            place = bad_place(edge.offered)
            if place is None or edge.offered is None:
                continue
            what = _size(edge.offered.numbers[place])
            if what not in came:
                yield node, edge, place, what, bool(came)


def _size(one: object) -> str:
    """ "∞" or "NaN", whatever the sign."""
    return short(one).removeprefix("−")


def _told(run: Run, one: _Arises, follows: str) -> Fault:
    node, edge, place, what, _ = one
    assert edge.offered is not None
    reads = edge.value.component(unflat(place, edge.offered.shape))
    at_output = _read_at(node, edge, place)
    upstream = node.upstream[0] if at_output is not None else None
    number = None if upstream is None else upstream.component(at_output or ())
    came = ""
    if upstream is not None:
        several = edge.value.size < upstream.size
        came = f"{short(number)} came{f' at {list(at_output or ())}' * several}, "
    return Fault(
        "nonfinite_backward",
        f"The first {what} of the backward pass arises in {op_called(run, node)}: {came}"
        f"{short(edge.offered.numbers[place])} went back to {called(edge.producer)}"
        f"{at(place, edge.offered)}, which is {short(reads)}.{follows}",
        _after_backward(node, edge, place, at_output, number),
        node.name,
    )


def _read_at(node: Node, edge: Edge, place: int) -> tuple[int, ...] | None:
    """The place in the output where the NaN or infinity arose; None where that is not known.

    A broadcast operand is read at many, and its gradient sums what they send: the first one of
    them that sends no finite number.
    """
    assert edge.offered is not None
    index, came = unflat(place, edge.offered.shape), node.upstream[0]
    if came is None or came.size == 1 or came.shape == edge.offered.shape:
        return index
    sums = terms(edge, index, LIMIT)
    bad = (one for one, local in sums if not math.isfinite(came.component(one) * local))
    return next(bad, None)


def _after_forward(node: Node, what: str, place: int | None) -> str:
    """Say why an op made `what` of finite numbers, and what helps."""
    value, kind = node.outputs[0], node.type
    reads = [edge.value for edge in node.operands]
    if value.dtype == "float16" and "∞" in what:
        return "float16 ends at 65504. Compute this op in float32 or bfloat16, or scale before it."
    if place is not None and _divides_by_zero(node, unflat(place, value.shape)):
        return _DIVIDE
    if any(one.size == 0 for one in reads):
        return "Skip it where nothing is left (x.numel() == 0), or x.sum() / max(x.numel(), 1)."
    if kind in ("std", "var", "std_mean", "var_mean") and reads and reads[0].size == value.size:
        return (
            f"{kind} of one value divides by n − 1 = 0. Skip the normalisation for one value, or "
            f"write {kind}(correction=0), which is 0 for it."
        )
    index = node.args[4] if len(node.args) > 4 else node.kwargs.get("ignore_index", -100)
    labels = reads[1].numbers if kind in ("cross_entropy", "nll_loss") and reads[1:] else ()
    if labels and {*labels} == {index}:
        return (
            f"Every label equals ignore_index ({short(index)}), so the mean is over nothing. "
            f"Skip such a batch; or divide the sum by a count that is at least 1: {kind}(…, "
            f"reduction='sum') / (labels != {index}).sum().clamp(min=1), which is 0 here."
        )
    if what == "NaN" and (row := _masked(node, place)):
        return (
            f"In {row} every key is masked, so softmax is 0/0. Leave at least one key in each row, "
            "such as the query itself; or give such rows a finite mask (torch.finfo(dtype).min) "
            "and take them out of the loss."
        )
    if kind == "pow" and what == "NaN" and node.numbers:
        power = short(node.numbers[0])
        return (
            f"A negative number to the power {power} is not real. Keep the sign outside, x.sign() "
            f"* x.abs() ** {power}, or clamp it: x.clamp(min=1e-12) ** {power}."
        )
    if together := _together(node):
        return together
    if kind in _REPAIRS and "clamp" in _REPAIRS[kind][1]:
        return (
            "Keep what it reads inside the bounds of the op, past which rounding can take it: "
            f"{kind}({_REPAIRS[kind][1]})."
        )
    if kind in _REPAIRS or kind == "pow":
        more = _AFTERWARDS
        if kind.startswith("log") and what == "NaN":
            more = "A logarithm is not defined below 0: look why it is negative."
        return f"Clamp what it reads, or add a small number to it, before the op. {more}"
    if kind in ("exp", "cosh", "sinh", "expm1"):
        return f"exp overflows {value.dtype}: subtract the maximum first, or use logsumexp."
    if kind == "mul" and what == "NaN" and len(reads) == 2:
        do = "Put a finite number in place of the infinity first: x.masked_fill(x.isinf(), 0)."
        return f"0 · ∞ is NaN. {do}"
    numbers = numbers_read(node)
    why = f"It reads {numbers}. " if numbers else ""
    return f"{why}Bring these numbers into a smaller range before the op."


def _after_backward(
    node: Node, edge: Edge, place: int, at_output: tuple[int, ...] | None, came: Any
) -> str:
    """Say what helps if a finite gradient came and a NaN or an infinity went back."""
    assert edge.offered is not None
    if at_output is not None and _divides_by_zero(node, at_output):
        return _DIVIDE
    if node.type in _SPECTRA:
        what, alone = _SPECTRA[node.type]
        return (
            f"The gradient of the vectors is undefined where two {what} are equal or close to each "
            f"other, as two zeros are. If the values are enough, use {alone}; else perturb the "
            "matrix, or detach the vectors."
        )
    reads = edge.value.component(unflat(place, edge.offered.shape))
    if together := _together(node):
        return together
    if node.type in _REPAIRS and not isinstance(reads, complex):
        return _tried(node, edge, reads, came)
    if came == 0 and short(edge.offered.numbers[place]) == "NaN":
        return (
            f"0 came, and the slope of {node.type} is not finite there: their product is NaN. "
            f"{_BEFORE}"
        )
    if edge.offered.dtype == "float16" and reads and math.isfinite(abs(reads)):
        return (
            "The gradient is larger than float16 can be, 65504. Use a smaller loss scale: "
            "torch.amp.GradScaler leaves out such a step and halves the scale. Or use bfloat16."
        )
    if node.type == "pow" and edge.operand == 1:
        return (
            "The slope in the exponent is x**p · log(x), and the base goes down to "
            f"{short(min(node.operands[0].value.numbers, default=0.0))}, which has no logarithm. "
            "Detach the exponent, or keep the base above 0."
        )
    if node.type == "pow":
        return "The slope of pow is infinite at 0 here. Add a small number: (x + 1e-12) ** p."
    return f"The slope of {node.type} is not finite there. {_BEFORE}"


def _tried(node: Node, edge: Edge, reads: float, came: Any) -> str:
    """The usual repair of an infinite slope, and what the gradient becomes with it."""
    where, instead = _REPAIRS[node.type]
    op, dtype = getattr(torch, node.type), getattr(torch, edge.value.dtype)
    x = torch.tensor(reads, dtype=dtype, requires_grad=True)
    with torch.enable_grad():
        slope, other = (
            float(torch.autograd.grad(op(given), x)[0]) for given in (x, eval(instead, {"x": x}))
        )
    if math.isnan(slope):
        return f"{node.type} is not defined at {short(reads)}. {_BEFORE}"
    sent = other * (1.0 if came is None else float(came))
    becomes = f": the gradient there becomes {short(sent)}" if math.isfinite(sent) else ""
    zero = f" 0 came, and 0 · ∞ is NaN. {_AFTERWARDS}" if came == 0 else ""
    more = ""
    if node.type in ("acos", "asin"):
        more = " For an angle, torch.atan2(sine, cosine) has a finite slope everywhere."
    return (
        f"The slope of {node.type} is infinite {where}.{zero} Keep what it reads away from there: "
        f"{node.type}({instead}){becomes}.{more}"
    )


def _together(node: Node) -> str:
    """For log(softmax(x)) and log(sigmoid(x)): one op that does not go through 0."""
    made_by = node.operands[0].producer.type if node.type == "log" and node.operands else ""
    joint = {"softmax": "log_softmax", "sigmoid": "functional.logsigmoid"}.get(made_by)
    use = f"{made_by} was rounded to 0. Use {joint}(x), which computes the logarithm without it."
    return use if joint else ""


def _masked(node: Node, place: int | None) -> str:
    """Which row of an attention or a softmax has only masked entries, if it made a NaN there."""
    if node.type not in _SOFTMAX or any(math.inf in edge.value.numbers for edge in node.operands):
        return ""
    index = () if place is None else unflat(place, node.outputs[0].shape)
    if node.type == "multi_head_attention_forward" and len(index) == 3:
        return f"sample {index[1]}, query {index[0]} (counted from 0)"
    return f"the row of {list(index)}" if index else "one row"


def _divides_by_zero(node: Node, index: tuple[int, ...]) -> bool:
    """Whether a quotient's denominator is 0 at this index."""
    if node.type not in ("div", "reciprocal") or not node.operands:
        return False
    number_above = node.args and isinstance(node.args[0], (int, float))  # 1 / x, not x / 2
    if node.type == "reciprocal" or len(node.operands) == 2 or number_above:
        return bool(node.operands[-1].value.component(index) == 0)
    return 0 in node.numbers
