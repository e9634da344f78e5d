"""How torch, TensorFlow, JAX and numpy spell what the language has: programs are pasted from there.

``torch.relu(x)`` and ``x.relu()`` are ``relu(x)``; what has no such reading is answered with what
to write instead.
"""

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.words import WORDS

MODULES = {"torch", "tf", "tensorflow", "np", "numpy", "jnp", "jax", "math", "F", "nn"}
_WITHIN = {
    "nn",
    "functional",
    "utils",
    "linalg",
    "autograd",
    "math",
    "lax",
    "numpy",
    "scipy",
    "special",
}

KEYWORDS = {"min": "low", "max": "high", "dim": "axis", "input": "x"}
"""A parameter's name elsewhere, and here."""

_FUNCTIONS = {
    "clip": "clamp",
    "clip_by_value": "clamp",
    "reduce_sum": "sum",
    "reduce_mean": "mean",
    "clone": "identity",
    "t": "transpose",
    "reduce_logsumexp": "logsumexp",
    "top_k": "topk",
}

OPERATORS = {
    **dict.fromkeys(("pow", "power"), "**"),
    **dict.fromkeys(("mul", "multiply"), "*"),
    "add": "+",
    **dict.fromkeys(("sub", "subtract"), "-"),
    **dict.fromkeys(("div", "divide", "true_divide"), "/"),
}
"""An operator spelt as a function of two operands: ``x.pow(2)`` is ``x**2``."""


class WrittenOut(NamedTuple):
    """A function of torch, written with the functions that the language has.

    Args:
        operands: the names that stand for its operands in the text.
        settings: its other parameters in torch's order, each with its default as code. A setting
            that the text doesn't name must have its default, or the call is not read.
        text: the expression.
    """

    operands: tuple[str, ...]
    settings: Mapping[str, str]
    text: str

    def code(self, settings: Mapping[str, str] = {}) -> str:
        """The expression with these settings, each as code, and the others at their defaults."""
        known = {**self.settings, **settings}
        text = re.sub(r"[a-z_]+", lambda word: known.get(word[0], word[0]), self.text)
        return re.sub(r"\b1 \* | [*/] 1(?![\d.])", "", text)


def _row(signature: str, text: str) -> dict[str, WrittenOut]:
    """Read ``name operand … setting=default …``; several names are joined by a bar."""
    names, *words = signature.split()
    operands = tuple(word for word in words if "=" not in word)
    settings = dict(word.split("=") for word in words if "=" in word)
    return dict.fromkeys(names.split("|"), WrittenOut(operands, settings, text))


