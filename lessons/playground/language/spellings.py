"""How torch, TensorFlow, JAX and numpy spell what the language has: programs are pasted from there.

``torch.relu(x)`` and ``x.relu()`` are ``relu(x)``; what has no such reading is answered with what
to write instead.
"""

import ast
from dataclasses import replace

from lessons.playground.language.functions import (
    FUNCTIONS,
    Signature,
    own_name,
    read_signature,
)
from lessons.playground.language.words import WORDS, by_name

MODULES = {"torch", "tf", "tensorflow", "np", "numpy", "jnp", "jax", "math", "F", "nn"}


def _row(signature: str, text: str) -> dict[str, Signature]:
    names, read = read_signature(signature, text)
    return {name: replace(read, name=name) for name in names}


_REDUCTION = " ".join(("size_average:None", "reduce:None", "reduction:'mean'"))
_TANH = "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x**3)))"
WRITTEN_OUT = {
    **_row("add a b alpha:1", "a + alpha * b"),
    **_row("sub|subtract a b alpha:1", "a - alpha * b"),
    **_row("mul|multiply a b", "a * b"),
    **_row("div|divide|true_divide a b rounding_mode:None", "a / b"),
    **_row("pow|power a b", "a**b"),
    **_row("neg|negative x", "-x"),
    **_row("gt|greater a b", "a > b"),
    **_row("ge|greater_equal a b", "a >= b"),
    **_row("lt|less a b", "a < b"),
    **_row("le|less_equal a b", "a <= b"),
    **_row("eq a b", "a == b"),
    **_row("ne|not_equal a b", "a != b"),
    **_row("reciprocal x", "1 / x"),
    **_row("rsqrt x", "1 / sqrt(x)"),
    **_row("log1p x", "log(1 + x)"),
    **_row("expm1 x", "exp(x) - 1"),
    **_row("tan x", "sin(x) / cos(x)"),
    **_row("trunc x", "sign(x) * floor(abs(x))"),
    **_row("hardtanh x min_val:-1 max_val:1 inplace:False",
           "where(x > min_val, where(x < max_val, x, max_val), min_val)"),
    **_row("clamp_min x low", "clamp(x, low)"),
    **_row("clamp_max x high", "clamp(x, -1e30, high)"),
    **_row("silu x inplace:False", "x * sigmoid(x)"),
    **_row("gelu x approximate:'none'", _TANH),
    **_row("leaky_relu x negative_slope:0.01 inplace:False",
           "where(x > 0, x, negative_slope * x)"),
    **_row("masked_fill x condition value", "where(condition, value, x)"),
    **_row("logsigmoid x", "-softplus(-x)"),
    **_row("elu x alpha:1 inplace:False",
           "where(x > 0, x, alpha * exp(clamp(x, -1e30, 0)) - alpha)"),
    **_row("norm x p:2 dim:None keepdim:False", "sqrt(sum(x**2))"),
    **_row("normalize x p:2 dim:1 eps:1e-12", "x / sqrt(maximum(sum(x**2), eps**2))"),
    **_row("cosine_similarity a b dim:1 eps:1e-08",
           "sum(a * b) / sqrt(maximum(sum(a**2), eps**2) * maximum(sum(b**2), eps**2))"),
    **_row(f"mse_loss x t {_REDUCTION} weight:None", "mean((x - t)**2)"),
    **_row(f"l1_loss x t {_REDUCTION} weight:None", "mean(abs(x - t))"),
    **_row(f"smooth_l1_loss x t {_REDUCTION} beta:1",
           "mean(where(abs(x - t) < beta, 0.5 * (x - t)**2 / beta, abs(x - t) - 0.5 * beta))"),
    **_row("huber_loss x t reduction:'mean' delta:1 weight:None",
           "mean(where(abs(x - t) < delta, 0.5 * (x - t)**2,"
           " delta * (abs(x - t) - 0.5 * delta)))"),
    **_row(f"binary_cross_entropy x t weight:None {_REDUCTION}",
           "mean(-t * log(x) - (1 - t) * log(1 - x))"),
    **_row(f"binary_cross_entropy_with_logits x t weight:None {_REDUCTION} pos_weight:None",
           "mean(softplus(x) - t * x)"),
    **_row(f"kl_div x t {_REDUCTION} log_target:False", "mean(t * (log(maximum(t, 1e-38)) - x))"),
    **_row("cross_entropy x t weight:None size_average:None ignore_index:-100 reduce:None"
           " reduction:'mean' label_smoothing:0", "-sum(t * log_softmax(x))"),
    **_row("int|long x", "stop_gradient(sign(x) * floor(abs(x)))"),
    **_row("item|numpy|tensor|Variable|Parameter x", "stop_gradient(x)"),
    **_row("gradient_reversal x scale:1", "flip_gradient(x, scale)"),
}  # fmt: skip
"""Torch's functions, written with the language's own; t is the target."""

