"""Where infinities and NaNs arise, forward and on the way back, and what one does about each."""

import math
from collections.abc import Iterator

from ..recorder import Edge, Node, Value
from ..recorder.derivatives.along_edge import terms
from ..recorder.derivatives.elementwise import ELEMENTWISE
from ..recorder.recording.plain_tensor import LIMIT, unflat
from ..text import listed
from .births import born, carried, harmed, intended, spoiled
from .cuts import Told, sentence_start
from .graph import bad_place
from .stops import called
from .watch import Run
from .words import at, op_called, spelled

REPAIRS = "torch.where behind it repairs the value and not the gradient."
DIVIDE = (
    "The denominator is 0 there. If it is never negative, add a small number to it: "
    "x / (y + 1e-12). Else choose it before the division: x / torch.where(y == 0, 1, y). "
    "Another torch.where, behind it, may then set the result; alone, that one repairs the "
    "value and not the gradient."
)


def nonfinite(run: Run) -> list[Told]:
    """The faults of both passes, the cause first.

    With a result that is finite the harm is in the gradient: the backward pass comes first, and of
    the forward pass what leads to the place where the gradient breaks.
    """
    back = list(_backward(run))
    if spoiled(run):
        return _once([*_forward(run, [run.recording.output or ""]), *back])
    places = [node for *_, node in back if node in run.recording.nodes]
    read = [edge.producer.name for one in places for edge in run.recording.nodes[one].operands]
    return _once([*back, *_forward(run, [*places, *read])])


def _once(told: list[Told]) -> list[Told]:
    """The same advice is given once."""
    given: set[str] = set()
    found = []
    for kind, says, do, node in told:
        found.append((kind, says, "" if do in given else do, node))
        given.add(do)
    return found


def _forward(run: Run, ends: list[str]) -> Iterator[Told]:
    """The first infinity and the first NaN that an op made of finite numbers, if they did harm."""
    if not harmed(run):
        return
    births = list(born(run.recording))
    known = carried(run.recording, [name for name in ends if name in run.recording.nodes])
    if known or not spoiled(run):  # one that torch.where took away again explains nothing
        births = [one for one in births if one[0].name in known]
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
            yield (
                "nonfinite_input", f"{name} holds {what}{at(place, value)} before any op ran.",
                "Look where it comes from: the data, or an earlier step.", node.name,
            )  # fmt: skip
        else:
            yield (
                "nonfinite_forward",
                f"The first {what} of the forward pass comes from {op_called(run, node)}"
                f"{at(place, value)}{_from_operands(node, place)}.",
                _finite_again(node, value, what, place),
                node.name,
            )
        if nan:
            return


def _finite_again(node: Node, value: Value, what: str, place: int | None) -> str:
    if value.dtype == "float16" and "∞" in what:
        return "float16 ends at 65504. Compute this op in float32 or bfloat16, or scale before it."
    if place is not None and _divides_by_zero(node, unflat(place, value.shape)):
        return DIVIDE
    if node.type in ("log", "sqrt", "rsqrt", "pow", "log2", "log10"):
        here = (
            "Keep what it reads where the op is defined: clamp it, or add a small number, before "
            "the op."
        )
        if node.type.startswith("log") and what == "NaN":
            return f"{here} A logarithm is not defined below 0: look why it is negative."
        return f"{here} {REPAIRS}"
    if node.type in ("exp", "cosh", "sinh", "expm1"):
        return f"exp overflows {value.dtype}: subtract the maximum first, or use logsumexp."
    return "Look at what the op reads."


def _from_operands(node: Node, place: int | None) -> str:
    """What an elementwise op read there; of another op it is more than one number an operand."""
    if place is None or (node.type not in ELEMENTWISE and any(_many(e) for e in node.operands)):
        return ""
    index = unflat(place, node.outputs[0].shape)
    read = [
        f"{called(edge.producer)} = {spelled(edge.value.component(index))}"
        if edge.value.size
        else f"{called(edge.producer)}, which is empty"
        for edge in node.operands[:3]
    ]
    return f", of {listed(read)}" if read else ""


def _many(edge: Edge) -> bool:
    return edge.value.size > 1


