"""A policy loss with a weight of value 1: exp(logp - logp.detach()) carries only the gradient."""

import json

import torch

form = "ratio"  # or plain, no_stop
x = [-1.0, 0.5, 2.0]  # logits: how far each sampled token is ahead of the other one
advantages = [1.0, -0.5, -0.5]
dtype = torch.float64


def value_one(x, advantages, form):
    logp = torch.nn.functional.logsigmoid(x)
    if form == "ratio":
        weight = torch.exp(logp - logp.detach())
    elif form == "no_stop":
        weight = torch.exp(logp - logp)
    else:
        weight = logp
    return -weight * advantages


if __name__ == "__main__":
    A = torch.tensor([*advantages, *[0.0] * len(x)][: len(x)], dtype=dtype)
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    added = value_one(x, A, form)
    loss = added.sum() + 0 * x.sum()  # + 0: zeros if you detach every path
    result = {
        "forward": added.tolist(),
        "trick_gradient": torch.autograd.grad(loss, x)[0].tolist(),
        "intended_gradient": (-A * torch.sigmoid(-x)).tolist(),
    }
    print(json.dumps(result))
