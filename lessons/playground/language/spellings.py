"""How torch, TensorFlow, JAX and numpy spell what the language has: programs are pasted from there.

``torch.relu(x)`` and ``x.relu()`` are ``relu(x)``; what has no such reading is answered with what
to write instead.
"""

import ast

from lessons.playground.language.functions import CALLABLE

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

_HUBER = "mean(where(abs(x - t) < 1, 0.5 * (x - t)**2, abs(x - t) - 0.5))"

WRITTEN_OUT = {
    "mse_loss": "mean((x - t)**2)",
    "l1_loss": "mean(abs(x - t))",
    **dict.fromkeys(("smooth_l1_loss", "huber_loss"), _HUBER),
    "binary_cross_entropy": "mean(-t * log(x) - (1 - t) * log(1 - x))",
    "binary_cross_entropy_with_logits": "mean(softplus(x) - t * x)",
    "kl_div": "mean(t * (log(t) - x))",
    "cross_entropy": "-sum(t * log_softmax(x))",
    "norm": "sqrt(sum(x**2))",
    "normalize": "x / sqrt(sum(x**2))",
    "cosine_similarity": "sum(a * b) / sqrt(sum(a**2) * sum(b**2))",
    "silu": "x * sigmoid(x)",
    "gelu": "x * sigmoid(1.702 * x)",
    "leaky_relu": "where(x > 0, x, 0.01 * x)",
    "logsigmoid": "-softplus(-x)",
    "elu": "where(x > 0, x, exp(clamp(x, -1e30, 0)) - 1)",
    "reciprocal": "1 / x",
    "rsqrt": "1 / sqrt(x)",
    "log1p": "log(1 + x)",
    "expm1": "exp(x) - 1",
    "tan": "sin(x) / cos(x)",
    "trunc": "sign(x) * floor(abs(x))",
    **dict.fromkeys(("neg", "negative"), "-x"),
    "gradient_reversal": "flip_gradient(x)",
}
"""What torch has a function for, written with those that there are; t is the target."""

_FORMATS = ("float", "double", "half", "to", "type", "type_as", "cuda", "cpu", "int", "long")
_SHAPES = ("view", "reshape", "unsqueeze", "squeeze", "flatten", "expand", "permute", "contiguous")
TENSORS = ("tensor", "Tensor", "FloatTensor", "as_tensor", "array", "Parameter")
WITHOUT_EFFECT = {
    *(*_FORMATS, *_SHAPES, *TENSORS, "view_as", "expand_as", "t", "item", "numpy"),
    *("requires_grad_", "Variable", "dropout"),
}
"""What pasted code can do without: devices, shapes, number formats."""

NUMBERS = {"ones": 1, "ones_like": 1, "zeros": 0, "zeros_like": 0}
NOISE = {
    **dict.fromkeys(("randn", "randn_like", "normal", "normal_"), "normal"),
    **dict.fromkeys(("rand", "rand_like", "uniform", "uniform_"), "uniform"),
}
"""Functions that draw numbers, and the distribution of each."""

