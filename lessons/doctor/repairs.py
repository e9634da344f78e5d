"""What people do about an infinity or a NaN, tried on the numbers that were recorded."""

import math
from itertools import pairwise
from typing import Any

import torch

from ..recorder import Edge, Node, Value
from ..recorder.recording.plain_tensor import unflat
from ..tricks.rule import Slot
from .words import called, spelled

AFTERWARDS = "torch.where behind it repairs the value and not the gradient."
_BEFORE = f"{AFTERWARDS} Choose before the op: op(torch.where(mask, x, 1))."
DIVIDE = (
    "The denominator is 0 there. If it is never negative, add a small number: x / (y + 1e-12). "
    "Else choose it before the division, x / torch.where(y == 0, 1, y). A torch.where behind it "
    "alone repairs the value and not the gradient."
)
_REPAIRS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt"), ("at 0", "x + 1e-12")),
    **dict.fromkeys(("acos", "asin", "atanh", "erfinv"), ("at ±1", "x.clamp(-1 + 1e-6, 1 - 1e-6)")),
    "acosh": ("at 1", "x.clamp(min=1 + 1e-6)"),
    "log1p": ("at −1", "x.clamp(min=-1 + 1e-6)"),
    "logit": ("at 0 and 1", "x.clamp(1e-6, 1 - 1e-6)"),
}
"""Where the slope of an op is infinite, and what to give it instead of x, in Python."""
_ANGLES = (
    " A clamp to ±1 itself lets the infinity through. For an angle, torch.atan2(sine, cosine) has "
    "a finite slope everywhere."
)
_SPECTRA = {
    **dict.fromkeys(("linalg_svd", "svd"), ("singular values", "torch.linalg.svdvals")),
    "linalg_eigh": ("eigenvalues", "torch.linalg.eigvalsh"),
    "linalg_eig": ("eigenvalues", "torch.linalg.eigvals"),
}


def after_forward(node: Node, what: str, place: int | None) -> tuple[str, str]:
    """A further reason, and what helps, where an op made `what` of finite numbers."""
    value, kind = node.outputs[0], node.type
    reads = [edge.value for edge in node.operands]
    if value.dtype == "float16" and "∞" in what:
        return "", (
            "float16 ends at 65504. Compute this op in float32 or bfloat16, or scale before it."
        )
    if place is not None and _divides_by_zero(node, unflat(place, value.shape)):
        return "", DIVIDE
    if kind in ("std", "var", "std_mean", "var_mean") and reads and reads[0].size == value.size:
        return f" {kind} of one value divides by n − 1 = 0.", (
            f"Skip the normalisation for one value, or write {kind}(correction=0), which is 0 for "
            "it; then (x - mean) / (std + 1e-8) is 0 too."
        )
    if any(one.size == 0 for one in reads):
        return "", "Skip it where nothing is left (x.numel() == 0), or x.sum() / max(x.numel(), 1)."
    index = _argument(node, 4, "ignore_index", -100)
    labels = _whole(reads[1]) if kind in ("cross_entropy", "nll_loss") and reads[1:] else None
    if labels is not None and bool((labels == index).all()):
        why = f" Every label equals ignore_index ({spelled(index)}), so the mean is over nothing."
        return why, (
            f"Skip such a batch; or divide the sum by a count that is at least 1: {kind}(…, "
            f"reduction='sum') / (labels != {index}).sum().clamp(min=1), which is 0 here."
        )
    if row := _masked(node):
        return f" In {row} every key is masked, so softmax is 0/0.", (
            "Leave at least one key in each row, such as the query itself; or give such rows a "
            "finite mask (torch.finfo(dtype).min) and take them out of the loss."
        )
    if power := _root(node):
        return f" A negative number to the power {power} is not real.", (
            f"Keep the sign outside, x.sign() * x.abs() ** {power}, or clamp it: x.clamp(min=1e-12)"
            f" ** {power}."
        )
    if _together(node):
        return "", _together(node)
    if kind in _REPAIRS and "clamp" in _REPAIRS[kind][1]:
        return "", (
            "Keep what it reads inside the bounds of the op, past which rounding can take it: "
            f"{kind}({_REPAIRS[kind][1]})."
        )
    if kind in _REPAIRS or kind == "pow":
        more = AFTERWARDS
        if kind.startswith("log") and what == "NaN":
            more = "A logarithm is not defined below 0: look why it is negative."
        return "", f"Clamp what it reads, or add a small number to it, before the op. {more}"
    if kind in ("exp", "cosh", "sinh", "expm1"):
        return "", f"exp overflows {value.dtype}: subtract the maximum first, or use logsumexp."
    if kind == "mul" and what == "NaN" and len(reads) == 2:
        return " 0 · ∞ is NaN.", (
            "Put a finite number in place of the infinity before the op, as in "
            "x.masked_fill(x.isinf(), 0)."
        )
    return _range(node), "Bring these numbers into a smaller range before the op."


def after_backward(
    node: Node, edge: Edge, place: int, at_output: tuple[int, ...] | None, came: Any
) -> str:
    """What helps where a gradient that came finite went back as a NaN or an infinity."""
    assert edge.offered is not None
    if at_output is not None and _divides_by_zero(node, at_output):
        return DIVIDE
    if node.type in _SPECTRA:
        return _equal(node)
    reads = edge.value.component(unflat(place, edge.offered.shape))
    if _together(node):
        return _together(node)
    if node.type in _REPAIRS and not isinstance(reads, complex):
        return _tried(node, edge, reads, came)
    if came == 0 and spelled(edge.offered.numbers[place]) == "NaN":
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
            f"{spelled(min(node.operands[0].value.numbers, default=0.0))}, which has no logarithm. "
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
        return f"{node.type} is not defined at {spelled(reads)}. {_BEFORE}"
    sent = other * (1.0 if came is None else float(came))
    becomes = f": the gradient there becomes {spelled(sent)}" if math.isfinite(sent) else ""
    zero = f" 0 came, and 0 · ∞ is NaN. {AFTERWARDS}" if came == 0 else ""
    do = "Add a small number before it, not behind, or clamp it"
    if "clamp" in instead:
        do = "Clamp what it reads to a little inside its bounds"
    more = _ANGLES if node.type in ("acos", "asin") else ""
    return (
        f"The slope of {node.type} is infinite {where}.{zero} {do}, {node.type}({instead})"
        f"{becomes}.{more}"
    )


