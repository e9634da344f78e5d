"""A state carried over many steps, detached every few: truncated backpropagation through time."""

import json

import torch

w = [0.2, 0.5, 0.95]
steps = 4
every = 2
x = 1.0
dtype = torch.float64


def unroll(w, steps, every, x):
    h = torch.ones_like(w)
    for t in range(steps):
        if t and t % every == 0:
            h = h.detach()
        part = w * h
        h = part + x
    return h


if __name__ == "__main__":
    w = torch.tensor(w, dtype=dtype, requires_grad=True)
    h = unroll(w, steps, every, x)
    if h.requires_grad:  # not if a detach has cut everything
        h.sum().backward()
    gradient = torch.zeros_like(w) if w.grad is None else w.grad
    print(json.dumps(result := {"forward": h.tolist(), "trick_gradient": gradient.tolist()}))
