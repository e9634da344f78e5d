"""A gradient reversal, and ways to write it that do something else."""

import json

import torch

way = "module"  # its backward is never called; layer, twice, left_out, subtract, apart, labels
scale = 2.0  # λ
gap = 1.2  # between the centres of the two domains
turn = 20.0  # the classifier's angle in degrees
dtype = torch.float64


def flip_gradient(x, scale):
    return x.detach() + scale * (x.detach() - x)  # a zero whose derivative is -scale


def wrong_ways(w1, w2, x, domain, scale, way):
    def loss(feature, w2, domain):
        return torch.nn.functional.binary_cross_entropy_with_logits(feature @ w2, domain)

    feature = x @ w1
    if way in ("apart", "labels"):
        sign, given = (-scale, domain) if way == "apart" else (scale, 1 - domain)
        return loss(feature.detach(), w2, domain) + sign * loss(feature, w2.detach(), given)
    for factor in {"layer": [scale], "twice": [scale, scale], "left_out": [1.0]}.get(way, []):
        feature = flip_gradient(feature, factor)
    return loss(feature, w2, domain) * (-scale if way == "subtract" else 1)


if __name__ == "__main__":
    x = torch.tensor([[-5, 5], [-1, -6], [4, 3], [-4, -3], [2, 6], [5, -4]]).double() / 10
    domain = torch.tensor([0, 0, 0, 1, 1, 1]).double()  # source, target
    x[:, 0] += gap * (domain - 0.5)
    w2 = torch.tensor([turn, turn - 90], dtype=torch.float64).deg2rad().cos()  # cosine, sine
    w = torch.tensor([1.0, 0.3, -0.2, 0.8, *w2], dtype=dtype, requires_grad=True)
    loss = wrong_ways(w[:4].view(2, 2), w[4:], x.to(dtype), domain.to(dtype), scale, way)
    (gradient,) = torch.autograd.grad(loss + 0 * w.sum(), w)  # + 0: zeros if you detach every path
    result = {"forward": [loss.item()], "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