TABLE: dict[str, Signature] = {**WRITTEN_OUT, **FUNCTIONS}

REMARKS = {
    ("gelu", "approximate", "'none'"): WORDS("gelu_by_tanh"),
    ("kl_div", "reduction", "'batchmean'"): WORDS("batchmean"),
}
"""Settings of functions whose text is not quite torch's then, and what is said of it."""


def operator_of(row: Signature) -> bool:
    """Whether a function is one operator under another name, as ``mul(a, b)`` is ``a * b``."""
    ops = (
        [part for part in ast.walk(row.written_out()) if isinstance(part, _OPS)] if row.text else []
    )
    return len(ops) == 1 and not isinstance(ops[0], ast.Call)


_OPS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)

TENSORS = {
    *("tensor", "Tensor", "FloatTensor", "as_tensor", "array", "Parameter", "new_tensor"),
}
SHAPES = {
    *("view", "reshape", "unsqueeze", "squeeze", "flatten", "expand", "expand_as", "permute", "t"),
}
WITHOUT_EFFECT = {
    *("float", "double", "half", "to", "type", "type_as", "cuda", "cpu", "view_as", "contiguous"),
    *("requires_grad_", "dropout", *SHAPES, *(TENSORS - {"tensor", "new_tensor", "Parameter"})),
}
"""What pasted code can do without: devices, shapes, number formats."""

NUMBERS = {
    **dict.fromkeys(("ones", "ones_like", "new_ones"), 1),
    **dict.fromkeys(("zeros", "zeros_like", "new_zeros"), 0),
}
NOISE = {
    **dict.fromkeys(("randn", "randn_like", "normal", "normal_"), "normal"),
    **dict.fromkeys(("rand", "rand_like", "uniform", "uniform_"), "uniform"),
}
"""Functions that draw numbers, and the distribution of each."""

OMITTED = by_name("omit")
"""What a program can do without, and why."""

INSTEAD = OMITTED | by_name("instead")
"""What to write instead of a name that means something elsewhere."""


def instead(name: str) -> str:
    """Say what to write instead of a function or method; empty if there is no word on it.

    >>> instead("tan"), instead("x_")
    ('Write sin(x) / cos(x).', '')
    """
    base = name[:-1]
    if name.endswith("_") and own_name(base) in TABLE:
        return WORDS("changes_in_place", name=name, base=base)
    name = name.rstrip("_")
    if name not in INSTEAD and (row := WRITTEN_OUT.get(name)):
        return WORDS("write", code=ast.unparse(row.written_out()).replace(" ** ", "**"))
    return INSTEAD.get(name, "")


def path(node: ast.AST) -> list[str]:
    """The names of a dotted path, the first one empty where it begins with no name.

    >>> [path(ast.parse(text).body[0].value) for text in ("F.relu", "(x + 1).sum")]
    [['F', 'relu'], ['', 'sum']]
    """
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return [node.id if isinstance(node, ast.Name) else "", *names]


def spelt(node: ast.expr) -> str:
    """The name of the function that a framework's path names; empty where it is no such path.

    >>> [spelt(ast.parse(text, mode="eval").body) for text in ("F.relu", "jax.lax.exp", "x.relu")]
    ['relu', 'exp', '']
    """
    root, *names = path(node)
    if not names:
        return root
    return own_name(names[-1]) if root in MODULES else ""
