"""A hook on a tensor: it gets the gradient of that tensor, and can return another one."""

import json

import torch

x = [-3.0, 1.0, 3.0]
hook = "clip"  # or look, scale, reverse
limit = 0.5
factor = 0.5
place = "before"  # on the first tensor named h; or after: on the second one
times = 1  # how often the hook is registered
dtype = torch.float64


def hooks(x, hook, limit, factor, place, times):
    def on_gradient(upstream):
        if hook == "look":
            return None  # after print(upstream), for example
        if hook == "clip":
            return upstream.clamp(-limit, limit)
        return -upstream if hook == "reverse" else factor * upstream

    def register(h):
        for _ in range(times):
            h.register_hook(on_gradient)  # returns a handle, for handle.remove()

    h = x + 1
    if place == "before":
        register(h)
    h = h**2
    if place == "after":
        register(h)
    return h


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = hooks(x, hook, limit, factor, place, times)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