def _backward(run: Run) -> Iterator[Told]:
    """The first infinity and the first NaN on the way back, each where it arises."""
    shown: set[str] = set()
    for name in run.recording.order:
        node = run.recording.nodes[name]
        if any(bad_place(one) is not None for one in node.upstream):
            came = {spelled(one.numbers[p]) for one in node.upstream
                    if one is not None and (p := bad_place(one)) is not None}  # fmt: skip
        else:
            came = set()
        for edge in node.operands:
            place = bad_place(edge.offered)
            if place is None or edge.offered is None:
                continue
            what = spelled(edge.offered.numbers[place]).removeprefix("−")
            if what in shown or what in {one.removeprefix("−") for one in came} or "NaN" in shown:
                continue
            shown.add(what)
            yield _born(run, node, edge, place, what)
    bad = [name for name, one in run.gradients.items() if one.nonfinite]
    if bad and not shown and not any(_bad_upstream(run.recording.nodes.get(n)) for n in bad):
        yield (
            "nonfinite_gradient",
            f"The gradient of {listed(bad)} has a NaN or an infinity, in an entry that the graph "
            "does not keep.",
            "Trace a smaller input.",
            bad[0],
        )


def _bad_upstream(node: Node | None) -> bool:
    return node is not None and any(bad_place(one) is not None for one in node.upstream)


def _born(run: Run, node: Node, edge: Edge, place: int, what: str) -> Told:
    assert edge.offered is not None
    reads = edge.value.component(unflat(place, edge.offered.shape))
    at_output = _read_at(node, edge, place)
    upstream = node.upstream[0] if at_output is not None else None
    number = None if upstream is None else upstream.component(at_output or ())
    came = ""
    if upstream is not None:
        several = edge.value.size < upstream.size
        came = f"{spelled(number)} came{f' at {list(at_output or ())}' * several}, "
    return (
        "nonfinite_backward",
        f"The first {what} of the backward pass arises in {op_called(run, node)}: {came}"
        f"{spelled(edge.offered.numbers[place])} went back to {called(edge.producer)}"
        f"{at(place, edge.offered)}, which is {spelled(reads)}.",
        _slope(node, edge, place, at_output, number),
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
    products = (
        (position, came.component(position) * local)
        for position, local in terms(edge, index, LIMIT)
    )
    return next((position for position, sent in products if not math.isfinite(sent)), None)


def _slope(
    node: Node, edge: Edge, place: int, at_output: tuple[int, ...] | None, came: object
) -> str:
    """What helps where a gradient that came finite went back as a NaN or an infinity."""
    assert edge.offered is not None
    if at_output is not None and _divides_by_zero(node, at_output):
        return DIVIDE
    if came == 0 and spelled(edge.offered.numbers[place]) == "NaN":
        return (
            f"0 came, and the slope of {node.type} is not finite there: their product is NaN. "
            f"{REPAIRS} "
            "Choose before the op: op(torch.where(mask, x, 1))."
        )
    reads = edge.value.component(unflat(place, edge.offered.shape))
    if edge.offered.dtype == "float16" and reads and math.isfinite(abs(reads)):
        return (
            "The gradient is larger than float16 can be, 65504. Use a smaller loss scale: "
            "torch.amp.GradScaler leaves out such a step and halves the scale. Or use bfloat16."
        )
    if spelled(edge.offered.numbers[place]) == "NaN":
        return "0 · ∞ is NaN: what came is infinite, or the slope is."
    if node.type in ("log", "log2", "log10"):
        return (
            f"The slope of {node.type} is infinite there. Clamp what it reads, or add a small "
            "number before it, not behind: log(x + 1e-12)."
        )
    if node.type in ("sqrt", "rsqrt", "norm", "linalg_vector_norm", "pow", "std", "var",
                     "linalg_norm", "cdist", "acos", "asin"):  # fmt: skip
        return (
            f"The slope of {node.type} is infinite there. Add a small number before it, not "
            "behind: sqrt(x + 1e-12). torch.where behind it does not help, for 0 · ∞ is NaN."
        )
    return ""


def _divides_by_zero(node: Node, index: tuple[int, ...]) -> bool:
    """Whether a quotient's denominator is 0 at this index."""
    if node.type not in ("div", "reciprocal") or not node.operands:
        return False
    if node.type == "reciprocal" or len(node.operands) == 2 or _number_above(node):
        return bool(node.operands[-1].value.component(index) == 0)
    return 0 in node.numbers


def _number_above(node: Node) -> bool:
    """Of 1 / x the number comes first; of x / 2 the tensor."""
    return bool(node.args) and isinstance(node.args[0], (int, float))
