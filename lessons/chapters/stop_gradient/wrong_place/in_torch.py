"""detach() where the noise enters: the root still reads the noisy value."""

import json

import torch

x = [-2.0, -1.0, 1.0]
u = [1.0940106003613108, 1.0415639728799577, 0.9918765886254902]  # the noise, drawn for each x
dtype = torch.float64


def wrong_place(x, u):
    y = x**2
    yu = y * u
    yu_fixed = (yu - y).detach() + y  # value of yu, gradient of y
    return torch.sqrt(yu_fixed)  # its slope is computed from the noisy value


def gradient(z, x):
    """Zeros where no path leads from z back to x, as after a .detach() of your own."""
    if not z.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(z.sum(), x, materialize_grads=True)[0]


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    u = torch.tensor(u, dtype=dtype)
    z = wrong_place(x, u)
    result = {
        "forward": z.tolist(),
        "trick_gradient": gradient(z, x).tolist(),
        "true_gradient": gradient(torch.sqrt(x**2 * u), x).tolist(),
        "intended_gradient": gradient(torch.sqrt(x**2), x).tolist(),
    }
    print(json.dumps(result))
