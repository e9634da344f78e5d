"""An extractor and a domain classifier, with a gradient reversal layer between them."""

import json
import math

import torch

scale = 2.0  # λ
gap = 1.2  # between the centres of the two domains
turn = 20.0  # the classifier's angle in degrees
dtype = torch.float64


def flip_gradient(x, scale):
    return x.detach() + scale * (x.detach() - x)  # a zero whose derivative is -scale


def two_players(w1, w2, x, domain, scale):
    feature = x @ w1  # the extractor
    seen = flip_gradient(feature, scale)
    logit = seen @ w2  # the domain classifier
    return torch.nn.functional.binary_cross_entropy_with_logits(logit, domain)


if __name__ == "__main__":
    inputs = [[-0.5, 0.5], [-0.1, -0.6], [0.4, 0.3], [-0.4, -0.3], [0.2, 0.6], [0.5, -0.4]]
    x = torch.tensor(inputs, dtype=torch.float64)
    x[:, 0] += torch.tensor([-gap / 2] * 3 + [gap / 2] * 3, dtype=x.dtype)  # source, target
    domain = torch.tensor([0, 0, 0, 1, 1, 1], dtype=dtype)
    w1 = torch.tensor([[1.0, 0.3], [-0.2, 0.8]], dtype=dtype, requires_grad=True)
    angle = math.radians(turn)
    w2 = torch.tensor([math.cos(angle), math.sin(angle)], dtype=dtype, requires_grad=True)
    loss = two_players(w1, w2, x.to(dtype), domain, scale)
    found = torch.autograd.grad(loss + 0 * (w1.sum() + w2.sum()), (w1, w2))  # + 0: 0 if all is cut
    gradient = torch.cat([one.flatten() for one in found])
    result = {"forward": [loss.item()], "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
