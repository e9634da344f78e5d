"""A rule for an op with two inputs: it returns one gradient for each, in their order."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map

x = [-1.0, 0.013, 2.0]  # the weight W
factor = 10.0  # the input I
product = "weight_first"  # W * I; or weight_second: I * W; or matmul: rows (W, 1) times a matrix
rule = "first"  # None for the second input; or both; or sign: as first, but its sign alone
power = "1"  # the loss is the product to this power
dtype = torch.float64


def several_inputs(x, factor, product, rule, power):
    def override(op, upstream):
        first, second = op.inputs
        if product == "matmul":
            own = upstream @ second.T, first.T @ upstream
        else:
            own = upstream * second, upstream * first
        if rule == "both":
            return own
        return (own[0], None) if rule == "first" else (torch.sign(own[0]), None)

    w, i = x, torch.full_like(x, factor)
    with gradient_override_map({"matmul" if product == "matmul" else "mul": override}):
        if product == "matmul":
            rows = torch.stack([w, torch.ones_like(w)], 1)
            y = torch.matmul(rows, rows.new_tensor([[factor, 1], [2, -1]])).sum(1)
        elif product == "weight_first":
            y = torch.mul(w, i)
        else:
            y = torch.mul(i, w)
    return y ** int(power)


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = several_inputs(x, factor, product, rule, power)
    gradient = torch.zeros_like(x)  # what is left where the rule returned None
    if y.requires_grad:
        (gradient,) = torch.autograd.grad(y.sum(), x, materialize_grads=True)
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
