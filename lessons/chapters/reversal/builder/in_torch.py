"""Two gradient reversals, each with its own λ: a hook that is made anew for each call."""

import json

import torch

x = [-1.5, -0.5, 1.0]
scale = 2.0  # λ of the first call
second = 0.5  # λ of the second call
way = "rule"  # or "names": a name for each call; "once": one name, registered once
builders = 1
dtype = torch.float64


def builder(x, scale, second, way, builders):
    registry, calls = {}, [0] * builders  # as TensorFlow's: one registry, a count in each builder

    def flip(x, scale, number):
        def rule(upstream):  # keeps the λ of the call that makes it
            return -scale * upstream

        name = f"FlipGradient{calls[number]}" if way == "names" else "FlipGradient"
        calls[number] += 1
        if way == "names" and name in registry:
            raise KeyError(f"{name} is registered already")
        y = x.view_as(x)
        y.register_hook(rule if way == "rule" else registry.setdefault(name, rule))
        return y

    return flip(x, scale, 0) ** 3 + flip(x, second, -1) ** 2


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = builder(x, scale, second, way, builders)
    (gradient,) = torch.autograd.grad((y + 0 * x).sum(), x)  # 0 if nothing leads back to x
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
