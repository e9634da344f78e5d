"""A training step with its clip in one of four places: step() uses what it finds in .grad."""

import json

import torch

place = "late"  # none, graph, early, after (the right one) or late
limit = 3.0
w = 1.0
v = 2.0
x = 2.0
rate = 0.3
dtype = torch.float64


def where_to_clip(w, v, x, place, limit, optimizer=None):
    h = w * x
    if place == "graph" and h.requires_grad:  # torch takes no hook on a detached tensor
        h.register_hook(lambda g: g.clamp(-limit, limit))
    loss = (v * h) ** 2 / 2
    if optimizer and loss.requires_grad:  # not if a detach has cut everything
        optimizer.zero_grad()
        if place == "early":
            torch.nn.utils.clip_grad_norm_([w, v], limit)
        loss.backward()
        if place == "after":
            torch.nn.utils.clip_grad_norm_([w, v], limit)
        optimizer.step()
        if place == "late":
            torch.nn.utils.clip_grad_norm_([w, v], limit)
    return loss


if __name__ == "__main__":
    both = [torch.tensor(one, dtype=dtype, requires_grad=True) for one in (w, v)]
    optimizer, used = torch.optim.SGD(both, lr=rate), []
    optimizer.register_step_pre_hook(lambda *_: used.extend(float(p.grad or 0) for p in both))
    loss = where_to_clip(*both, x, place, limit, optimizer).item()
    result = {"forward": [loss], "trick_gradient": used or [0.0, 0.0]}
    print(json.dumps(result))
