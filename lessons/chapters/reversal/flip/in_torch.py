"""A gradient reversal layer: forward x, backward -scale times the upstream gradient."""

import json

import torch

x = [-1.5, -0.5, 1.0]
scale = 2.0
beside = 2.0  # the weight of the other path, which goes around the layer
flips = 1  # layers in a row
dtype = torch.float64


class Flip(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.scale = inputs

    @staticmethod
    def backward(ctx, upstream):
        return -ctx.scale * upstream, None  # scale is a number and gets no gradient


def flip(x, scale, beside, flips):
    y = x
    for _ in range(flips):
        y = Flip.apply(y, scale)
    return y**3 + beside * x


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = flip(x, scale, beside, flips)
    (gradient,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0: zeros if you detach every path
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