def _together(node: Node) -> str:
    """For log(softmax(x)) and log(sigmoid(x)): one op that does not go through 0."""
    made_by = node.operands[0].producer.type if node.type == "log" and node.operands else ""
    joint = {"softmax": "log_softmax", "sigmoid": "functional.logsigmoid"}.get(made_by)
    use = f"{made_by} was rounded to 0. Use {joint}(x), which computes the logarithm without it."
    return use if joint else ""


def _argument(node: Node, place: int, name: str, default: Any = None) -> Any:
    if len(node.args) > place:
        return node.args[place]
    return node.kwargs.get(name, default)


def _whole(value: Value) -> torch.Tensor | None:
    """The tensor of a value of which all numbers are kept."""
    if len(value.numbers) < value.size:
        return None
    return torch.tensor(list(value.numbers)).reshape(value.shape)


def _masked(node: Node) -> str:
    """A row of a softmax in which every entry is masked; "" for none."""
    if node.type == "multi_head_attention_forward":
        return _without_keys(node)
    if node.type in ("softmax", "log_softmax", "softmin") and node.operands:
        tensor, dim = _whole(node.operands[0].value), _argument(node, 1, "dim", -1)
        if tensor is not None and tensor.dim() and isinstance(dim, int):
            rows = (tensor == -math.inf).all(dim)
            return f"row {rows.nonzero()[0].tolist()}" if bool(rows.any()) else ""
    return ""


def _without_keys(node: Node) -> str:
    """The first query of multi-head attention whose keys both masks together hide."""
    padding, mask = (_mask(node, place, name) for place, name in
                     ((14, "key_padding_mask"), (16, "attn_mask")))  # fmt: skip
    hidden: torch.Tensor | None = None
    if padding is not None:
        hidden = padding[:, None, :] if padding.dim() == 2 else padding[None, None, :]
    if mask is not None:
        mask = mask[None] if mask.dim() == 2 else mask
        heads = mask.shape[0] // (1 if hidden is None else hidden.shape[0])
        mask = mask[::heads] if mask.shape[0] > 1 and heads > 1 else mask
        hidden = mask if hidden is None else hidden | mask
    if hidden is None or not bool(hidden.all(-1).any()):
        return ""
    sample, query = hidden.all(-1).nonzero()[0].tolist()
    every = hidden.shape[1] == 1
    return f"sample {sample}" if every else f"sample {sample}, query {query} (counted from 0)"


def _mask(node: Node, place: int, name: str) -> torch.Tensor | None:
    slot = _argument(node, place, name)
    tensor = _whole(node.operands[slot.place].value) if isinstance(slot, Slot) else None
    return tensor if tensor is None or tensor.dtype == torch.bool else tensor == -math.inf


def _root(node: Node) -> str:
    """The power, where it is not whole and the base has a negative number; "" elsewhere."""
    if node.type != "pow" or not node.operands:
        return ""
    power = next((one for one in node.numbers if isinstance(one, (int, float))), math.inf)
    base = [one for one in node.operands[0].value.numbers if isinstance(one, (int, float))]
    real = not math.isfinite(power) or power == int(power) or min(base, default=0) >= 0
    return "" if real else spelled(power)


def _equal(node: Node) -> str:
    """The gradient of singular vectors where singular values are equal."""
    what, alone = _SPECTRA[node.type]
    values = min(node.outputs, key=lambda one: len(one.shape))
    many = (values.shape or (1,))[-1]
    rows = [sorted(values.numbers[at : at + many], key=abs) for at in range(0, values.size, many)]
    near = 1e-6 * max(map(abs, values.numbers), default=0.0)
    zeros = sum(abs(one) <= near for one in rows[0])
    equal = any(abs(b - a) <= near for row in rows for a, b in pairwise(row))
    how = "equal" if equal else "close to each other"
    how += f" (here {zeros} that are 0 up to rounding)" * (equal and zeros > 1)
    return (
        f"Two or more {what} are {how}: the gradient of the vectors is undefined where they are "
        f"equal. If the values are enough, use {alone}; else perturb the matrix, or detach the "
        "vectors."
    )


def _range(node: Node) -> str:
    """From where to where the numbers go that an op reads."""
    parts = [
        f"{called(edge.producer)} from {spelled(min(edge.value.numbers))} to "
        f"{spelled(max(edge.value.numbers))}"
        for edge in node.operands[:3]
        if edge.value.numbers and not isinstance(edge.value.numbers[0], complex)
    ]
    return f" It reads {', '.join(parts)}." if parts else ""


def _divides_by_zero(node: Node, index: tuple[int, ...]) -> bool:
    """Whether a quotient's denominator is 0 at this index."""
    if node.type not in ("div", "reciprocal") or not node.operands:
        return False
    number_above = node.args and isinstance(node.args[0], (int, float))  # 1 / x, not x / 2
    if node.type == "reciprocal" or len(node.operands) == 2 or number_above:
        return bool(node.operands[-1].value.component(index) == 0)
    return 0 in node.numbers
