"""An override map in plain torch: it goes by the op's type, and no name matters."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map, identity

x = [-2.0, 1.0, 3.0]
key = "Identity"  # an op type as TensorFlow writes it; torch's names are mostly the lower case
name = "Identity"  # what the product is called
place = "inside"  # where an identity runs: "none", "inside" the map, "outside" after it
dtype = torch.float64


def named(tensor, name):
    """Torch's ops have no names: this is a label for people, and the map does not read it."""
    return tensor


def type_not_name(x, key, name, place):
    def half(op, upstream):
        return upstream * 0.5

    with gradient_override_map({key.lower(): half}):
        y = torch.square(named(torch.mul(x, 6), name))
        if place == "inside":
            y = identity(y)
    return identity(y) if place == "outside" else y


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = type_not_name(x, key, name, place)
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0: zeros if you detach every path
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    print(json.dumps(result))
