"""A loss scale. With a GradScaler: scale(loss).backward(), unscale_, clip, step, update."""

import json

import torch

x = [4.0, 1.0, 0.1, 0.01, 0.001, 0.0001, 1e-05]
tokens = 32768
scale = 65536
clip = "none"  # none, before (unscaling: wrong) or after
limit = 1.0
narrow = "float16"
dtype = torch.float32


def scale_gradient(x, factor):  # a number, or a function of the gradient
    if (x := x.view_as(x)).requires_grad:  # torch takes no hook on a detached tensor
        x.register_hook(lambda g: g * (factor(g) if callable(factor) else factor))
    return x


def clip_gradient_norm(x, limit):
    return scale_gradient(x, lambda g: torch.where(g.norm() <= limit, 1.0, limit / g.norm()))


def scaled(x, tokens, scale, clip, limit, narrow):
    if clip == "after":
        x = clip_gradient_norm(x, limit)
    x = scale_gradient(x, 1 / scale)
    if clip == "before":
        x = clip_gradient_norm(x, limit)
    half = x.to(getattr(torch, narrow))
    return scale_gradient((half**2).to(x.dtype) / tokens, scale)


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = scaled(x, tokens, scale, clip, limit, narrow)
    slope = torch.autograd.grad(y.sum() + 0 * x.sum(), x)[0].tolist()  # + 0: 0 if all is cut
    print(json.dumps(result := {"forward": y.tolist(), "trick_gradient": slope}))
