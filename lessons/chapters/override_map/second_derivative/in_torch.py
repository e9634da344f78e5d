"""A rule on an op, differentiated more than once: the rule itself is differentiated."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map, identity

x = [-2.0, 1.0, 2.0]
kind = "identity"  # the op with the rule: y = identity(x)**3; or square: y = x**2
factor = 10.0  # the rule on identity multiplies by it; on square the local derivative is factor * x
order = "1"  # of the derivative
dtype = torch.float64


def second_derivative(x, kind, factor, order):
    def on_identity(op, upstream):
        return factor * upstream

    def on_square(op, upstream):
        return factor * op.inputs[0] * upstream  # the built-in: 2 * op.inputs[0] * upstream

    with gradient_override_map({kind: on_identity if kind == "identity" else on_square}):
        y = identity(x) ** 3 if kind == "identity" else torch.square(x)
    for _ in range(int(order) - 1):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = second_derivative(x, kind, factor, order)
    gradient = torch.zeros_like(x)  # of a constant
    if y.requires_grad:
        (gradient,) = torch.autograd.grad(y.sum(), x, materialize_grads=True)
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
