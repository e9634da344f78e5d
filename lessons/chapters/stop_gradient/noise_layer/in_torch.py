"""A noise layer with a clean backward pass in a network of ten layers, trained with and without.

An argument makes the training stop earlier: python noise_layer.py 100
"""

import json
import math
import sys

import torch

place = 4  # the noise comes after this layer, 1 to 9
strength = 0.9  # the noise multiplies by 1 - strength to 1 + strength
seeds = 8
steps = 400
rate = 0.003
seed = 0  # the first one
dtype = torch.float32

LAYERS, WIDTH, POINTS = 10, 16, 64


class NoiseLayer(torch.nn.Module):
    """Multiplies by noise in training; the backward pass goes as if it were not there."""

    def __init__(self, strength, clean_backward=True, draw=torch.rand_like):
        super().__init__()
        self.strength, self.clean_backward, self.draw = strength, clean_backward, draw

    def forward(self, x):
        if not self.training:  # net.eval() turns the noise off
            return x
        u = 1 - self.strength + 2 * self.strength * self.draw(x)
        noisy = x * u
        added = noisy - x
        return x + (added.detach() if self.clean_backward else added)


def long_network(noise, one_seed):
    """Ten layers with tanh between them, and the noise after one; the same start for a seed."""
    generator = torch.Generator().manual_seed(one_seed)
    widths = [1, *[WIDTH] * (LAYERS - 1), 1]
    parts = []
    for number in range(1, LAYERS + 1):
        inputs, outputs = widths[number - 1 : number + 1]
        layer = torch.nn.Linear(inputs, outputs)
        for entries, shape in ((layer.weight, (outputs, inputs)), (layer.bias, (outputs, 1))):
            drawn = 2 * torch.rand(shape, dtype=torch.float64, generator=generator) - 1
            entries.data = (1.7 * drawn / math.sqrt(inputs)).view_as(entries).to(dtype)
        parts += [layer] if number == LAYERS else [layer, torch.nn.Tanh()]
        parts += [noise] if number == place else []
    return torch.nn.Sequential(*parts)


def trained(one_seed, clean_backward, count):
    """Learns sin(2x) with fresh noise at each step; returns losses and the size of the signal."""
    x = torch.linspace(-3, 3, POINTS, dtype=torch.float64).unsqueeze(1)
    target = torch.sin(2 * x).to(dtype)
    x = x.to(dtype)

    def next_draw(_):
        drawn = torch.rand(WIDTH, POINTS, dtype=torch.float64, generator=generator)
        return drawn.T.to(dtype)

    noise = NoiseLayer(strength, clean_backward, next_draw)
    network = long_network(noise, one_seed)
    adam = torch.optim.Adam(network.parameters(), rate)
    generator = torch.Generator().manual_seed(2**30 + one_seed)
    for _ in range(count):
        adam.zero_grad()
        ((network(x) - target) ** 2).mean().backward()
        adam.step()
    generator = torch.Generator().manual_seed(2**31 + one_seed)
    kept = [next_draw(None) for _ in range(4)]
    with torch.no_grad():
        losses = []
        for index in range(4):
            noise.draw = lambda _: kept[index]  # noqa: B023  (used at once)
            losses.append(((network(x) - target) ** 2).mean().item())
        size = (network[: 2 * place](x) ** 2).mean().sqrt().item()
    return {"loss": sum(losses) / 4, "size": size}


def alone(clean_backward):
    """The layer by itself, a tanh after it: what comes out, and the gradient at its input."""
    x = torch.linspace(-2, 2, 17, dtype=torch.float64).to(dtype).requires_grad_()
    fixed = (torch.arange(1, 18, dtype=torch.float64) * (math.sqrt(5) - 1) / 2 % 1).to(dtype)
    out = NoiseLayer(strength, clean_backward, lambda _: fixed)(x)
    (gradient,) = torch.autograd.grad((torch.tanh(out) + 0 * x).sum(), x)  # + 0: 0 if all is cut
    return out.tolist(), gradient.tolist()


if __name__ == "__main__":
    count = min([steps, *map(int, filter(str.isdigit, sys.argv[1:2]))])
    forward, trick_gradient = alone(True)
    result = {"forward": forward, "trick_gradient": trick_gradient}
    result |= {"true_gradient": alone(False)[1], "trained": {}}
    for name, clean_backward in (("trick", True), ("plain", False)):
        runs = [trained(seed + index, clean_backward, count) for index in range(seeds)]
        for key in runs[0]:
            mean = math.fsum(run[key] for run in runs) / seeds
            result["trained"][f"{name}_{key}"] = mean
    print(json.dumps(result))