_OLD = " ".join(("size_average=None", "reduce=None", "reduction='mean'"))
_TANH = "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x**3)))"
WRITTEN_OUT = {
    **_row(f"mse_loss x t {_OLD} weight=None", "mean((x - t)**2)"),
    **_row(f"l1_loss x t {_OLD} weight=None", "mean(abs(x - t))"),
    **_row(f"smooth_l1_loss x t {_OLD} beta=1",
                   "mean(where(abs(x - t) < beta, 0.5 * (x - t)**2 / beta,"
                   " abs(x - t) - 0.5 * beta))"),
    **_row("huber_loss x t reduction='mean' delta=1 weight=None",
                   "mean(where(abs(x - t) < delta, 0.5 * (x - t)**2,"
                   " delta * (abs(x - t) - 0.5 * delta)))"),
    **_row(f"binary_cross_entropy x t weight=None {_OLD}",
                   "mean(-t * log(x) - (1 - t) * log(1 - x))"),
    **_row(f"binary_cross_entropy_with_logits x t weight=None {_OLD} pos_weight=None",
                   "mean(softplus(x) - t * x)"),
    **_row(f"kl_div x t {_OLD} log_target=False", "mean(t * (log(t) - x))"),
    **_row("cross_entropy x t weight=None size_average=None ignore_index=-100 reduce=None"
                   " reduction='mean' label_smoothing=0", "-sum(t * log_softmax(x))"),
    **_row("norm x p=2 dim=None keepdim=False", "sqrt(sum(x**2))"),
    **_row("normalize x p=2 dim=1 eps=1e-12", "x / maximum(sqrt(sum(x**2)), eps)"),
    **_row("cosine_similarity a b dim=1 eps=1e-08",
                   "sum(a * b) / (maximum(sqrt(sum(a**2)), eps) * maximum(sqrt(sum(b**2)), eps))"),
    **_row("relu x inplace=False", "relu(x)"),
    **_row("softplus x beta=1 threshold=20", "softplus(beta * x) / beta"),
    **_row("silu x inplace=False", "x * sigmoid(x)"),
    **_row("gelu x approximate='none'", _TANH),
    **_row("leaky_relu x negative_slope=0.01 inplace=False",
                   "where(x > 0, x, negative_slope * x)"),
    **_row("logsigmoid x", "-softplus(-x)"),
    **_row("elu x alpha=1 inplace=False",
                   "where(x > 0, x, alpha * exp(clamp(x, -1e30, 0)) - alpha)"),
    **_row("reciprocal x", "1 / x"),
    **_row("rsqrt x", "1 / sqrt(x)"),
    **_row("log1p x", "log(1 + x)"),
    **_row("expm1 x", "exp(x) - 1"),
    **_row("tan x", "sin(x) / cos(x)"),
    **_row("trunc x", "sign(x) * floor(abs(x))"),
    **_row("int|long x", "stop_gradient(sign(x) * floor(abs(x)))"),
    **_row("item|numpy|tensor|Variable x", "stop_gradient(x)"),
    **_row("neg|negative x", "-x"),
    **_row("add x b alpha=1", "x + alpha * b"),
    **_row("sub|subtract x b alpha=1", "x - alpha * b"),
    **_row("gradient_reversal x scale=1", "flip_gradient(x, scale)"),
}  # fmt: skip
"""What torch has a function for, written with those that there are; t is the target."""

NEARLY = {"gelu": ("approximate", "'none'", WORDS("gelu_by_tanh"))}
"""A function whose text is not exactly torch's while a setting has this value, and what to say."""

_FORMATS = ("float", "double", "half", "to", "type", "type_as", "cuda", "cpu")
_SHAPES = ("view", "reshape", "unsqueeze", "squeeze", "flatten", "expand", "permute", "contiguous")
TENSORS = ("tensor", "Tensor", "FloatTensor", "as_tensor", "array", "Parameter")
WITHOUT_EFFECT = {
    *(*_FORMATS, *_SHAPES, *TENSORS[1:], "view_as", "expand_as", "t"),
    *("requires_grad_", "dropout"),
}
"""What pasted code can do without: devices, shapes, number formats."""

NUMBERS = {"ones": 1, "ones_like": 1, "zeros": 0, "zeros_like": 0}
NOISE = {
    **dict.fromkeys(("randn", "randn_like", "normal", "normal_"), "normal"),
    **dict.fromkeys(("rand", "rand_like", "uniform", "uniform_"), "uniform"),
}
"""Functions that draw numbers, and the distribution of each."""

LEFT_OUT = {
    **dict.fromkeys(_FORMATS, WORDS("leave_out_format")),
    "values": WORDS("leave_out_values"),
    "backward": WORDS("leave_out_backward"),
    "grad": WORDS("leave_out_grad"),
    **dict.fromkeys(("requires_grad_", "requires_grad"), WORDS("leave_out_requires_grad")),
    "print": WORDS("leave_out_print"),
    "item": WORDS("leave_out_item"),
}
"""What a program can do without, and why."""

