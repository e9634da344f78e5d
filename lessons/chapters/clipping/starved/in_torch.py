"""A sure mistake after softmax: what squared error and cross-entropy send back to both logits."""

import json

import torch

loss = "squared"  # or "cross"
right = 0.0  # the logit of the right answer
scale = 1.0
x = [-2.0, 0.7, 4.0, 8.0]  # the logit of the wrong answer
dtype = torch.float64


def starved(x, right, loss, scale):
    logits = torch.stack([x, right], dim=-1)
    if loss == "squared":
        p = torch.softmax(logits, dim=-1)
        error = p[..., 0] ** 2 + (1 - p[..., 1]) ** 2
    else:  # the same as torch.nn.functional.cross_entropy(logits, target), target 1
        error = -torch.log_softmax(logits, dim=-1)[..., 1]
    return scale * error


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    right = torch.full_like(x, right, requires_grad=True)
    y = starved(x, right, loss, scale)
    total = y.sum() + 0 * (x + right).sum()  # + 0: zeros if you detach every path
    to_wrong, to_right = torch.autograd.grad(total, (x, right))
    result = {
        "forward": y.tolist(),
        "trick_gradient": to_wrong.tolist(),
        "to_right": to_right.tolist(),
    }
    print(json.dumps(result))
