"""How torch, TensorFlow, JAX and numpy spell what the language has: programs are pasted from there.

``torch.relu(x)`` and ``x.relu()`` are ``relu(x)``; what has no such reading is answered with what
to write instead.
"""

import ast

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

INSTEAD = {
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
        ("rand", "randn", "rand_like", "randn_like", "normal", "uniform", "bernoulli", "dropout"),
        "Noise is an input: name it among the inputs, and say there how it is drawn.",
    ),
    "norm": "Write sqrt(sum(x**2)).",
    "mse_loss": "Write mean((x - t)**2), t the target.",
    "leaky_relu": "Write where(x > 0, x, 0.01 * x).",
    "gelu": "Nearly the same is x * sigmoid(1.702 * x).",
    "GELU": "Nearly the same is x * sigmoid(1.702 * x).",
    "silu": "Write x * sigmoid(x).",
    "std": "For n entries torch’s is sqrt(sum((x - mean(x))**2) / (n - 1)); NumPy divides by n.",
    "var": "For n entries torch’s is sum((x - mean(x))**2) / (n - 1); NumPy divides by n.",
    "gradient_reversal": "Write flip_gradient(x).",
    "cross_entropy": "Write logsumexp(x) - select(x, 0), where class 0 is right.",
    "values": "Leave it out: topk gives the values alone.",
    "indices": "topk gives the values alone. The place of the largest is onehot_argmax(x).",
    "stop": "Did you mean stop_gradient?",
    "sgn": "Did you mean sign?",
    **dict.fromkeys(
        ("tensor", "Tensor", "FloatTensor", "as_tensor", "array", "Parameter"),
        "Write the list itself, as in [1, 2, 3], or the number. What the gradient is taken by is "
        "an input.",
    ),
    **dict.fromkeys(("zeros", "zeros_like"), "Write 0: a number goes with a list of any shape."),
    **dict.fromkeys(("ones", "ones_like"), "Write 1: a number goes with a list of any shape."),
    **dict.fromkeys(("mul", "multiply"), "Write a * b."),
    "add": "Write a + b.",
    **dict.fromkeys(("sub", "subtract"), "Write a - b."),
    **dict.fromkeys(("div", "divide", "true_divide"), "Write a / b."),
    **dict.fromkeys(("neg", "negative"), "Write -x."),
    "reciprocal": "Write 1 / x.",
    "rsqrt": "Write 1 / sqrt(x).",
    "log1p": "Write log(1 + x).",
    "expm1": "Write exp(x) - 1.",
    "tan": "Write sin(x) / cos(x).",
    "dot": "Write sum(a * b), or a @ b.",
    **dict.fromkeys(("mm", "mv", "bmm", "linear", "Linear"), "Write W @ x + b, W and b inputs."),
    "elu": "Write where(x > 0, x, exp(clamp(x, -1e30, 0)) - 1).",
    "relu6": "Write clamp(x, 0, 6). Only at the limits is its gradient another.",
    "hardtanh": "Write clamp(x, -1, 1). Only at the limits is its gradient another.",
    "clamp_min": "Write clamp(x, 0, 1e30), 0 the limit.",
    "clamp_max": "Write clamp(x, -1e30, 1), 1 the limit.",
    "heaviside": "Write step(x), 1 where x > 0.",
    "trunc": "Write sign(x) * floor(abs(x)).",
    **dict.fromkeys(("gt", "greater"), "Write a > b, within where(a > b, …, …)."),
    **dict.fromkeys(("lt", "less"), "Write a < b, within where(a < b, …, …)."),
    **dict.fromkeys(
        ("float", "double", "half", "to", "type", "type_as", "cuda", "cpu", "int", "long"),
        "Leave it out: every tensor has one number format, chosen under “Output, plot and number "
        "format”. A comparison becomes numbers by where(condition, 1, 0).",
    ),
    **dict.fromkeys(
        ("view", "reshape", "unsqueeze", "squeeze", "flatten", "expand", "permute", "contiguous"),
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

_IN_PLACE = {
    "add_": "y2 = y + 1",
    "sub_": "y2 = y - 1",
    "mul_": "y2 = y * 2",
    "div_": "y2 = y / 2",
    "pow_": "y2 = y**2",
    "neg_": "y2 = -y",
    "zero_": "y2 = 0 * y",
    "fill_": "y2 = 0 * y + 1",
    "copy_": "y2 = x",
    "detach_": "y2 = y.detach()",
    **{
        f"{name}_": f"y2 = {name}(y)"
        for name in ("sqrt", "exp", "log", "abs", "sign", "round", "floor", "ceil", "sin", "cos",
                     "tanh", "sigmoid", "relu")
    },
    **dict.fromkeys(("clamp_", "clip_"), "y2 = clamp(y, -1, 1)"),
}  # fmt: skip

LEFT_OUT = {
    "requires_grad": "The gradient by every input is taken. Leave requires_grad out; a value "
    "without a gradient is stop_gradient(x).",
    "keepdim": "keepdim is not part of the language. Leave it out: the result has an axis less.",
    "keepdims": "keepdims is not part of the language. Leave it out: the result has an axis less.",
    "inplace": "inplace is not part of the language. Leave it out.",
    "unbiased": "unbiased is not part of the language. Write the sum and its divisor out.",
    "retain_graph": "Leave this line out: the backward pass runs by itself, from the output.",
    "create_graph": "Leave this line out: the backward pass runs by itself, from the output.",
    "hard": "hard is not part of the language. A hard value with a gradient is "
    "straight_through(f)(x).",
}
"""What is said of True or False given to one of these."""


def in_place(name: str) -> str:
    """What is said of a method that changes its tensor; empty for any other.

    >>> in_place("mul_"), in_place("mul"), in_place("x_")
    ('mul_ changes a tensor in place. Write a new name instead, as in y2 = y * 2.', '', '')
    """
    written = _IN_PLACE.get(name)
    if not written:
        return ""
    return f"{name} changes a tensor in place. Write a new name instead, as in {written}."


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
