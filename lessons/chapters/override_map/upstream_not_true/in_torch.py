"""An override map in plain torch, and one rule that halves, on an op of your choice."""

import json

import torch

from lessons.chapters.override_map.in_torch import gradient_override_map, identity

x = [-2.0, 1.0, 3.0]
op_type = "identity"  # where the rule stands: "identity", "square" or "mul"
local = "missing"  # "supplied": the rule supplies the op's local derivative
dtype = torch.float64


def halve(x, op_type, local):
    def half(op, upstream):
        if local == "supplied" and op_type == "square":
            return upstream * 0.5 * 2 * op.inputs[0]
        if local == "supplied" and op_type == "mul":
            return upstream * 0.5 * 6
        return upstream * 0.5

    with gradient_override_map({op_type: half}):
        return identity(torch.square(torch.mul(x, 6)))


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = halve(x, op_type, local)
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0: zeros if you detach every path
    (true,) = torch.autograd.grad(torch.square(6 * x).sum(), x)
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    result["true_gradient"] = true.tolist()
    print(json.dumps(result))
