"""Roots near 0: gradients that are infinite or NaN, and what clipping makes of them."""

import json

import torch

root = "plain"  # plain, where, or safe: a second where inside
clip = "none"  # none, value or norm
limit = 1.0
w = [4.0, 1.0, 0.25, 0.0]
dtype = torch.float64


def not_finite(w, root, clip, limit):
    if (
        clip != "none" and w.requires_grad
    ):  # what clip_grad_value_ and clip_grad_norm_ do, as a hook
        w.register_hook(by_value(limit) if clip == "value" else by_norm(limit))
    if root == "plain":
        return torch.sqrt(w)
    if root == "where":
        return torch.where(w > 0, torch.sqrt(w), 0.0)
    inside = torch.where(w > 0, w, 1.0)  # a harmless input for the branch that is not taken
    return torch.where(w > 0, torch.sqrt(inside), 0.0)


def by_value(limit):
    return lambda g: g.clamp(-limit, limit)


def by_norm(limit):
    return lambda g: g * torch.where(g.norm() <= limit, 1.0, limit / g.norm())


if __name__ == "__main__":
    w = torch.tensor(w, dtype=dtype, requires_grad=True)
    y = not_finite(w, root, clip, limit)
    (gradient,) = torch.autograd.grad(y.sum() + 0 * w.sum(), w)  # + 0: 0 if all is cut
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
