"""Guided gradients of networks that see shapes; ``python guided_relu.py 50`` trains 50 steps."""

import json
import math
import sys

import torch
import torch.nn.functional as F

rule = "guided"  # of the eight relus; or deconvnet, or plain
behind = "weights"  # their score is a weighted sum; or sum: the plain one
seeds = 5
seed = 0  # the first of them
steps = 400
rate = 0.01
dtype = torch.float32

SIDE, STREAM = 21, 10**9 + 100  # pixels; seeds of weights, pictures, tests lie so far apart
BEFORE, WEIGHTS = (-2, -1, 1, 2, -1.5, -0.5, 0.5, 1.5), (1, 0.5, 1.5, 1, -1, -0.5, -1.5, -1)
SHAPES = (8, 1, 5, 5), (16, 8, 3, 3), (32, 256), (3, 32)  # of the layers' weights
RULES = {  # what a relu sends back: from what it would send, and from the upstream gradient
    "guided": lambda sends, upstream: sends.clamp(min=0),
    "deconvnet": lambda sends, upstream: upstream.clamp(min=0),
}


class gradient_override_map(torch.overrides.TorchFunctionMode):
    """In the block, rules maps the name of a torch function to its rule(sends, upstream)."""

    def __init__(self, rules):
        super().__init__()
        self.rules = rules

    def __torch_function__(self, func, types, args=(), kwargs=None):
        y, rule = func(*args, **(kwargs or {})), self.rules.get(func.__name__)
        if rule and y.requires_grad:  # a detached y has no grad_fn
            y.grad_fn.register_hook(lambda sends, upstream: (rule(sends[0], upstream[0]),))
        return y


def guided_relu(x, network, rule):
    with gradient_override_map({"relu": RULES[rule]} if rule in RULES else {}):
        return network(x)


def network(x):  # the score of eight relus
    y = torch.relu(x)
    return (torch.tensor(WEIGHTS).to(x) * y).sum() if behind == "weights" else y.sum()


def scores(w, x):  # of the classes, by a network with these weights and biases
    x = torch.relu(F.conv2d(x, w[0], w[1], stride=2))
    x = torch.relu(F.conv2d(x, w[2], w[3], stride=2))
    return F.linear(torch.relu(F.linear(x.flatten(1), w[4], w[5])), w[6], w[7])


def drawn(seed):  # weights and biases, uniform within 1 / sqrt(fan-in)
    draw = torch.Generator().manual_seed(seed)
    parts = [(part, math.prod(shape[1:])) for shape in SHAPES for part in (shape, shape[:1])]
    both = [(torch.rand(part, dtype=torch.float64, generator=draw), n) for part, n in parts]
    return [((2 * u - 1) / math.sqrt(n)).to(dtype).requires_grad_() for u, n in both]


def pictures(count, draw):  # triangles, circles and crosses in turn, in noise
    turn, size, right, down = torch.rand(4, count, 1, 1, generator=draw)
    sin, cos, size = (2 * math.pi * turn).sin(), (2 * math.pi * turn).cos(), 0.5 + 0.17 * size
    marks = (torch.arange(SIDE) + 0.5) * (2 / SIDE) - 1
    x, y = marks - 0.4 * (right - 0.5), marks[:, None] - 0.4 * (down - 0.5)
    x, y = cos * x + sin * y, cos * y - sin * x
    triangle = torch.maximum(math.sqrt(3) / 2 * x.abs() + 0.5 * y, -y) - 0.62 * size
    bar = [torch.maximum(a.abs() - 0.33 * size, b.abs() - 1.15 * size) for a, b in ((x, y), (y, x))]
    outside = torch.stack([triangle, torch.hypot(x, y) - size, torch.minimum(*bar)])
    shape = torch.sigmoid(-4 * SIDE / 1.5 * outside[torch.arange(count) % 3, torch.arange(count)])
    reach = 0.25 * math.sqrt(3)  # of noise with the standard deviation 0.25
    shape += torch.empty(shape.shape).uniform_(-reach, reach, generator=draw)
    return shape[:, None].to(dtype)


def train(seed, steps):
    weights, draw = drawn(seed), torch.Generator().manual_seed(seed + STREAM)
    adam = torch.optim.Adam(weights, rate)
    for _ in range(steps):
        adam.zero_grad()
        F.cross_entropy(scores(weights, pictures(32, draw)), torch.arange(32) % 3).backward()
        adam.step()
    return weights


def ranks(weights, x, rule):  # of each picture's pixels, by the gradient of its own class's score
    x, own = x.clone().requires_grad_(), torch.arange(len(x))
    total = guided_relu(x, lambda x: scores(weights, x)[own, own % 3].sum(), rule)
    m = torch.autograd.grad(total + 0 * x.sum(), x)[0].flatten(1).float()  # + 0: 0 if all is cut
    return F.normalize(torch.sign(m[:, :, None] - m[:, None, :]).sum(-1), dim=-1)


if __name__ == "__main__":
    x = torch.tensor(BEFORE, dtype=dtype, requires_grad=True)
    y = guided_relu(x, network, rule)
    (gradient,) = torch.autograd.grad(y, x) if y.requires_grad else (0 * x,)
    kept = {}  # rank correlation of maps: the weights trained, and the last n layers drawn anew
    for one in range(seed, seed + seeds):
        w = train(one, min([steps, *map(int, filter(str.isdigit, sys.argv[1:2]))]))
        tested = pictures(9, torch.Generator().manual_seed(3 * STREAM))
        changed = [[*w[: 8 - 2 * n], *drawn(one + 2 * STREAM)[8 - 2 * n :]] for n in (1, 2, 3, 4)]
        for name in ("plain", "guided"):
            own = ranks(w, tested, name)
            for n, other in enumerate(changed, start=1):
                both = (own * ranks(other, tested, name)).sum(-1).mean().item()
                kept[f"{name}_{n}"] = kept.get(f"{name}_{n}", 0) + both / seeds
    result = {
        "forward": torch.relu(x).tolist(),
        "trick_gradient": gradient.tolist(),
        "trained": kept,
    }
    print(json.dumps(result))
