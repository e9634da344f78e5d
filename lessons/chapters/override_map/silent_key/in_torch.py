"""An override map in plain torch that ignores a key which fits no op, as TensorFlow 1 does."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map

x = [-2.0, 1.0, 2.5]
key = "Sign"
dtype = torch.float64

TYPES = {"Sin": "sin", "Sign": "sign"}  # TensorFlow's types of the two ops, and torch's names
calls = []  # what the rule was called for: an empty list says that the key fits no op


def silent_key(x, key):
    def straight(op, upstream):
        calls.append(key)
        return upstream

    with gradient_override_map({TYPES.get(key, key): straight} if key else {}):
        return torch.sign(torch.sin(x))


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = silent_key(x, key)
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0 * x: 0 where nothing arrives
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    result["calls_of_the_rule"] = len(calls)
    print(json.dumps(result))