INSTEAD = {
    **{name: f"Write {each}." for name, each in WRITTEN_OUT.items()},
    "GELU": "Nearly the same is x * sigmoid(1.702 * x).",
    "pow": "Write a**b, as in x**2.",
    "power": "Write a**b, as in x**2.",
    "max": "The larger of two is maximum(a, b), as in maximum(x, 0). The largest entry of x is "
    "select(topk(x, 1), 0).",
    "min": "The smaller of two is minimum(a, b), as in minimum(x, 0). The smallest entry of x is "
    "-select(topk(-x, 1), 0).",
    "gather": "One entry is select(x, 0); that of a chosen class is sum(x * onehot_argmax(p)).",
    "one_hot": "Write the list itself, as in [0, 1, 0], or onehot_argmax(x).",
    "multinomial": "A drawn class is onehot_sample(p, u), u an input drawn from uniform(0, 1).",
    "Categorical": "A drawn class is onehot_sample(p, u), u an input drawn from uniform(0, 1).",
    "gumbel_softmax": "Write softmax((x - log(-log(u))) / 0.5), 0.5 the temperature tau, u an "
    "input drawn from uniform(0, 1).",
    **dict.fromkeys(
        (*NOISE, "bernoulli", "dropout"),
        "Noise is an input: name it among the inputs, and say there how it is drawn.",
    ),
    "std": "For n entries torch’s is sqrt(sum((x - mean(x))**2) / (n - 1)); NumPy divides by n.",
    "var": "For n entries torch’s is sum((x - mean(x))**2) / (n - 1); NumPy divides by n.",
    "values": "Leave it out: topk gives the values alone.",
    "indices": "topk gives the values alone. The place of the largest is onehot_argmax(x).",
    "stop": "Did you mean stop_gradient?",
    **dict.fromkeys(("ste", "STE"), "Straight-through is straight_through(round)(x)."),
    **dict.fromkeys(
        ("grad_reverse", "reverse_gradient", "gradient_reversal", "GradReverse"),
        "Gradient reversal is flip_gradient(x, 1), 1 the factor.",
    ),
    "sgn": "Did you mean sign?",
    **dict.fromkeys(
        TENSORS,
        "Write the list itself, as in [1, 2, 3], or the number. What the gradient is taken by is "
        "an input.",
    ),
    **dict.fromkeys(("zeros", "zeros_like"), "Write 0: a number goes with a list of any shape."),
    **dict.fromkeys(("ones", "ones_like"), "Write 1: a number goes with a list of any shape."),
    **dict.fromkeys(("mul", "multiply"), "Write a * b."),
    "add": "Write a + b.",
    **dict.fromkeys(("sub", "subtract"), "Write a - b."),
    **dict.fromkeys(("div", "divide", "true_divide"), "Write a / b."),
    "dot": "Write sum(a * b), or a @ b.",
    **dict.fromkeys(("mm", "mv", "bmm", "linear", "Linear"), "Write W @ x + b, W and b inputs."),
    "relu6": "Write clamp(x, 0, 6). Only at the limits is its gradient another.",
    "hardtanh": "Write clamp(x, -1, 1). Only at the limits is its gradient another.",
    "clamp_min": "Write clamp(x, 0, 1e30), 0 the limit.",
    "clamp_max": "Write clamp(x, -1e30, 1), 1 the limit.",
    **dict.fromkeys(("gt", "greater"), "Write a > b, within where(a > b, …, …)."),
    **dict.fromkeys(("lt", "less"), "Write a < b, within where(a < b, …, …)."),
    **dict.fromkeys(
        _FORMATS,
        "Leave it out: every tensor has one number format, chosen under “Output, plot and number "
        "format”. A comparison becomes numbers by where(condition, 1, 0).",
    ),
    **dict.fromkeys(
        _SHAPES,
        "A shape is not changed here. Give the inputs the shape they need, as in [[1, 2], [3, 4]].",
    ),
    **dict.fromkeys(
        ("stack", "cat", "concat"),
        "Tensors are not joined here. Compute each part under its own name.",
    ),
    "len": "Write the number itself.",
    **dict.fromkeys(("size", "numel", "shape"), "Write the number itself."),
    "cumsum": "Take the entries apart, as in a, b, c = unbind(x), and add them.",
    "prod": "Take the entries apart, as in a, b, c = unbind(x), and multiply them.",
    "register_hook": "Write its effect on the value it hangs on, as in flip_gradient(y), "
    "scale_gradient(y, 2) or clip_gradient(y, -1, 1).",
    **dict.fromkeys(
        ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm"),
        "Write clip_gradient_norm(x, 1) or clip_gradient(x, -1, 1) where x is first read.",
    ),
    "backward": "Leave this line out: the backward pass runs by itself, from the output.",
    "grad": "Leave it out: the gradients are taken by themselves, from the output.",
    "requires_grad_": "Leave it out: the gradient by every input is taken.",
    "requires_grad": "Leave it out: the gradient by every input is taken.",
    "print": "Leave this line out: the value of every name is in the table.",
    "no_grad": "To stop a gradient, write stop_gradient(…).",
    "T": "Write transpose(x).",
    "data": "Write stop_gradient(x).",
    "item": "Leave it out: a tensor of one number is one number here.",
}
"""What to write instead of a name that means something elsewhere."""


def in_place(name: str) -> str:
    """What is said of a method that changes its tensor; empty for any other.

    >>> in_place("mul_"), in_place("mul"), in_place("x_")
    ('mul_ changes a tensor in place. Write a new name instead, as in y2 = y * 2.', '', '')
    """
    base = _FUNCTIONS.get(name[:-1], name[:-1])
    if name[-1:] != "_" or base not in {*OPERATORS, *CALLABLE, "neg"}:
        return ""
    written = f"y {OPERATORS[base]} 2" if base in OPERATORS else f"{base}(y)"
    written = {"clamp": "clamp(y, -1, 1)", "neg": "-y"}.get(base, written)
    return f"{name} changes a tensor in place. Write a new name instead, as in y2 = {written}."


def spelt(node: ast.expr) -> str:
    """The name of the function that a framework's path names; empty where it is no such path.

    >>> [spelt(ast.parse(text, mode="eval").body) for text in ("F.relu", "jax.lax.exp", "x.relu")]
    ['relu', 'exp', '']
    """
    if isinstance(node, ast.Name):
        return node.id
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in MODULES or not set(names[1:]) <= _WITHIN:
        return ""
    return _FUNCTIONS.get(names[0], names[0])


def method(node: ast.Attribute) -> str:
    """The function that a method's name stands for, known or not."""
    return _FUNCTIONS.get(node.attr, node.attr)
