"""An override map in plain torch, and an identity whose gradient a rule clips."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map, identity

x = [-2.0, 1.0, 3.0]
limit = 1.0
factor = 3.0
place = "inside"  # where the identity stands: "inside" k·I(x), "outside" I(k·x), "each" use
uses = 2
power = "1"
dtype = torch.float64


def clip_identity(x, limit, factor, uses, place, power):
    def clip(op, upstream):
        return upstream.clamp(-limit, limit)

    # For one tensor y, y.register_hook(lambda upstream: upstream.clamp(-limit, limit)) does it too.
    with gradient_override_map({"identity": clip}):
        if place == "each":
            used = [factor * identity(x) for _ in range(uses)]
        else:
            y = identity(factor * x) if place == "outside" else factor * identity(x)
            used = [y] * uses
    terms = used if power == "1" else [y**2 for y in used]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = clip_identity(x, limit, factor, uses, place, power)
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0: zeros if you detach every path
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    print(json.dumps(result))
