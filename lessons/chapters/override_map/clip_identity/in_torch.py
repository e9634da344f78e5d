"""An override map in plain torch, and an identity whose gradient a rule clips."""

import json

import torch

x = [-2.0, 1.0, 3.0]
limit = 1.0
factor = 3.0
place = "inside"  # where the identity stands: "inside" k·I(x), "outside" I(k·x), "each" use
uses = 2
power = "1"
dtype = torch.float64


class Overridden(torch.autograd.Function):
    """One op: the value of func, and what the rule returns as its gradient."""

    @staticmethod
    def forward(op, rule, func, *args):
        op.rule, op.count = rule, len(args)
        op.places = [place for place, one in enumerate(args) if isinstance(one, torch.Tensor)]
        op.save_for_backward(*(args[place] for place in op.places))
        return func(*args)

    @staticmethod
    def backward(op, *upstream):
        op.inputs = op.saved_tensors
        returned = op.rule(op, *upstream)
        returned = returned if isinstance(returned, tuple) else (returned,)
        gradients = dict(zip(op.places, returned, strict=True))  # one for each tensor operand
        return None, None, *(gradients.get(place) for place in range(op.count))


class gradient_override_map(torch.overrides.TorchFunctionMode):
    """Inside the block, each torch function of this name gets this rule as its gradient."""

    def __init__(self, rules):
        super().__init__()
        self.rules = rules

    def __torch_function__(self, func, types, args=(), kwargs=None):
        rule = self.rules.get(func.__name__)
        if rule is None:
            return func(*args, **(kwargs or {}))
        return Overridden.apply(rule, func, *args)


@torch.overrides.wrap_torch_function(lambda x: (x,))  # so that the map sees it as one op
def identity(x):
    return x.view_as(x)


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
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0 * x: 0 where nothing arrives
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    print(json.dumps(result))
