"""A tensor that is changed after ops have saved it: refused by torch, or silently wrong."""

import json

import torch

x = [2.0, 0.5, -1.0]
change = "new"  # new, clone (both right), in_place, detach (both refused) or data (wrong)
reads = "square"
added = 1.0
dtype = torch.float64


def in_place(x, added, change, reads):
    y = torch.exp(x)
    z = y * (y if reads == "square" else 3)
    if change == "new":
        y = y + added
    elif change == "clone":
        y = y.clone()
        y.add_(added)
    elif change == "in_place":
        with torch.no_grad():
            y.add_(added)
    elif change == "detach":
        y.detach().add_(added)
    elif change == "data":
        y.data.add_(added)
    return z


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    z = in_place(x, added, change, reads)
    try:
        (gradient,) = torch.autograd.grad(z.sum() + 0 * x.sum(), x)  # + 0: 0 if all is cut
    except RuntimeError:  # "... has been modified by an inplace operation"
        gradient = torch.full_like(x, torch.nan)
    print(json.dumps(result := {"forward": z.tolist(), "trick_gradient": gradient.tolist()}))
