"""The value of one function, the gradient of another."""

import json

import torch

x = [-2.0, -0.1, 0.4]
f = torch.sign  # the value
g = torch.tanh  # the gradient
spelling = "together"  # or apart, as torch's gumbel_softmax has it
weights = None  # upstream gradient, one for each x or one for all
dtype = torch.float64


def step(x):
    return (x > 0).to(x.dtype)


def onehot_argmax(x):
    return torch.zeros_like(x).scatter(-1, x.argmax(-1, keepdim=True), 1.0)


def surrogate(x, f, g, spelling):
    soft = g(x)
    if spelling == "apart":
        return f(x) - soft.detach() + soft
    return soft + (f(x) - soft).detach()


if __name__ == "__main__":
    torch.set_default_dtype(dtype)
    x = torch.tensor(x, requires_grad=True)
    upstream = torch.tensor(weights or [1.0]).expand(len(x))
    y = surrogate(x, f, g, spelling)
    (gradient,) = torch.autograd.grad(y + 0 * x, x, upstream)  # + 0: zeros if you detach every path
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
