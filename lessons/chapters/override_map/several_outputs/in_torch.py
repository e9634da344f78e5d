"""A rule for an op with three outputs: it is handed three upstream gradients, and should add up."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map

x = [-2.0, 1.0, 2.0]  # the first input, a
b = 3.0  # the second input
w1 = 1.0  # the weights of the three outputs in the loss
w2 = 1.0
w3 = 1.0
rule = "product"  # of upstream gradients, which is no gradient; or sum
power = "1"  # the loss adds up weight * output to this power
dtype = torch.float64


@torch.overrides.wrap_torch_function(lambda func, *inputs: inputs)
def py_func(func, *inputs):
    return func(*inputs)


def several_outputs(x, b, w1, w2, w3, rule, power):
    def override(op, grad1, grad2, grad3):
        a, b = op.inputs
        if rule == "product":
            return grad1 * grad2 * b, None
        return grad1 + grad2 * b + grad3, grad1 + grad2 * a - grad3

    with gradient_override_map({"py_func": override}):
        o1, o2, o3 = py_func(lambda a, b: (a + b, a * b, a - b), x, torch.full_like(x, b))
    total = torch.zeros_like(x)
    if w1:  # an output of weight 0 is not used
        total = total + w1 * o1 ** int(power)
    if w2:
        total = total + w2 * o2 ** int(power)
    if w3:
        total = total + w3 * o3 ** int(power)
    return total


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = several_outputs(x, b, w1, w2, w3, rule, power)
    gradient = torch.zeros_like(x)  # for a loss that uses no output
    if y.requires_grad:
        (gradient,) = torch.autograd.grad(y.sum(), x, materialize_grads=True)
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
