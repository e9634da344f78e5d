"""A small VQ-VAE, its three losses, and the same as in the paper; each seed trains by itself.

An argument makes the training stop earlier: python codebook.py 100
"""

import json
import sys

import torch

beta = 0.25
wiring = "paper"  # or swapped
part = "all"  # or reconstruction, codebook, commitment: whose gradient is printed for one point
z1 = 0.1
z2 = 0.9
start = 0.0625  # the codes are drawn within plus and minus this
seeds = 8
steps = 400
rate = 0.01
seed = 0  # the first one
dtype = torch.float32
PARTS = ["reconstruction", "codebook", "commitment"]
mse_loss = torch.nn.functional.mse_loss


def vq_losses(z, code, decode, x, beta, wiring):
    passed = z + (code - z).detach()
    reconstruction = mse_loss(decode(passed), x)
    codebook = mse_loss(z.detach(), code)
    commitment = mse_loss(z, code.detach())
    if wiring == "swapped":
        return reconstruction, beta * codebook, commitment
    return reconstruction, codebook, beta * commitment


def in_the_paper(z, code, decode, x, beta, wiring):
    reconstruction = mse_loss(decode(z + (code - z).detach()), x)
    return reconstruction, mse_loss(z.detach(), code), 0.25 * mse_loss(z, code.detach())


def nearest(z, codes):
    chosen = (z.unsqueeze(1) - codes).square().sum(2).argmin(1)
    return codes[chosen], chosen


def draw(seed):
    how = {"dtype": torch.float64, "generator": torch.Generator().manual_seed(seed)}
    x = (2 * torch.rand(2, 128, **how) - 1).T.to(dtype)
    halves = []
    for _ in range(2):
        layers = torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2)
        for one in (layers[0], layers[2]):
            for weight in (one.weight, one.bias):
                number = (2 * torch.rand(weight.shape, **how) - 1) / one.in_features**0.5
                weight.data = number.to(dtype)
        halves.append(torch.nn.Sequential(*layers))
    codes = (start * (2 * torch.rand(16, 2, **how) - 1)).to(dtype)
    return x, *halves, torch.nn.Parameter(codes)


def train(seed, most, losses):
    x, encoder, decoder, codes = draw(seed)
    adam = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), codes], rate)
    for _ in range(most):
        z = encoder(x)
        loss = sum(losses(z, nearest(z, codes)[0], decoder, x, beta, wiring))
        adam.zero_grad()
        if loss.requires_grad:  # not if a detach has cut everything
            loss.backward()
            adam.step()
    with torch.no_grad():
        z = encoder(x)
        code, chosen = nearest(z, codes)
        return mse_loss(decoder(code), x), mse_loss(z, code), len(chosen.unique())


if __name__ == "__main__":
    z = torch.tensor([z1, z2], dtype=torch.float64)
    codes = [[0.5, 0.4], [-0.6, 0.3], [-0.3, -0.6], [0.6, -0.5]]
    code, _ = nearest(z[None], torch.tensor(codes, dtype=torch.float64))
    weight = torch.tensor(0.8, dtype=dtype, requires_grad=True)
    z, code = (one.reshape(2, 1).to(dtype).requires_grad_() for one in (z, code))
    point = torch.tensor([[1.0], [-0.2]], dtype=dtype)

    def decode(code):
        return weight * code

    losses = vq_losses(z, code, decode, point, beta, wiring)
    leaves = [z, code, weight]
    none = sum((0 * leaf).sum() for leaf in leaves)  # zeros if you detach every path
    loss = none + (sum(losses) if part == "all" else losses[PARTS.index(part)])
    slopes = torch.autograd.grad(loss, leaves)
    result = {"forward": [v for leaf in leaves for v in leaf.reshape(-1).tolist()]}
    result["trick_gradient"] = [v for slope in slopes for v in slope.reshape(-1).tolist()]
    result["trained"] = {}
    most = min([steps, *map(int, filter(str.isdigit, sys.argv[1:2]))])
    for arm, program in (("trick", vq_losses), ("paper", in_the_paper)):
        runs = [train(one, most, program) for one in range(seed, seed + seeds)]
        for place, name in enumerate(("error", "apart", "used")):
            result["trained"][f"{arm}_{name}"] = sum(float(run[place]) for run in runs) / seeds
    print(json.dumps(result))