INSTEAD = {
    **{name: WORDS("write", code=each.code()) for name, each in WRITTEN_OUT.items()},
    **LEFT_OUT,
    **dict.fromkeys(("pow", "power"), WORDS("write_power")),
    "GELU": WORDS("write", code=_TANH),
    "max": WORDS("write_maximum"),
    "min": WORDS("write_minimum"),
    "gather": WORDS("write_select"),
    "one_hot": WORDS("write_one_hot"),
    **dict.fromkeys(("multinomial", "Categorical"), WORDS("write_sample")),
    "gumbel_softmax": WORDS("write_gumbel"),
    **dict.fromkeys((*NOISE, "bernoulli", "dropout"), WORDS("noise_is_input")),
    "std": WORDS("write_std"),
    "var": WORDS("write_var"),
    "indices": WORDS("write_indices"),
    **dict.fromkeys(("stop", "no_grad"), WORDS("write_stop")),
    **dict.fromkeys(("ste", "STE"), WORDS("write_straight_through")),
    **dict.fromkeys(
        ("grad_reverse", "reverse_gradient", "gradient_reversal", "GradReverse"),
        WORDS("write_flip"),
    ),
    "sgn": WORDS("write", code="sign(x)"),
    **dict.fromkeys(TENSORS, WORDS("write_list")),
    **{name: WORDS("write_number", number=number) for name, number in NUMBERS.items()},
    **dict.fromkeys(("mul", "multiply"), WORDS("write", code="a * b")),
    "add": WORDS("write", code="a + b"),
    **dict.fromkeys(("sub", "subtract"), WORDS("write", code="a - b")),
    **dict.fromkeys(("div", "divide", "true_divide"), WORDS("write", code="a / b")),
    "dot": WORDS("write_dot"),
    **dict.fromkeys(("mm", "mv", "bmm", "linear", "Linear"), WORDS("write_linear")),
    "relu6": WORDS("write_but_at_limits", code="clamp(x, 0, 6)"),
    "hardtanh": WORDS("write_but_at_limits", code="clamp(x, -1, 1)"),
    "clamp_min": WORDS("write_limit", code="clamp(x, 0, 1e30)", limit=0),
    "clamp_max": WORDS("write_limit", code="clamp(x, -1e30, 1)", limit=1),
    **dict.fromkeys(("gt", "greater"), WORDS("write_comparison", sign=">")),
    **dict.fromkeys(("lt", "less"), WORDS("write_comparison", sign="<")),
    **dict.fromkeys(_SHAPES, WORDS("no_new_shape")),
    **dict.fromkeys(("stack", "cat", "concat"), WORDS("no_joining")),
    **dict.fromkeys(("len", "size", "numel", "shape"), WORDS("write_size")),
    "cumsum": WORDS("write_cumsum"),
    "prod": WORDS("write_prod"),
    "register_hook": WORDS("write_hook"),
    **dict.fromkeys(("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm"), WORDS("write_clip")),
    "T": WORDS("write", code="transpose(x)"),
    "data": WORDS("write", code="stop_gradient(x)"),
}
"""What to write instead of a name that means something elsewhere."""


def in_place(name: str) -> str:
    """Say what to write instead of a method that changes its tensor; empty for any other.

    >>> in_place("mul_"), in_place("mul"), in_place("x_")
    ('mul_ changes a tensor in place. Write a new name instead, as in y2 = y * 2.', '', '')
    """
    base = own_name(name[:-1])
    if name[-1:] != "_" or base not in {*OPERATORS, *CALLABLE, "neg"}:
        return ""
    written = f"y {OPERATORS[base]} 2" if base in OPERATORS else f"{base}(y)"
    written = {"clamp": "clamp(y, -1, 1)", "neg": "-y"}.get(base, written)
    return WORDS("changes_in_place", name=name, code=written)


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
    if names and (root not in MODULES or not set(names[:-1]) <= _WITHIN):
        return ""
    return own_name(names[-1]) if names else root


def own_name(name: str) -> str:
    """The language's own name for a function or method that a framework names otherwise."""
    return _FUNCTIONS.get(name, name)
