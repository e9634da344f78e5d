"""Noise in the forward pass, no trick: the noise is a factor in the gradient too."""

import json

import torch

x = [-2.0, -1.0, 1.0]
u = [1.0940106003613108, 1.0415639728799577, 0.9918765886254902]  # the noise, drawn for each x
dtype = torch.float64


def noise_leaks(x, u):
    y = x**2
    yu = y * u
    return torch.sqrt(yu)


def gradient(z, x):
    """Zeros where no path leads from z back to x, as after a .detach() of your own."""
    if not z.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(z.sum(), x, materialize_grads=True)[0]


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    u = torch.tensor(u, dtype=dtype)
    z = noise_leaks(x, u)
    result = {
        "forward": z.tolist(),
        "trick_gradient": gradient(z, x).tolist(),
        "true_gradient": gradient(torch.sqrt(x**2 * u), x).tolist(),
        "intended_gradient": gradient(torch.sqrt(x**2), x).tolist(),
    }
    print(json.dumps(result))
