"""detach() on one factor of two: the value stays, one path of the gradient is gone."""

import json

import torch

x = [-2.0, -1.0, 3.0]
stopped = "first"  # or nothing, second, both, no_grad
dtype = torch.float64


def two_passes(x, stopped):
    first, second = x, x
    if stopped in ("first", "both"):
        first = x.detach()
    if stopped in ("second", "both"):
        second = x.detach()
    if stopped == "no_grad":
        with torch.no_grad():
            first = x  # no op runs here, so nothing is stopped
    return first**2 * second


def gradient(y, x):
    """Zeros where no path leads from y back to x; y.backward() would leave x.grad at None."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(y.sum(), x, materialize_grads=True)[0]


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = two_passes(x, stopped)
    result = {
        "forward": y.tolist(),
        "trick_gradient": gradient(y, x).tolist(),
        "true_gradient": gradient(x**2 * x, x).tolist(),
    }
    print(json.dumps(result))
