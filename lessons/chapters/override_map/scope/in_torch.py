"""An override map in plain torch, and where an identity runs: in it, in an inner one, after it."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map, identity

x = [-2.0, 1.0, 3.0]
factor = 10.0
inner = 2.0
ops = 1  # identities in a row
place = "map"  # where they run: "map", "nested", "restored", "left" (after an exception)
dtype = torch.float64


def scope(x, factor, inner, ops, place):
    def identities(y):
        for _ in range(ops):
            y = identity(y)
        return y

    try:
        with gradient_override_map({"identity": lambda op, upstream: factor * upstream}):
            if place == "map":
                y = identities(x)
            elif place in ("nested", "restored"):
                times = inner if place == "nested" else 1  # an identity's own gradient: times 1
                with gradient_override_map({"identity": lambda op, upstream: times * upstream}):
                    y = identities(x)
            else:
                raise InterruptedError("something went wrong inside the map")
    except InterruptedError:
        y = identities(x)
    return y**2


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = scope(x, factor, inner, ops, place)
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0: zeros if you detach every path
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    print(json.dumps(result))
