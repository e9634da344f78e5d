"""One bad label in a batch: clip the batch's gradient, or that of each sample."""

import json

import torch

size = 100.0  # how far the first label is off
angle = 120.0
clip = "none"  # none, batch or sample
limit = 1.0
x = [[0.2, 0.8], [0.8, -0.2], [0.0, 0.3], [-0.9, 0.4], [0.8, 0.8], [-0.4, -0.8], [0.9, 0.0]]
dtype = torch.float64


def clip_gradient_norm(w, limit):
    w = w.view_as(w)
    if w.requires_grad:  # torch takes no hook on a detached tensor
        w.register_hook(lambda g: g * torch.where(g.norm() <= limit, 1.0, limit / g.norm()))
    return w


def one_outlier(w, x, y, clip, limit):
    if clip == "batch":
        w = clip_gradient_norm(w, limit)
    if clip == "sample":  # faster: torch.func.vmap(torch.func.grad(loss)), each row clipped
        copies = torch.stack([clip_gradient_norm(w, limit / len(x)) for _ in x])
    else:
        copies = w.expand_as(x)
    return (((copies * x).sum(1, keepdim=True) - y) ** 2).mean() / 2


if __name__ == "__main__":
    bad = torch.tensor([angle, angle - 90.0], dtype=torch.float64).deg2rad().cos()
    x = torch.cat([bad[None], torch.tensor(x, dtype=torch.float64)])
    y = x @ x.new_tensor([[-2.0], [-1.0]])
    y[0] -= size
    w = torch.zeros(2, dtype=dtype, requires_grad=True)
    loss = one_outlier(w, x.to(dtype), y.to(dtype), clip, limit)
    slope = torch.autograd.grad(loss + 0 * w.sum(), w)[0].tolist()  # + 0: 0 if all is cut
    print(json.dumps(result := {"forward": [loss.item()], "trick_gradient": slope}))
