"""A block with a noisy value and a clean gradient, and one more op after it."""

import json

import torch

x = [-2.0, -1.0, 1.0]
u = 1.44
way = "block"  # or custom, second, whole, rule
after = "square"  # or nothing, linear
dtype = torch.float64
AFTER = {"nothing": lambda z: z, "linear": lambda z: 3 * z + 1, "square": lambda z: z**2}


def with_slope(y, value, slope):
    """This value forward; backward the upstream gradient times this slope."""
    out = (value - y).detach() + y
    out.register_hook(lambda upstream: upstream * slope)
    return out


def the_end(x, u, way, after):
    op, y = AFTER[after], x**2
    noise, clean = torch.full_like(y, u), torch.sqrt(y)
    z = torch.sqrt(y * noise)
    if way == "custom":
        return op(with_slope(y, z, 1 / (2 * clean)))
    if way == "rule":  # for the product with the noise alone
        return op(torch.sqrt(with_slope(y, y * noise, torch.sqrt(noise))))
    if way == "whole":
        return (op(z) - op(clean)).detach() + op(clean)
    return op(clean if way == "second" else (z - clean).detach() + clean)


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    w = the_end(x, u, way, after)
    (gradient,) = torch.autograd.grad((w + 0 * x).sum(), x)  # 0 if all is cut
    result = {"forward": w.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
