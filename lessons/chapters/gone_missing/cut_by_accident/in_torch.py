"""One loss in five spellings, four of which leave the graph; and how to see it."""

import json

import torch

w = [1.0, 0.5]
spelling = "whole"  # whole (the right one), tensor, item, numpy or detach
silence = "no"  # "yes" silences torch's error, and no weight gets a gradient
penalty = "no"
x = 2.0
target = 3.0
dtype = torch.float64


def cut_by_accident(w, x, target, spelling, silence, penalty):
    loss = ((w * x - target) ** 2).sum()
    if spelling == "tensor":
        loss = torch.tensor(loss)
    elif spelling == "item":
        loss = torch.tensor(loss.item(), dtype=w.dtype)
    elif spelling == "numpy":
        loss = torch.from_numpy(loss.detach().cpu().numpy())
    elif spelling == "detach":
        loss = loss.detach()
    if silence == "yes":
        loss.requires_grad_()
    if penalty == "yes":
        loss = loss + 0.5 * (w**2).sum()
    return loss


if __name__ == "__main__":
    w = torch.tensor(w, dtype=dtype, requires_grad=True)
    loss = cut_by_accident(w, x, target, spelling, silence, penalty)
    gradient = torch.full_like(w, torch.nan)
    if loss.requires_grad:  # otherwise backward() raises an error
        loss.backward()
        gradient = torch.zeros_like(w) if w.grad is None else w.grad
    print(json.dumps(result := {"forward": [loss.item()], "trick_gradient": gradient.tolist()}))
