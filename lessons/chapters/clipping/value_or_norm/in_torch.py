"""One gradient clipped by value and by norm: by a hook on its way back, or after backward()."""

import json

import torch

g1 = 3.0  # the loss is half the squared length of w, so its gradient at w is w itself
g2 = 1.0
limit = 1.5
dtype = torch.float64


def hooked(x, hook):
    y = x.view_as(x)
    if y.requires_grad:  # torch takes no hook on a detached tensor
        y.register_hook(hook)  # gets the gradient of y, returns what is passed on to x
    return y


def clip_gradient(x, low, high):
    return hooked(x, lambda g: g.clamp(low, high))


def clip_gradient_norm(x, limit):
    return hooked(x, lambda g: torch.where(g.norm() <= limit, g, g * (limit / g.norm())))


def value_or_norm(w, limit):
    return clip_gradient(w, -limit, limit), clip_gradient_norm(w, limit)


if __name__ == "__main__":
    w = torch.tensor([g1, g2], dtype=dtype, requires_grad=True)
    result = {"forward": w.tolist()}
    for name, y in zip(["trick_gradient", "intended_gradient"], value_or_norm(w, limit)):
        loss = (y * y).sum() / 2 + 0 * w.sum()  # + 0: zeros if you detach every path
        result[name] = torch.autograd.grad(loss, w)[0].tolist()
    (w * w).sum().div(2).backward()
    torch.nn.utils.clip_grad_norm_([w], limit)  # in training: between backward() and step()
    print(json.dumps({**result, "after_backward": w.grad.tolist()}))
