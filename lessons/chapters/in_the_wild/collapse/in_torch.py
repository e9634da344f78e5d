"""Features learned without labels: with a stop on the target branch, and without.

An argument makes the training stop earlier: python collapse.py 100
"""

import json
import math
import sys

import torch

target = "stopped"  # or "open": whether the target branch gets a gradient
head = "network"  # or "none": the predictor
noise = 0.3  # of a view
seeds = 8
steps = 300
rate = 0.01
seed = 0  # the first one
dtype = torch.float32

INPUTS = FEATURES = 8
POINTS = 128


def cosine(one, two):  # of columns: [features, points] twice to their mean
    return torch.nn.functional.cosine_similarity(one, two, dim=-2).mean(-1)


def siamese(one, two, predictor, stop):
    target_one = one.detach() if stop else one
    target_two = two.detach() if stop else two
    first = cosine(predictor(one), target_two)
    second = cosine(predictor(two), target_one)
    return -0.5 * (first + second)


def open_loss(one, two, predictor):  # the same without a stop, to compare with
    return -0.5 * (cosine(predictor(one), two) + cosine(predictor(two), one))


class TwoLayers(torch.nn.Module):  # points are columns
    def __init__(self, wide, hidden, generator):
        super().__init__()
        parts = []
        for inputs, outputs in ((wide, hidden), (hidden, wide)):
            for shape in ((outputs, inputs), (outputs, 1)):
                drawn = 2 * torch.rand(shape, dtype=torch.float64, generator=generator) - 1
                parts.append(torch.nn.Parameter((drawn / math.sqrt(inputs)).to(dtype)))
        self.weights = torch.nn.ParameterList(parts)

    def forward(self, x):
        inner, inner_bias, outer, outer_bias = self.weights
        return outer @ torch.relu(inner @ x + inner_bias) + outer_bias


def two_views(x, drawn):
    return [x + noise * one for one in drawn.to(dtype)]


def trained(one_seed, as_set, count):
    """Loss, spread of the features, and the similarity of two different inputs at the end."""
    generator = torch.Generator().manual_seed(one_seed)
    how = {"dtype": torch.float64, "generator": generator}
    x = torch.randn(INPUTS, POINTS, **how).to(dtype)
    kept = torch.randn(2, INPUTS, POINTS, **how)  # the views that the loss is measured at
    encoder = TwoLayers(FEATURES, 32, generator)
    network = TwoLayers(FEATURES, 16, generator)
    predictor = network if head == "network" else lambda features: features
    adam = torch.optim.Adam([*encoder.parameters(), *network.parameters()], rate)
    for _ in range(count):
        one, two = (encoder(view) for view in two_views(x, torch.randn(2, INPUTS, POINTS, **how)))
        if as_set:
            loss = siamese(one, two, predictor, target == "stopped")
        else:
            loss = open_loss(one, two, predictor)
        adam.zero_grad()
        if loss.requires_grad:  # not if a detach has cut everything
            loss.backward()
            adam.step()
    with torch.no_grad():
        loss = open_loss(*(encoder(view) for view in two_views(x, kept)), predictor)
        unit = torch.nn.functional.normalize(encoder(x).double(), dim=0)
        spread = unit.std(1, unbiased=False).mean()
    return {"loss": loss.item(), "spread": spread.item()}


def by_formula(first, *shape):  # fixed numbers from -1 to 1, for one pair of views
    multiples = torch.arange(first, first + math.prod(shape), dtype=torch.float64)
    return (2 * (multiples * (math.sqrt(5) - 1) / 2 % 1) - 1).reshape(shape)


if __name__ == "__main__":
    count = min([steps, *map(int, filter(str.isdigit, sys.argv[1:2]))])
    one = by_formula(1, FEATURES, 1)
    two = (one + by_formula(9, FEATURES, 1)).to(dtype)
    one, inner, outer = (w.to(dtype) for w in (one, by_formula(17, 6, 8), by_formula(65, 8, 6)))
    network = (lambda z: outer @ torch.relu(inner @ z)) if head == "network" else (lambda z: z)
    loss = siamese(one.requires_grad_(), two, network, target == "stopped")
    (gradient,) = torch.autograd.grad(loss + 0 * one.sum(), one)  # + 0: 0 if all is cut
    result = {"forward": one[:, 0].tolist(), "trick_gradient": gradient[:, 0].tolist()}
    result["trained"] = {}
    for name in ("trick", "plain"):
        runs = [trained(seed + index, name == "trick", count) for index in range(seeds)]
        for key in runs[0]:
            mean = math.fsum(run[key] for run in runs) / seeds
            result["trained"][f"{name}_{key}"] = mean
    print(json.dumps(result))
