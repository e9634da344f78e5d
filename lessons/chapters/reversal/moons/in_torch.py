"""Two moons, domain-adversarial and on the source alone; all seeds: python moons.py 1000 20."""

import json
import math
import sys

import torch

scale = 1.0  # full λ
angle = 35.0  # degrees by which the target is turned
wiring = "reversal"  # or "twice"
network = "two_layers"  # or "paper"
schedule = "rising"  # or "fixed": λ as it trains
seeds = 20  # all take minutes; without arguments the file trains one
steps = 1000
rate = 0.02
decay = "falling"  # or "none"
seed = 0
dtype = torch.float32
LABELS = torch.tensor([0, 1, 0, 1]).repeat_interleave(150)[:, None]  # which moon a point is of
DOMAINS = torch.tensor([0, 1]).repeat_interleave(300)[:, None]  # source, target


def flip_gradient(x, scale):
    return x.detach() + scale * (x.detach() - x)  # a zero whose derivative is -scale


def cross_entropy(logit, target, weight=None):
    loss = torch.nn.functional.softplus(logit) - target * logit
    return loss.mean() if weight is None else (loss * weight).sum() / weight.sum().clamp(min=1)


def adversarial(features, label_head, domain_head, labels, domains, scale, wiring):
    seen = flip_gradient(features, -scale if wiring == "twice" else scale)
    label_loss = cross_entropy(label_head(features), labels, 1 - domains)  # on the source
    return label_loss + cross_entropy(domain_head(seen), domains)


def draw(seed):  # points [600, 2], extractor, label head, domain head
    how = {"dtype": torch.float64, "generator": torch.Generator().manual_seed(seed)}
    domains, cos, sin = [], math.cos(math.radians(angle)), math.sin(math.radians(angle))
    for _ in range(2):
        a, b = math.pi * torch.rand(2, 150, **how)
        x, y = torch.cat([a.cos(), 1 - b.cos()]), torch.cat([a.sin(), 0.5 - b.sin()])
        domains.append(torch.stack([x, y]) + 0.05 * torch.randn(2, 300, **how))
    source, (x, y) = (2 * (one - domains[0].mean(1, keepdim=True)) for one in domains)
    points = torch.cat([source, torch.stack([cos * x - sin * y, sin * x + cos * y])], 1)
    lin, relu, tanh = torch.nn.Linear, torch.nn.ReLU(), torch.nn.Tanh()
    parts = [lin(2, 32), tanh, lin(32, 32), tanh], [lin(32, 1)], [lin(32, 32), relu, lin(32, 1)]
    if network == "paper":
        parts = [lin(2, 15), torch.nn.Sigmoid()], [lin(15, 1)], [lin(15, 1)]
    for one in [one for part in parts for one in part if isinstance(one, lin)]:
        for part in (one.weight, one.bias):
            part.data = ((2 * torch.rand(part.shape, **how) - 1) / one.in_features**0.5).to(dtype)
    return points.T.to(dtype), *(torch.nn.Sequential(*part) for part in parts)


def scale_at(p):
    return scale if schedule == "fixed" else scale * math.tanh(5 * p)  # 2 / (1 + e^(-10 p)) - 1


def train(seed, most, adapt):
    x, *networks = draw(seed)
    extractor, label_head, domain_head = networks
    adam = torch.optim.Adam(torch.nn.ModuleList(networks).parameters())
    for done in range(most):
        p, features = done / steps, extractor(x)
        adam.param_groups[0]["lr"] = rate / (1 + 10 * p) ** 0.75 if decay == "falling" else rate
        if adapt:
            given = features, label_head, domain_head, LABELS, DOMAINS, scale_at(p)
            loss = adversarial(*given, wiring)
        else:
            loss = cross_entropy(label_head(features), LABELS, 1 - DOMAINS)
            loss = loss + cross_entropy(domain_head(features.detach()), DOMAINS)
        adam.zero_grad()
        if loss.requires_grad:  # not if a detach has cut everything
            loss.backward()
            adam.step()
    label, domain = label_head(extractor(x)), domain_head(extractor(x))
    right = ((label > 0) == LABELS)[300:], (domain > 0) == DOMAINS
    return *(one.double().mean().item() for one in right), cross_entropy(domain, DOMAINS).item()


def spread(first, *shape):  # numbers from -1 to 1, for one point and two small heads
    multiples = torch.arange(first, first + math.prod(shape), dtype=torch.float64)
    return (2 * (multiples * (math.sqrt(5) - 1) / 2 % 1) - 1).reshape(shape).to(dtype)


if __name__ == "__main__":
    features = spread(1, 8).requires_grad_()
    inner, outer, label = spread(9, 6, 8), spread(57, 1, 6), spread(63, 1, 8)
    heads = label.matmul, lambda features: outer @ (inner @ features).relu()
    loss = adversarial(features, *heads, torch.zeros(1), torch.ones(1), scale, wiring)
    (gradient,) = torch.autograd.grad(loss + 0 * features.sum(), features)  # + 0: 0 if all is cut
    result = {"forward": features.tolist(), "trick_gradient": gradient.tolist(), "trained": {}}
    asked = [int(word) for word in sys.argv[1:] if word.isdigit()]
    most, few = map(min, (steps, seeds), [*asked, *(steps, 1)[len(asked) :]])
    for arm in ("trick", "source_only"):
        print(f"Training {arm}, {few} of {seeds} seeds …", file=sys.stderr)
        runs = [train(one, most, arm == "trick") for one in range(seed, seed + few)]
        for place, name in enumerate(("target", "domain", "domain_loss")):
            result["trained"][f"{arm}_{name}"] = sum(one[place] for one in runs) / few
    print(json.dumps(result))
