"""A block with a noisy value and a clean gradient, and one more op after it."""

import json

import torch

x = [-2.0, -1.0, 1.0]
u = 1.44
way = "block"  # or custom, second, whole, rule
after = "square"  # or nothing, linear
dtype = torch.float64
AFTER = {"nothing": lambda z: z, "linear": lambda z: 3 * z + 1, "square": lambda z: z**2}


def forward_backward(y, noise):  # the noisy root forward, the clean root's gradient backward
    clean = torch.sqrt(y)
    return torch.sqrt(y * noise).detach() + (clean - clean.detach())


def the_end(x, u, way, after):
    op, y = AFTER[after], x**2
    noise, clean = torch.full_like(y, u), torch.sqrt(y)
    if way == "custom":
        return op(forward_backward(y, noise))
    yu = y * noise
    if way == "rule" and yu.requires_grad:  # for the product with the noise alone
        yu.grad_fn.register_hook(lambda sends, upstream: (torch.sqrt(noise) * upstream[0], None))
    z = torch.sqrt(yu)
    if way == "whole":
        return (op(z) - op(clean)).detach() + op(clean)
    if way == "block":
        z = (z - clean).detach() + clean
    return op(clean if way == "second" else z)


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    w = the_end(x, u, way, after)
    (gradient,) = torch.autograd.grad((w + 0 * x).sum(), x)  # + 0: zeros if you detach every path
    print(json.dumps(result := {"forward": w.tolist(), "trick_gradient": gradient.tolist()}))
