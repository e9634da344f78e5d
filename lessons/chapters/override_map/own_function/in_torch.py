"""A Function of one's own: a square whose backward multiplies by factor · x instead of 2x."""

import json

import torch

x = [-2.0, 1.0, 3.0]
factor = 2.0  # the true derivative; any other factor is a trick
saved = "call"  # each call's own input; or object: one place for all calls, a mistake
second = 2.0  # the input of the second call
dtype = torch.float64


def own_function(x, factor, saved, second):
    class Square(torch.autograd.Function):  # generate_vmap_rule = True lets torch.vmap use it
        @staticmethod
        def forward(x):
            return x**2

        @staticmethod
        def setup_context(ctx, inputs, output):
            if saved == "object":
                Square.shared = inputs[0]
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, upstream):
            (x,) = ctx.saved_tensors if saved == "call" else (Square.shared,)
            return factor * x * upstream

    return Square.apply(x) + Square.apply(torch.full_like(x, second))


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = own_function(x, factor, saved, second)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
