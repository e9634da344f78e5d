"""A straight-through estimator: the value of a step function, the gradient 1."""

import json

import torch

x = [-2.7, 0.4, 1.6]
function = "round"  # or sign
spelling = "difference"  # or value, exact, plain
after = "square"  # or nothing
dtype = torch.float64


class StraightThrough(torch.autograd.Function):
    forward = staticmethod(lambda x, f: f(x))
    setup_context = staticmethod(lambda ctx, inputs, output: None)  # nothing to save

    @staticmethod
    def backward(ctx, upstream):
        return upstream, None


def quantised(x, function, spelling, after):
    f = torch.sign if function == "sign" else torch.round
    if spelling == "difference":
        q = x + (f(x) - x).detach()
    elif spelling == "value":  # f(x) is not lost where x is far larger
        q = f(x).detach() + (x - x.detach())
    else:  # exact: f(x) to the last bit, −0 too; plain: no trick
        q = StraightThrough.apply(x, f) if spelling == "exact" else f(x)
    return q**2 if after == "square" else q


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = quantised(x, function, spelling, after)
    slope = torch.autograd.grad((y + 0 * x).sum(), x)[0].tolist()  # + 0: 0 if all is cut
    print(json.dumps(result := {"forward": y.tolist(), "trick_gradient": slope}))
