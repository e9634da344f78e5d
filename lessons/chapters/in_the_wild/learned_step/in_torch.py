"""A quantiser with a learned step size, as in LSQ: straight-through on the rounding alone."""

import json

import torch

x = [0.1, 0.4, 0.7, 2.5]
s = 0.3
bits = 3
rounding = "straight"  # or plain
scale = "none"  # or lsq
dtype = torch.float64


def scale_gradient(x, factor):
    return x * factor + (x - x * factor).detach()


def learned_step(x, s, bits, rounding, scale):
    highest = 2 ** (bits - 1) - 1
    if scale == "lsq":
        s = scale_gradient(s, 1 / (x.numel() * highest) ** 0.5)
    v = (x / s).clamp(-highest - 1, highest)
    code = v.round()
    if rounding == "straight":
        code = v + (code - v).detach()
    return s * code


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype)
    s = torch.full_like(x, s, requires_grad=True)  # one a weight: the sum is the gradient
    y = learned_step(x, s, bits, rounding, scale)
    (gradient,) = torch.autograd.grad((y + 0 * s).sum(), s)  # + 0: zeros if you detach every path
    print(json.dumps(result := {"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
