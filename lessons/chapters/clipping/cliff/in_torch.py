"""One recurrent unit over fifty steps: descent without clipping, by value and by norm.

python FILE runs all steps; python FILE 20 runs twenty.
"""

import json
import math
import sys

import torch

w = 4.3  # one start, whose gradient is printed
b = -2.2
rate = 1.0
value_limit = 0.3
norm_limit = 0.3
steps = 300
seeds = 20  # for each, one start in each cell of a grid
seed = 0
dtype = torch.float64

LOW, HIGH = torch.tensor([[3.0, -3.5], [7.0, -1.5]], dtype=torch.float64)  # of w and b
SIDE = 15  # cells along each side
VALLEY = 1e-3  # an error below this has arrived


def cliff(w, b, value_limit, norm_limit):
    """The error, and its gradient clipped twice; an infinite limit changes nothing."""
    w, b = w.detach().requires_grad_(), b.detach().requires_grad_()
    x = torch.full_like(w, 0.5)
    for _ in range(50):
        x = w * torch.sigmoid(x) + b
    error = (torch.sigmoid(x) - 0.7) ** 2
    gradient = torch.stack(torch.autograd.grad(error.sum(), (w, b)))
    gradient = gradient.clamp(-value_limit, value_limit)
    shorter = (norm_limit / gradient.norm(dim=0)).clamp(max=1)
    return error.detach(), shorter * gradient


def limits(shape):
    """By value and by norm, for no clipping, clipping by value and clipping by norm."""
    by_value = torch.tensor([math.inf, value_limit, math.inf], dtype=torch.float64)
    by_norm = torch.tensor([math.inf, math.inf, norm_limit], dtype=torch.float64)
    return by_value.to(dtype).view(shape), by_norm.to(dtype).view(shape)


def starts(seed):
    generator = torch.Generator().manual_seed(seed)
    within = torch.rand(2, SIDE, SIDE, dtype=torch.float64, generator=generator)
    cell = torch.arange(SIDE, dtype=torch.float64)
    share = torch.stack([cell[None, :] + within[0], cell[:, None] + within[1]]) / SIDE
    return (LOW[:, None, None] + (HIGH - LOW)[:, None, None] * share).flatten(1)


def train(steps):
    """Shares of the starts, a number for each seed: in the valley, and out of the window."""
    places = torch.stack([starts(one) for one in range(seed, seed + seeds)], 1).to(dtype)
    places = places[:, None].repeat(1, 3, 1, 1)  # w and b, three descents, seeds, starts
    low, high = (ends.to(dtype)[:, None, None, None] for ends in (LOW, HIGH))
    left = torch.zeros_like(places[0], dtype=torch.bool)
    for _ in range(steps):
        places = places - rate * cliff(*places, *limits((3, 1, 1)))[1]
        left |= ~((places >= low) & (places <= high)).all(0)
    reached = cliff(*places, *limits((3, 1, 1)))[0] < VALLEY
    shares = {}
    for name, which in {"reached": reached, "left": left, "stayed": reached & ~left}.items():
        for clip, share in zip(["none", "value", "norm"], which.double().mean(-1), strict=True):
            shares[f"{clip}_{name}"] = share
    return shares


if __name__ == "__main__":
    start = torch.tensor([w, b], dtype=dtype)
    error, gradients = cliff(*start[:, None].expand(2, 3), *limits((3,)))
    none, value, norm = gradients.unbind(1)
    trained = train(min([steps, *map(int, filter(str.isdigit, sys.argv[1:2]))]))
    result = {
        "forward": start.tolist(),
        "error": error[0].item(),
        "true_gradient": none.tolist(),
        "trick_gradient": value.tolist(),
        "intended_gradient": norm.tolist(),
        "trained": {name: share.mean().item() for name, share in trained.items()},
    }
    print(json.dumps(result))
