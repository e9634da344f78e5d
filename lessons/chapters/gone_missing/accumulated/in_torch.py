"""Two micro-batches, one step: the sum's gradient is what two calls of backward() add up to."""

import json

import torch

tokens = 4  # in the first micro-batch, of 8
masked = 0  # in the second
divide = "means"  # or total (the right one), positions
clip = "none"  # or each, last (the right one)
limit = 0.5
x = [-1.0, 0.5, 2.0]
dtype = torch.float64


def clip_gradient(x, limit):
    if (x := x.view_as(x)).requires_grad:  # torch takes no hook on a detached tensor
        x.register_hook(lambda g: g.clamp(-limit, limit))
    return x


def accumulated(x, tokens, masked, divide, clip, limit):
    if clip != "none":
        x = clip_gradient(x, limit)
    first = clip_gradient(x, limit) if clip == "each" else x
    counts = tokens, max(8 - tokens - masked, 1)
    losses = []
    for weight, target, count in zip((first, x), (3.0, -1.0), counts):
        summed = count * ((weight - target) ** 2 / 2)
        by = 2 * count if divide == "means" else sum(counts) if divide == "total" else 8
        losses.append(summed / by)
    return losses[0] + losses[1]


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = accumulated(x, tokens, masked, divide, clip, limit)
    slope = torch.autograd.grad(y.sum() + 0 * x.sum(), x)[0].tolist()  # + 0: 0 if all is cut
    result = {"forward": y.tolist(), "trick_gradient": slope}
    print(json.dumps(result))
