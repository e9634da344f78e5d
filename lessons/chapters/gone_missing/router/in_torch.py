"""A router for one token: the gates of the kept experts, as they are or divided by their sum."""

import json

import torch

x = [1.0, -0.5, -2.0]  # the router's logit for expert 1; the others have 0 and -1
k = 1  # experts per token
gate = "normalised"  # wrong at k = 1; raw (right there): not divided; stopped: divisor detached
first = 2.0  # what each expert gives for this token
second = -1.0
third = 0.5
dtype = torch.float64


def router(x, k, gate, first, second, third):
    logits = torch.stack([x, torch.zeros_like(x), torch.full_like(x, -1.0)])
    p = torch.softmax(logits, 0)
    v, kept = torch.topk(p, k, 0)
    gates = v
    if gate != "raw":
        total = v.sum(0)
        if gate == "stopped":
            total = total.detach()
        gates = v / total
    outputs = x.new_tensor([first, second, third])
    return (gates * outputs[kept]).sum(0)


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = router(x, k, gate, first, second, third)
    gradient = torch.zeros_like(x)
    if y.requires_grad:  # not if a detach has cut everything
        (gradient,) = torch.autograd.grad(y.sum(), x, materialize_grads=True)
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
