"""How torch, TensorFlow, JAX and numpy spell what the language has: programs are pasted from there.

``torch.relu(x)`` and ``x.relu()`` are ``relu(x)``; what has no such reading is answered with what
to write instead.
"""

import ast

MODULES = {"torch", "tf", "tensorflow", "np", "numpy", "jnp", "jax", "math", "F", "nn"}
_WITHIN = {"nn", "functional", "math", "lax", "numpy", "scipy", "special"}

KEYWORDS = {"min": "low", "max": "high", "dim": "axis", "input": "x"}
"""A parameter's name elsewhere, and here."""

_FUNCTIONS = {
    "clip": "clamp",
    "clip_by_value": "clamp",
    "reduce_sum": "sum",
    "reduce_mean": "mean",
    "reduce_logsumexp": "logsumexp",
    "top_k": "topk",
}

INSTEAD = {
    "pow": "Write a**b, as in x**2.",
    "power": "Write a**b, as in x**2.",
    "max": "The larger of two is maximum(a, b), as in maximum(x, 0).",
    "min": "The smaller of two is minimum(a, b), as in minimum(x, 0).",
    "gather": "One entry is select(x, 0); that of a chosen class is sum(x * onehot_argmax(p)).",
    "one_hot": "Write the list itself, as in [0, 1, 0], or onehot_argmax(x).",
    "multinomial": "A drawn class is onehot_sample(p, u), u an input drawn from uniform(0, 1).",
    "Categorical": "A drawn class is onehot_sample(p, u), u an input drawn from uniform(0, 1).",
    "gumbel_softmax": "Write softmax((x - log(-log(u))) / 0.5), u an input drawn from "
    "uniform(0, 1).",
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
    "std": "Write sqrt(mean((x - mean(x))**2)).",
    "var": "Write mean((x - mean(x))**2).",
    "gradient_reversal": "Write flip_gradient(x).",
    "cross_entropy": "Write logsumexp(x) - select(x, 0), where class 0 is right.",
    "values": "Leave it out: topk gives the values alone.",
    "indices": "topk gives the values alone. The place of the largest is onehot_argmax(x).",
    "stop": "Did you mean stop_gradient?",
    "sgn": "Did you mean sign?",
    "tensor": "Write the list itself, as in [1, 2, 3].",
    "array": "Write the list itself, as in [1, 2, 3].",
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
